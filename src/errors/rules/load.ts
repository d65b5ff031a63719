import { rulesFor } from "./rule.ts";

export const overloadRules = rulesFor("overloaded", [
  {
    id: "overload.wording",
    why: "There is no capacity just now; it comes back.",
    source: "Anthropic, OpenAI, Google, Mistral, Moonshot, one-api, HTTP/2 ENHANCE_YOUR_CALM",
    says: /overload|(?:at|over|no|insufficient|out of|exceeded|limited|lack of|not enough|reached) (?:\w{1,12} )?capacity|capacity (?:exceeded|exhausted|reached|constraints?|is limited|limit|unavailable|error)|(?:high|heavy|unusual|peak|increased) (?:demand|load|traffic)|(?:server|service|system|model|engine|inference)[^.]{0,20} (?:is )?(?:currently |too |very |temporarily )?(?:busy|unavailable due to)|temporarily (?:unavailable|at capacity|out of|overwhelmed)|(?:too|very) busy|enhance_your_calm|all (?:\w{1,12} )?(?:servers|workers|slots|instances|backends) (?:are )?busy|queue (?:is )?full|负载|过载|繁忙|饱和|拥挤/,
    when: ({ text }) => !/billing backend/.test(text.slice(0, 200)),
    examples: ["Overloaded", "This model is currently experiencing high demand.", "No capacity available for model gemini-x on the server", "当前分组上游负载已饱和，请稍后再试"],
    nearMisses: ["You exceeded your current quota", "Service Unavailable"],
  },
]);

export const throttleRules = rulesFor("rate_limited", [
  {
    id: "rate.wording",
    why: "The provider asks to slow down; the same request passes later.",
    source: "OpenAI, Anthropic, AWS, Google, OpenRouter, Azure",
    says: /rate[ _-]?limit|rate exceeded|too many requests|throttl|slow(?:ing)? down|limiting requests|(?:request|call)s? (?:limit|quota) (?:has been )?(?:exceeded|reached)|(?:exceeded|reached|over) (?:your |the |its )?(?:\w{1,12} ){0,2}(?:request|max request|token|rpm|tpm|call)s? (?:limit|rate|quota|usage)|reached max request|requests? too (?:frequent|fast|often)|too (?:frequent|fast)\b|quota exceeded|resource (?:has been )?exhausted|resource_exhausted|retry delay|try again in \d|please wait (?:before|a moment|and)|请求(?:过于|太)(?:频繁|多|快)|频率|限流|rate-limited|demasiadas solicitudes|trop de requêtes|zu viele anfragen/,
    when: ({ status, codes }) => status !== 400 || !codes.includes("invalid_request_error"),
    examples: ["Rate limit reached for gpt-x in organization org-x", "ThrottlingException: Too many requests, please wait before trying again.", "Server requested 120s retry delay (max: 60s)."],
    nearMisses: ["Your credit balance is too low", '400 {"error":{"type":"invalid_request_error","message":"unknown field rate_limit"}}'],
  },
]);

export const serverRules = rulesFor("server_error", [
  {
    id: "server.wording",
    why: "The provider failed on its side; the same request usually passes later.",
    source: "OpenAI, Anthropic, Bedrock, Ollama, nginx, Envoy, Cloudflare",
    says: /internal[ _]?(?:server[ _]?)?(?:error|failure)|(?:server|service) (?:had|encountered|experienced) an? (?:\w{1,12} )?error|error occurred while processing|an? (?:unexpected|unknown|internal|error) (?:error|server error|exception)|unexpected error (?:occurred|while)|unable to process your request|model runner has|runner process|error was encountered while running the model|bad gateway|service[ _]?unavailable|no healthy upstream|backend (?:is )?(?:temporarily )?(?:unavailable|error|failed)|temporarily unavailable|upstream (?:request )?(?:error|failed|failure|service)|上游请求失败|转发失败|internal exception|you can retry your request|try your request again|serviceunavailable|cannot use 'in' operator|response with no body|failed to parse json: unexpected end|currently (?:unavailable|down|offline)|under maintenance|服务(?:器)?(?:内部)?(?:错误|异常|不可用)|system error|(?:model|server|worker|engine|process) (?:has )?(?:crashed|died|stopped unexpectedly)|cuda (?:error|out of memory)|out of memory/,
    when: ({ status }) => status !== 501 && (status === undefined || status < 300 || status >= 400),
    examples: ["The server had an error while processing your request. Sorry about that!", "503 billing backend temporarily unavailable", "Bedrock is unable to process your request."],
    nearMisses: ["streaming is not implemented"],
  },
]);
