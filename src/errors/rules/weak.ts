import { anyOf, near, rulesFor } from "./rule.ts";
import type { Rule } from "./rule.ts";

const COMMON = "Words that the wordings of this kind have in common";
const NO_CODES = /^(?:Type|Reference|Range)Error$/;

/**
 * Pairs of a subject and its trouble, for wordings nobody has listed. Tried when no code and no listed wording has decided, and
 * before the status: by then the text is no report on the caller's input.
 */
export const weakRefusalRules: readonly Rule[] = [
  ...rulesFor("quota_exhausted", [
    {
      id: "quota.pair",
      why: "A limit that somebody has to raise, or that ends on a date, is reached.",
      source: COMMON,
      says: anyOf(
        near(/\blimit/, /\bresets?\b|upgrade|subscri|billing/),
        near(
          /spend|budget|\bplan\b|credits?\b|\bquota|allowance|prepaid|billing|payment|subscription/,
          /reached|exceed|exhaust|used|maximum|declined|expired|insufficient|overdue|past due|no longer|required/,
        ),
      ),
      status: [400, 401, 402, 403, 429],
      examples: [{ text: "You have reached the maximum spend for this period", status: 429 }],
      nearMisses: [{ text: "slow down", status: 429 }],
    },
    {
      id: "quota.pair-bare",
      why: "A limit that ends on a date is reached.",
      source: COMMON,
      says: near(/\blimits?\b/, /\bresets?\b|upgrade|subscri/),
      when: ({ status }) => status === undefined,
      examples: ["Limit reached · resets Mar 3 at 5am"],
      nearMisses: ["Limit reached"],
    },
  ]),
  ...rulesFor("context_overflow", [
    {
      id: "overflow.pair",
      why: "The input is told to be more than something allows, in tokens or in size.",
      source: COMMON,
      says: anyOf(
        near(
          /\b(?:input|total|prompt|context|requested|request) ?(?:\d{3,9} )?tokens?\b|tokens? (?:of|in) (?:the )?(?:input|prompt|messages?|request)/,
          /exceed|too many|more than|larger|greater|over the|only supports|maximum|limit/,
          60,
        ),
        near(/(?:request|payload|body|upload) (?:size|length)/, /exceed|too|limit|maximum/),
        near(/\d{3,9} tokens/, /only supports|exceed|at most|maximum of/, 60),
      ),
      status: [400, 413, 422, 500],
      examples: [
        { text: "requested 200000 tokens but the model only supports 128000", status: 400 },
        { text: "Request size limit exceeded: 32MB", status: 400 },
      ],
      nearMisses: [{ text: "Requests per minute exceeded", status: 429 }],
    },
  ]),
  ...rulesFor("content_policy", [
    {
      id: "content.pair",
      why: "The content was refused for what it is.",
      source: COMMON,
      says: anyOf(
        /harmful|unsafe|\bnsfw\b|offensive|violence|hate speech|self-harm/,
        near(
          /polic(?:y|ies)|safety|guidelines|moderation/,
          /refus|reject|block|violat|stop|denied|flag|disallow|not allowed|filter/,
        ),
      ),
      status: [400, 403, 422, 451],
      examples: [{ text: "Potentially harmful content detected", status: 400 }],
      nearMisses: [{ text: "Bad Request", status: 400 }],
    },
    {
      id: "content.pair-bare",
      why: "The content was refused for what it is.",
      source: COMMON,
      says: near(/polic(?:y|ies)|\bsafety\b|moderation/, /refus|reject|block|violat|stop|denied|flag|filter/),
      when: ({ status }) => status === undefined || status < 300,
      examples: ["Generation stopped: SAFETY"],
      nearMisses: ["Generation stopped"],
    },
  ]),
  ...rulesFor("model_not_found", [
    {
      id: "model.pair",
      why: "A model or deployment is told not to be there, or to be there no longer.",
      source: COMMON,
      says: near(
        /\b(?:models?|deployment|engine|inference profile)\b/,
        /\bnot?\b|n't\b|unknown|invalid|removed|sunset|retired|deprecat|end of life|no longer|unavailable|unsupported/,
        60,
      ),
      status: [400, 404, 410, 422],
      when: ({ text }) => !/\bsupport \S|tokens/i.test(text.slice(0, 2000)),
      examples: [
        { text: "The deployment foo does not exist", status: 404 },
        { text: "Model foo was removed", status: 410 },
      ],
      nearMisses: [{ text: "404 page not found", status: 404 }],
    },
  ]),
  ...rulesFor("auth", [
    {
      id: "auth.pair",
      why: "A credential is told to be missing or of no use.",
      source: COMMON,
      says: near(
        /api[- _]?keys?\b|credentials?|access key|\blog ?in\b|sign[- ]?in|password|oauth|\bauth(?:entication|orization)?\b/,
        /\bnot?\b|n't\b|unable|missing|invalid|fail|denied|required|expired|wrong|\bset [a-z_]{3,40}\b|refus|revoked|find/,
      ),
      when: ({ status }) => status === undefined || status === 400 || status === 401 || status === 403,
      examples: ["Could not find API key. Set GEMINI_API_KEY"],
      nearMisses: ["The requested model is temporarily at capacity upstream. This is not your API key's rate limit"],
    },
  ]),
  ...rulesFor("config", [
    {
      id: "config.pair",
      why: "An address, a certificate or what answers is told to be wrong.",
      source: COMMON,
      says: anyOf(
        near(
          /\b(?:base )?ur[li]\b|endpoint|hostname|certificate|\btls\b|\bssl\b|scheme/,
          /invalid|mismatch|wrong|unsupported|malformed|not (?:found|supported)|unknown|bad\b/,
        ),
        near(/\bhtml\b/, /got|received|instead|unexpected|json/),
      ),
      when: ({ status }) => status === undefined || status < 400 || status === 404,
      examples: ["hostname mismatch in certificate", "Expected JSON but got HTML"],
      nearMisses: ["TLS handshake eof"],
    },
  ]),
];

