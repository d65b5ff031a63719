import { rulesFor } from "./rule.ts";

/** Throttles that name a window of seconds or minutes: judged before quotas, whose words they share. */
export const shortThrottleRules = rulesFor("rate_limited", [
  {
    id: "rate.short-window",
    why: "The limit is one per minute or second: it refills while we wait.",
    source: "Rulebook 2; OpenAI TPM and RPM, Cerebras, Azure, Vertex quota names",
    says: /(?:tokens?|requests?|messages?|images?|input tokens|output tokens|limit)[ _-](?:per|\/|a)[ _-]?(?:min|sec)|per[ _-](?:minute|second)\b|\b(?:tpm|rpm|rps|itpm|otpm)\b(?![^.]{0,40}per day)|too many tokens,? (?:please )?wait|limit: \d{1,9} ?\/ ?(?:1)?(?:min|sec)|requests? in (?:the last |a )?(?:minute|second)|concurren(?:t|cy) (?:\w{1,20} ){0,4}(?:limit|exceed|too|reduce)|(?:reduce|high|too many|number of|maximum|max) concurren|并发|(?:每分钟|每秒)/,
    when: ({ text }) => !/per[ _-](?:day|week|month)|\bdaily\b|\b[rt]pd\b|5[ -]?hour|insufficient|balance/i.test(text.slice(0, 4000)),
    examples: ["Number of request tokens has exceeded your per-minute rate limit", "8 RESOURCE_EXHAUSTED: Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model", "Too many tokens, please wait before trying again."],
    nearMisses: ["Rate limit exceeded: free-models-per-day", "insufficient balance"],
  },
]);

export const quotaRules = rulesFor("quota_exhausted", [
  {
    id: "quota.wording",
    why: "Balance, credit, budget or a plan's window is used up: somebody has to pay, or hours have to pass.",
    source: "OpenAI, Anthropic, Google, OpenRouter, Codex, Claude, MiniMax, z.ai, one-api, Vercel",
    says: /insufficient[ _-](?:\w{1,12}[ _-])?(?:quota|balance|credits?|funds|account)|(?:not enough|no|low on|lack of|lacking|zero) (?:\w{1,12} )?(?:credits?|balance|funds|quota)|(?:credit|account|available|wallet|your)? ?balance (?:is |was |has )?(?:too low|insufficient|not enough|depleted|exhausted|negative|below|empty|run out)|exceeded (?:your|the|its|their) (?:current |assigned |allocated |available )?quota|(?:out of|run out of|ran out of|no more|used up|used all|consumed all|exhausted)[^.]{0,30}\b(?:credits?|budget|usage|quota|balance|codex messages|messages|funds|tokens for|free)|(?:usage|session|spend(?:ing)?|monthly|weekly|daily|hourly|5[ -]?hour|plan|budget|credit|billing(?: hard)?|cost|subscription|trial|prompt|message|account)(?: usage| spend(?:ing)?| token| request| hard)?(?: limit| cap| quota| allowance| budget| limits| credits?)s?[^.]{0,20} (?:has been |have been |was |is |been )?(?:reached|exceeded|hit|exhausted|used|depleted)|(?:hit|reached|exceeded|exhausted|over|used)(?: all)? (?:of )?(?:your|the|its|this|their|a)(?:'s)? (?:\w{1,20} ){0,3}(?:usage|session|weekly|monthly|daily|spend\w{0,4}|plan|credit|budget|5[ -]?hour|message|subscription|free|included|premium)(?: \w{1,12})?(?: \w{1,12})? ?(?:limits?|cap|quota|allowance|requests)|hit your (?:\w{1,12} )?limit\b|(?:usage|budget|quota|credit|spend\w{0,4}) limit (?:has been )?(?:exceeded|reached)|budget (?:has been )?exceed|exceed\w{0,3} (?:\w{1,12} )?budget|usage limit exceeded|(?:tokens|requests|models|limit|quota|calls|messages)[ _-]per[ _-](?:day|week|month)|\b(?:rpd|tpd)\b|per day\b|daily (?:limit|quota|cap|request|token|free)|requires more credits|can only afford|(?:add|buy|purchase|need|get|top up)[^.]{0,24}\b(?:more )?credits\b|never purchased|free[- ](?:usage|tier|quota|credits?|trial|plan|models?)[^.]{0,60}(?:exceed|exhaust|reached|used|limit|expired|restricted|ended|only)|payment[ _]required|(?:please |must |to )(?:recharge|top[ -]?up|pay)\b|billing (?:hard )?limit|check your plan and billing|update your (?:billing|payment)|(?:no|without|missing|add a|valid) (?:active )?(?:payment method|billing|subscription)(?: method)? (?:to use|is|on file|required|found)|billing (?:is )?not (?:active|enabled)|account is not active|(?:arrears|overdue|unpaid|past due|delinquent)|quota (?:has been |is |was |have been )?(?:all )?(?:exhausted|exceeded|used up|depleted|not enough|insufficient|reached|limit reached)|quota is not enough|need quota|(?:pre-consumed?|user) quota|subscription (?:has )?(?:expired|ended|inactive|required|plan does)|(?:plan|subscription) (?:does not|doesn't) include|upgrade (?:your plan|to (?:pro|plus|max|a paid|paid))|draw from your extra usage|extra usage (?:is )?(?:required|needed|not)|resource package|余额|欠费|额度|充值|配额[^。]{0,6}(?:不足|用尽|耗尽|超)|套餐|(?:solde|saldo|guthaben)[^.]{0,20}(?:insuff|insufic|nicht|zu)|limite d'utilisation|límite de uso/,
    examples: ["Your credit balance is too low to access the Anthropic API.", "You've hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes.", "Free usage exceeded, subscribe to Go", "out of budget", "用户额度不足"],
    nearMisses: ["Rate limit reached for gpt-x on requests per min. Limit: 3 / min. Please try again in 20s.", "Server is temporarily limiting requests (not your usage limit)", "503 billing backend temporarily unavailable"],
  },
]);

