import type { FailureFacts } from "../types.ts";
import { rulesFor } from "./rule.ts";

/** Status of an answer that came through, or none at all: a page instead of an API then means that the address is wrong. */
function notRefused({ status }: FailureFacts): boolean {
  return status === undefined || status < 400;
}

export const configRules = rulesFor("config", [
  {
    id: "config.certificate",
    why: "The certificate is not trusted, or the other side does not speak TLS: somebody has to change the trust store or the address.",
    source: "Node TLS and OpenSSL codes, rustls, Bun, undici",
    codes: ["depth_zero_self_signed_cert", "self_signed_cert_in_chain", "unable_to_verify_leaf_signature", "unable_to_get_issuer_cert", "unable_to_get_issuer_cert_locally", "cert_has_expired", "cert_not_yet_valid", "cert_untrusted", "cert_rejected", "cert_revoked", "cert_signature_failure", "err_tls_cert_altname_invalid", "err_ssl_wrong_version_number", "err_ssl_tlsv1_alert_protocol_version", "err_ssl_sslv3_alert_handshake_failure", "err_ssl_packet_length_too_long", "err_ssl_unsupported_protocol", "hostname_mismatch", "eproto"],
    says: /self[- ]signed cert|(?:unable|failed) to (?:verify|get) (?:the )?(?:first |local )?(?:leaf |issuer )?cert|certificate (?:has expired|verify failed|is not trusted|required|expired|not yet valid|signed by unknown|chain)|certificate_verify_failed|x509:|invalid (?:peer )?certificate|cert(?:_|\b)(?:signature|has|not_yet|untrusted|chain|verif)|_cert_|unable_to_(?:verify|get)|does not match certificate|altname|wrong[ _]version[ _]number|alert protocol version|ssl routines|fatal alert|unsupported protocol|unknownissuer|ssl certificate problem|ssl_error|sslv3 alert|net::err_cert/,
    when: ({ status }) => status === undefined || status < 520,
    examples: ["Connection error.: self-signed certificate in certificate chain (SELF_SIGNED_CERT_IN_CHAIN)", "client error (Connect): invalid peer certificate: UnknownIssuer"],
    nearMisses: ["Client network socket disconnected before secure TLS connection was established", { text: "SSL handshake failed", status: 525 }],
  },
  {
    id: "config.proxy",
    why: "The proxy refuses the connection or wants credentials.",
    source: "undici ProxyAgent, tunnel-agent, curl",
    says: /proxy (?:response|authentication|returned|connect)[^.]{0,20}\(?(?:407|40[013])?\)?(?: !== 200| required)|tunneling socket could not be established, statuscode=4\d\d|proxy[^.]{0,40}(?:407|authentication required)|proxy connect aborted/,
    when: ({ text }) => !/proxy response \(5\d\d\)/i.test(text.slice(0, 4000)),
    examples: ["Connection error.: Proxy response (407) !== 200 when HTTP Tunneling (UND_ERR_ABORTED)", "tunneling socket could not be established, statusCode=407"],
    nearMisses: ["Connection error.: Proxy response (502) !== 200 when HTTP Tunneling (UND_ERR_ABORTED)"],
  },
  {
    id: "config.address",
    why: "The address is wrong: its scheme, port, path, or what answers there.",
    source: "fetch, node-fetch, Deno and Bun messages; LM Studio, Ollama, Go servers",
    codes: ["err_invalid_url", "err_unsupported_protocol", "err_invalid_protocol", "err_fr_too_many_redirects", "toomanyredirects", "unsupported_protocol", "err_invalid_char"],
    says: /redirect count exceeded|(?:too many|maximum (?:number of )?|max) redirects?|redirected too many times|unknown scheme|bad port|url scheme|(?:unsupported|invalid|unknown) (?:url|uri|protocol|scheme)\b|invalid url|failed to parse url|only absolute urls|page not found|unexpected endpoint|unknown endpoint|(?:no|invalid) (?:such )?route|route not found|cannot (?:get|post) \/|invalid url \(|method not allowed|forgot to add|bytestring|invalid (?:character in )?header|region is missing|circular structure|serialize a bigint|consumed stream|streaming is required|websocket: invalid status code: 2\d\d|noapplicationprotocol/,
    examples: ["fetch failed: unknown scheme", "fetch failed: redirect count exceeded", "404 page not found", "Invalid URL: 'not a url'"],
    nearMisses: ["fetch failed: getaddrinfo ENOTFOUND api.corp.invalid"],
  },
  {
    id: "config.web-page",
    why: "A web page answered where an API should: a login, a portal or a wrong base URL.",
    source: "Captive portals, access gateways, Cloudflare challenges",
    says: /<!doctype|<html|unexpected token '?<|content-type:? text\/html|just a moment|sign in to continue|you have been blocked/,
    when: (facts) => notRefused(facts) || (facts.status === 403 && /just a moment|have been blocked|cookies to continue/i.test(facts.text.slice(0, 8000))),
    examples: ["Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON"],
    nearMisses: [{ text: "<html><body>502 Bad Gateway</body></html>", status: 502 }],
  },
]);

export const timeoutRules = rulesFor("timeout", [
  {
    id: "timeout.wording",
    why: "No answer came in time; the next try may be luckier.",
    source: "undici, the SDKs, gRPC, Go, Python, nginx",
    codes: ["und_err_headers_timeout", "und_err_body_timeout", "und_err_connect_timeout", "esockettimedout", "timeouterror", "deadline_exceeded", "timeout_error", "request_timeout", "apiconnectiontimeouterror", "apitimeouterror", "headerstimeouterror", "bodytimeouterror", "connecttimeouterror", "modeltimeoutexception", "gateway_timeout", "readtimeout", "connecttimeout", "requesttimeout", "requesttimeoutexception"],
    says: /timed[ -]?out|time-?out\b|deadline[ _]?(?:exceeded|expired|of)|took too long|(?:no|without) (?:response|answer|data)[^.]{0,20} (?:in time|within|after \d)|exceeded the configured \d{1,9} ms|timeout(?:error|exception)|超时/,
    when: ({ text }) => !/keepalive ping timeout|connect etimedout/i.test(text.slice(0, 4000)),
    examples: ["Request timed out.", "504 Gateway Time-out", "terminated: Body Timeout Error (UND_ERR_BODY_TIMEOUT)", "4 DEADLINE_EXCEEDED: Deadline expired before operation could complete."],
    nearMisses: ["connect ETIMEDOUT 203.0.113.53:443", "Parameter timeout must be positive"],
  },
]);

export const streamRules = rulesFor("stream_interrupted", [
  {
    id: "stream.wording",
    why: "The answer broke off before its terminal event: nothing of it counts, the same request is sent again.",
    source: "Rulebook 9; undici, the SDKs, HTTP/2, gRPC, Python and Rust clients",
    codes: ["z_data_error", "z_buf_error", "data_loss", "err_stream_premature_close", "incompleteread", "remoteprotocolerror", "chunkedencodingerror", "invalidhttpresponse", "zliberror", "modelstreamerrorexception"],
    says: /^\W{0,3}(?:\w{1,30}: ?)?terminated\b|\bterminated: |premature(?:ly)? (?:close|end)|(?:ended|closed|response ended) prematurely|prematurely|(?:stream|websocket|response|connection|body|transport|transfer)s?[^.]{0,40}(?:disconnected|closed|ended|end|interrupted|removed|cut off|broken|incomplete|truncated|dropped)[^.]{0,20}(?:before|without|early|unexpectedly|by server|by peer|mid|with an invalid|with empty|because)|stream (?:disconnected|closed|ended|interrupted|removed|was invalid|error|aborted|reset|broke)|stream id \d{1,9}; |websocket:? clos|keepalive ping timeout|ended (?:before|without)|before (?:message_stop|response\.completed|completion|a terminal)|incomplete (?:chunked|read|stream|response|message|body)|incompleteread|without sending (?:complete|any)|unexpected (?:eof|end of (?:file|input|stream|data|json))|error (?:decoding|reading)(?: a)? (?:response )?body|error reading (?:response|next message)|invalid character in chunk|incorrect header check|(?:missing|without|no) (?:a )?(?:finish|stop)[_ ]reason|missing terminal|finish chunk|rst_stream|in json at position|malformed (?:server-sent|json|chunk|sse|stream)|truncated (?:event|message|stream|response)|invalid response body while|invalidhttpresponse|zliberror|failed to process successful response|disconnected unexpectedly|unhandled response stream event|chunk\S{0,12} is not iterable|aborted event|json parsing failed: text|\bpartial response|possible truncation|empty (?:response|stream|reply) (?:text|from|body)|no output generated|invalid chunk|^aborted\b|unexpected eof|received from peer/,
    when: ({ status }) => status === undefined || status < 300,
    examples: ["terminated: read ECONNRESET", "Premature close", "stream disconnected before completion: stream closed before response.completed", "missing finish_reason for choice 0"],
    nearMisses: ["account has been terminated", "llama runner process has terminated"],
  },
]);

export const networkRules = rulesFor("network", [
  {
    id: "network.wording",
    why: "The connection could not be made or was lost before an answer began.",
    source: "Node and libuv system errors, undici, Chromium, Bun, Deno, Go, Python, gRPC",
    codes: ["econnrefused", "econnreset", "econnaborted", "enotfound", "eai_again", "eai_fail", "eai_nodata", "etimedout", "epipe", "ehostunreach", "ehostdown", "enetunreach", "enetdown", "enetreset", "eaddrnotavail", "enotconn", "eshutdown", "und_err_socket", "und_err_closed", "und_err_destroyed", "err_socket_closed", "err_socket_connection_timeout", "err_http2_goaway_session", "err_http2_stream_error", "err_http2_session_error", "err_http2_error", "apiconnectionerror", "connecterror", "connectionrefused", "connectionclosed", "networkerror"],
    says: /\be(?:connrefused|connreset|connaborted|notfound|ai_again|ai_fail|timedout|pipe|hostunreach|hostdown|netunreach|netdown|netreset|addrnotavail)\b|getaddrinfo|fetch failed|failed to fetch|socket hang up|other side closed|socket (?:connection )?(?:was )?(?:closed|disconnected|error|reset)|network (?:error|socket|changed|connection|is unreachable|failure|request failed|unreachable)|networkerror|connection (?:error|reset|refused|closed|lost|aborted|terminated|failed|was (?:lost|closed|reset|refused|aborted|forcibly)|to the api was lost|could not)|connect(?:ion)? (?:error|fail)|(?:cannot|can't|could not|couldn't|unable to|failed to) (?:connect|reach|establish|resolve)|(?:dns|name resolution|name or service not known|nameresolution|nodename nor servname|failed to lookup)|no route to host|host (?:is )?(?:unreachable|down)|goaway|error sending request|net::err_|err_network|http2_protocol_error|tls handshake (?:eof|failed)|ssl handshake failed|before secure tls connection|upstream connect error|disconnect\/reset before headers|no connection established|proxy response \(5\d\d\)|max retries exceeded with url|und_err_(?:socket|closed)|received rst_stream with error code 7|broken pipe|tcp connect|": eof|does not match the http\/1\.1 protocol|parse error: expected http|finish_reason: network_error|网络(?:错误|异常|连接)|连接(?:失败|超时|被拒绝|重置)/,
    when: ({ status }) => status === undefined || status < 300 || status >= 500,
    examples: ["fetch failed: connect ECONNREFUSED 127.0.0.1:80", "Connection error.: getaddrinfo ENOTFOUND api.corp.invalid", "socket hang up", "Error: write EPIPE"],
    nearMisses: ["terminated: read ECONNRESET", "fetch failed: self-signed certificate"],
  },
]);