/** The same for what passes by itself. */
export const weakTransportRules: readonly Rule[] = [
  ...rulesFor("timeout", [
    {
      id: "timeout.pair",
      why: "Somebody is told to have waited too long.",
      source: COMMON,
      says: near(
        /wait(?:ing|ed)?\b|respon[ds]|request|answer|reply/,
        /too long|too slow|expired|gave up|within \d|stalled|no activity/,
      ),
      when: ({ status }) => status === undefined || status >= 500,
      examples: ["gave up waiting for the answer"],
      nearMisses: ["The answer is wrong"],
    },
  ]),
  ...rulesFor("stream_interrupted", [
    {
      id: "stream.pair",
      why: "A stream is told to have broken.",
      source: COMMON,
      says: near(
        /\b(?:stream(?:ing)?|sse|websocket|chunks?|event)\b/,
        /error|closed|ended|drop|incomplete|terminat|interrupt|broke|invalid|fail|reset|lost|abort|truncat|cancel|corrupt|unhandled|unexpected|malformed/,
      ),
      when: ({ status }) => status === undefined || status < 300,
      examples: ["Error in input stream", "The stream was terminated before it was complete"],
      nearMisses: ["The streaming API is new"],
    },
  ]),
  ...rulesFor("network", [
    {
      id: "network.pair",
      why: "A connection is told to have failed.",
      source: COMMON,
      says: near(
        /\b(?:connection|connect|socket|network|host|dns|tcp|internet|proxy|peer|provider|upstream)\b/,
        /closed|lost|down\b|fail|refus|reset|unreach|drop|error|abort|broken|cannot|unable|disconnect|unavailable/,
      ),
      when: ({ status }) => status === undefined || status < 300,
      examples: ["server closed the connection", "Network is down"],
      nearMisses: ["The network is named corp"],
    },
  ]),
  ...rulesFor("server_error", [
    {
      id: "server.pair",
      why: "The other side is told to have failed.",
      source: COMMON,
      says: near(
        /\b(?:server|backend|upstream|gateway|inference|service|internal|api)\b/,
        /\berror|fail|unexpected condition|exception|problem|unavailable|crash|\bdown\b|went wrong/,
      ),
      when: ({ status, name }) => (status === undefined || status < 300) && !NO_CODES.test(name),
      examples: ["An error occurred on the server", "The server encountered an unexpected condition"],
      nearMisses: ["Something went wrong"],
    },
  ]),
];