export const authRules = rulesFor("auth", [
  {
    id: "auth.wording",
    why: "The credential is missing, expired, refused, or not allowed to do this, here.",
    source: "OpenAI, Anthropic, Google, AWS, Copilot, Codex, MCP gateways",
    says: /(?:invalid|incorrect|missing|no|expired|revoked|wrong|bad|unknown|malformed|disabled|inactive|unauthorized|provide an?|your) (?:\w{1,12} )?(?:x-)?api[- _]?key\b(?![^.]{0,30}(?:rate|limit))|api[- _]?key[^.]{0,40}(?:invalid|not valid|expired|missing|required|incorrect|not found|disabled|revoked|does not|doesn't|not have|not provided|is not set|must be)|(?:invalid|missing|expired|bad) (?:bearer |access |auth(?:entication|orization)? |id |oauth |session |refresh |security )?(?:token|credentials?|jwt|signature|authorization)|(?:token|credentials?|session|login|sso|certificate for auth|key)[^.]{0,40} (?:has |have |is |was |been )?(?:been )?(?:expired|invalidated|revoked|not valid)|security token included in the request is|authenticat(?:ion|e|ed|ing)[^.]{0,30}(?:fail|error|required|invalid|missing|denied|expired|method|token)|fail\w{0,3} to authenticate|could not (?:resolve|load|find|get) (?:the )?(?:authentication|credentials)|(?:missing|no|load|default|invalid|provide) (?:\w{1,12} )?credentials|not (?:logged|signed) in|(?:please )?(?:log|sign)(?:ging)? ?in again|(?:please )?(?:log in|sign in|re-?login|re-?authenticate)\b|re-?auth\b|login (?:expired|failed|required)|unauthori[sz]ed|access (?:is )?denied|permission[ _]?(?:denied|error)|(?:not|isn't|aren't) (?:authori[sz]ed|permitted|entitled|allowed) (?:to|for)|(?:do|does)(?: not|n't) have (?:the )?(?:\w{1,20} ){0,2}(?:permission|access|rights|scope)|(?:insufficient|missing|lacks?|required) (?:\w{1,20} ){0,2}(?:permissions?|scopes?|privileges?)|refresh[ _]token|invalid_grant|getting metadata from plugin failed|forbidden\b|request not allowed|blocked by upstream|(?:country|region|territory|location)[^.]{0,30}(?:not supported|unsupported|not available|not allowed|restricted)|(?:not (?:supported|available)|unavailable)[^.]{0,20} in your (?:country|region|location|area)|user location is not supported|ip (?:address )?(?:is )?(?:not (?:allowed|authorized|whitelisted)|blocked)|account (?:has been |is |was )?(?:suspended|disabled|deactivated|banned|terminated|blocked|locked)|organization (?:has been |is )?(?:disabled|suspended|deactivated)|认证|鉴权|授权(?:已)?(?:失效|过期|失败)|(?:令牌|密钥|token)[^。]{0,8}(?:无效|过期|失效|错误|不存在)|无效的(?:令牌|密钥|api)|未(?:登录|授权)|无权|没有权限|请重新登录/,
    examples: ["invalid x-api-key", "OAuth token has expired. Please obtain a new token or refresh your existing token.", "login expired", "login failed", "re-auth", "16 UNAUTHENTICATED: Request had invalid authentication credentials."],
    nearMisses: ["The requested model is temporarily at capacity upstream. This is not your API key's rate limit", "The model `gpt-x` does not exist or you do not have access to it."],
  },
  {
    id: "auth.websocket",
    why: "The handshake was refused with 401 or 403.",
    source: "WebSocket clients of Node, Deno and Rust",
    says: /websocket[^.]{0,60}(?:status code|http|response|unexpected server response):? (?:40[13])\b/,
    examples: ["NetworkError: failed to connect to WebSocket: Invalid status code: 401"],
    nearMisses: ["NetworkError: failed to connect to WebSocket: tcp connect error"],
  },
]);

