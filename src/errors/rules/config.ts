import type { FailureFacts } from "../types.ts";
import { anyOf, near, rulesFor } from "./rule.ts";

/** Status of an answer that came through, or none at all: a page instead of an API then means that the address is wrong. */
function notRefused({ status }: FailureFacts): boolean {
  return status === undefined || status < 400;
}

function isWebPage({ text }: FailureFacts): boolean {
  return /<!doctype|<html|<head|<h1|unexpected token '?<|text\/html|just a moment|have been blocked/i.test(text.slice(0, 8000));
}

/** A page that wants a browser: the bot protection in front of the API. */
function isChallenge({ status, text }: FailureFacts): boolean {
  return (
    (status === 403 || status === 503) &&
    /just a moment|have been blocked|cookies to continue|cf-challenge|attention required/i.test(text.slice(0, 8000))
  );
}

export const configRules = rulesFor("config", [
  {
    id: "config.certificate",
    why: "The certificate is not trusted, or the other side does not speak TLS: somebody has to change the trust store or the address.",
    source: "Node TLS and OpenSSL codes, rustls, Bun, undici",
    codes: [
      "depth_zero_self_signed_cert",
      "self_signed_cert_in_chain",
      "unable_to_verify_leaf_signature",
      "unable_to_get_issuer_cert",
      "unable_to_get_issuer_cert_locally",
      "cert_has_expired",
      "cert_not_yet_valid",
      "cert_untrusted",
      "cert_rejected",
      "cert_revoked",
      "cert_signature_failure",
      "err_tls_cert_altname_invalid",
      "err_ssl_wrong_version_number",
      "err_ssl_tlsv1_alert_protocol_version",
      "err_ssl_sslv3_alert_handshake_failure",
      "err_ssl_packet_length_too_long",
      "err_ssl_unsupported_protocol",
      "hostname_mismatch",
      "eproto",
    ],
    says: anyOf(
      near(
        /certificate|\bcert\b/,
        /not (?:yet )?(?:valid|trusted)|expired|invalid|verif|untrusted|revoked|unknown (?:ca|authority|issuer)/,
      ),
      /does not look like a tls/,
      /tls: (?:failed|bad|unknown|handshake failure)/,
      /self[- ]signed cert/,
      /(?:unable|failed) to (?:verify|get) (?:the )?(?:first |local )?(?:leaf |issuer )?cert/,
      /certificate (?:has expired|verify failed|is not trusted|required|expired|not yet valid|signed by unknown|chain)/,
      /certificate_verify_failed/,
      /x509:/,
      /invalid (?:peer )?certificate/,
      /cert(?:_|\b)(?:signature|has|not_yet|untrusted|chain|verif)/,
      /_cert_/,
      /unable_to_(?:verify|get)/,
      /does not match certificate/,
      /altname/,
      /wrong[ _]version[ _]number/,
      /alert protocol version/,
      /ssl routines/,
      /fatal alert/,
      /unsupported protocol/,
      /unknownissuer/,
      /ssl certificate problem/,
      /ssl_error/,
      /sslv3 alert/,
      /net::err_cert/,
      /sslcertverification|certificateerror/,
      /\bpkix\b|certification path/,
    ),
    when: ({ status }) => status === undefined || status < 520,
    examples: [
      "Connection error.: self-signed certificate in certificate chain (SELF_SIGNED_CERT_IN_CHAIN)",
      "client error (Connect): invalid peer certificate: UnknownIssuer",
    ],
    nearMisses: [
      "Client network socket disconnected before secure TLS connection was established",
      { text: "SSL handshake failed", status: 525 },
    ],
  },
  {
    id: "config.proxy",
    why: "The proxy refuses the connection or wants credentials.",
    source: "undici ProxyAgent, tunnel-agent, curl",
    says: anyOf(
      /proxy (?:response|authentication|returned|connect)[^.]{0,20}\(?(?:407|40[013])?\)?(?: !== 200| required)/,
      /tunneling socket could not be established, statuscode=4\d\d/,
      /proxy[^.]{0,40}(?:407|authentication required)/,
      /proxy connect aborted/,
      /proxy (?:is )?required/,
      /proxyerror\W{1,4}40[0137]\b/,
      /tunnel connection failed: 40[0137]\b/,
    ),
    when: ({ text }) => !/proxy response \(5\d\d\)/i.test(text.slice(0, 4000)),
    examples: [
      "Connection error.: Proxy response (407) !== 200 when HTTP Tunneling (UND_ERR_ABORTED)",
      "tunneling socket could not be established, statusCode=407",
    ],
    nearMisses: ["Connection error.: Proxy response (502) !== 200 when HTTP Tunneling (UND_ERR_ABORTED)"],
  },
  {
    id: "config.address",
    why: "The address is wrong: its scheme, port, path, or what answers there.",
    source: "fetch, node-fetch, Deno and Bun messages; LM Studio, Ollama, Go servers",
    codes: [
      "err_invalid_url",
      "err_unsupported_protocol",
      "err_invalid_protocol",
      "err_fr_too_many_redirects",
      "toomanyredirects",
      "unsupported_protocol",
      "err_invalid_char",
    ],
    says: anyOf(
      /http response to https/,
      /plain http request was sent to https/,
      /redirect count exceeded/,
      /(?:too many|max(?:imum)?(?: number of)?) redirects?/,
      /redirected too many times/,
      /unknown scheme/,
      /(?:bad|invalid) port/,
      /^(?:\w{1,40}: ?)?not found\.?$/,
      /url scheme/,
      /(?:unsupported|invalid|unknown) (?:url|uri|protocol|scheme)\b/,
      /invalid url/,
      /failed to parse url/,
      /only absolute urls/,
      /page not found/,
      /unexpected endpoint/,
      /unknown endpoint/,
      /(?:no such|invalid) route|no route matched/,
      /route not found/,
      /cannot (?:get|post) \//,
      /invalid url \(/,
      /method not allowed/,
      /forgot to add/,
      /bytestring/,
      /(?:invalid|illegal) (?:character in )?header/,
      /region is missing/,
      /circular structure/,
      /serialize a bigint/,
      /consumed stream/,
      /streaming is required/,
      /websocket: invalid status code: 2\d\d/,
      /noapplicationprotocol/,
      /enotfound (?:v\d\w{0,8}|https?|undefined|null|nan|\[object)(?![\w.-])/,
    ),
    examples: [
      "fetch failed: unknown scheme",
      "fetch failed: redirect count exceeded",
      "404 page not found",
      "Invalid URL: 'not a url'",
    ],
    nearMisses: ["fetch failed: getaddrinfo ENOTFOUND api.corp.invalid"],
  },
  {
    id: "config.memory",
    why: "The machine that serves the model has too little memory for it: a smaller model or a larger machine helps, waiting does not.",
    source: "Ollama, llama.cpp, LM Studio",
    says: anyOf(
      /requires more (?:\w{1,12} )?memory/,
      /(?:not enough|insufficient) (?:\w{1,12} )?(?:memory|resources) to (?:load|run|serve)/,
      /insufficient system resources/,
    ),
    examples: ["model requires more system memory (9.7 GiB) than is available (5.6 GiB)"],
    nearMisses: ["CUDA out of memory"],
  },
  {
    id: "config.web-page",
    why: "A web page answered where an API should: a login, a portal or a wrong base URL.",
    source: "Captive portals, access gateways, Cloudflare challenges",
    says: anyOf(
      /<!doctype|<html/,
      /unexpected token (?:'?<|_)/,
      /content-type:? text\/html/,
      /just a moment/,
      /sign in to continue/,
      /you have been blocked/,
    ),
    when: (facts) => isWebPage(facts) && (notRefused(facts) || isChallenge(facts)),
    examples: ["Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON"],
    nearMisses: [{ text: "<html><body>502 Bad Gateway</body></html>", status: 502 }],
  },
]);