export const modelRules = rulesFor("model_not_found", [
  {
    id: "model.wording",
    why: "The provider does not know the model, or has switched it off.",
    source: "OpenAI, Anthropic, Google, Bedrock, Ollama, gateways",
    says: /\bmodels?\b[^.\n]{0,120}?(?:does not exist|doesn't exist|not exist|(?:was |is |be |could be )?not found|is not (?:available|supported|enabled|deployed|a valid model|loaded|recognized|accessible)|isn't (?:available|supported|enabled)|no longer (?:available|supported)|(?:has been |is |was )?(?:deprecated|retired|decommissioned|discontinued|shut down|switched off|disabled)|is unknown|not supported)|(?:no such|unknown|invalid|unsupported|unrecognized|could not find(?: the)?|cannot find(?: the)?|missing) (?:\w{1,12} )?model\b(?!\s?(?:response|output|stream|name is))|model[ _]?(?:id|name)? (?:_ )?(?:is )?(?:invalid|unknown|incorrect)|not a valid model|(?:invocation of model id|with on-demand throughput)|publisher model|^(?:\d{3} )?model: [\w.:@/-]{2,80}\s*$|\nmodel: [\w.:@/-]{2,80}\s*(?:\n|$)|try pulling it first|deployment (?:for this resource )?does not exist|no (?:allowed )?(?:providers?|endpoints?|channels?|distributor|deployments?) (?:are )?(?:available )?(?:found )?(?:for|available for) (?:the |this |model)|模型[^。]{0,20}(?:不存在|未找到|不支持|已下线)|无可用渠道/,
    when: ({ text }) => !/no capacity|overloaded|temporarily|at capacity|experiencing|try again later|loading/i.test(text.slice(0, 4000)),
    examples: ["The model `gpt-9` does not exist or you do not have access to it.", "404 model: claude-nope", 'model "llama9" not found, try pulling it first', "404 Model Not Found"],
    nearMisses: ["No capacity available for model gemini-x on the server", "model is temporarily unavailable", "This model's maximum context length is 128000 tokens."],
  },
]);
