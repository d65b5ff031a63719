import { isValidationReport } from "../echo.ts";
import type { FailureFacts } from "../types.ts";
import { anyOf, near, rulesFor } from "./rule.ts";

/** Input and output together are over the window, and the input alone is less than half of it. */
function outputFillsWindow({ tokens }: FailureFacts): boolean {
  if (tokens?.window === undefined || tokens.input === undefined || tokens.maxOutput === undefined) return false;
  return tokens.input + tokens.maxOutput >= tokens.window && tokens.input < tokens.window / 2;
}

/** Faults of the program itself, which speak the language of transports in passing. */
export const programRules = rulesFor("unknown", [
  {
    id: "unknown.program",
    why: "A fault of the program, not of the call: repeating it changes nothing.",
    source: "Wordings of V8's TypeError and ReferenceError",
    says: anyOf(
      /\b(?:enoent|eacces|eperm|enospc|eisdir|enotdir|emfile|erofs)\b/,
      /cannot destructure/,
      /command not found/,
      /cannot (?:read|set) propert(?:y|ies) of/,
      /is not a (?:function|constructor)\b/,
      /cannot access '?\w{1,60}'? before initialization/,
      /session file is corrupted/,
      /maximum call stack size/,
      /referenceerror: \w{1,60} is not defined/,
      /assignment to constant/,
    ),
    when: ({ status }) => status === undefined,
    examples: [
      "TypeError: Cannot read properties of undefined (reading 'timeout')",
      "TypeError: client.stream is not a function",
    ],
    nearMisses: ["TypeError: fetch failed"],
  },
]);

/** What asks for more output than there is: judged before overflow, whose words it shares. */
export const outputRules = rulesFor("output_limit", [
  {
    id: "output.fills-window",
    why: "Input and output limit together are over the window, and the input is under half of it: the output limit is at fault.",
    source: "Rulebook 5",
    says: anyOf(/context/, /max_new_tokens/, /max_tokens/, /window/),
    when: outputFillsWindow,
    examples: [
      "This model's maximum context length is 8192 tokens. However, you requested 8192 tokens (58 in the messages, 8134 in the completion). Please reduce the length",
    ],
    nearMisses: [
      "This model's maximum context length is 4096 tokens. However, you requested 4118 tokens (3118 in the messages, 1000 in the completion).",
    ],
  },
]);

/** Refused output limits, in words. */
export const outputWordingRules = rulesFor("output_limit", [
  {
    id: "output.wording",
    why: "The output limit asked for is above what the model gives, or the answer reached it.",
    source: "OpenAI, Anthropic, DeepSeek, Bedrock: max_tokens refused",
    codes: ["max_output_tokens"],
    says: anyOf(
      near(
        /max_(?:\w{1,12}_)?tokens/,
        /above|larger than|greater than (?:the )?(?:max|limit|\d)|exceed\w{0,3} the|maximum value|not valid|too (?:large|high|big)/,
        60,
      ),
      /(?:reached|exceeded|hit) the (?:model's )?(?:maximum )?output (?:token|limit)/,
      /max_(?:\w{1,12}_)?(?:tokens|len)(?: value)? must be (?!greater|at least|>|larger|more)/,
      /max_(?:\w{1,12}_)?tokens[^.]{0,30}(?:too (?:large|high|big)|exceeds? the (?:limit|max))/,
      /max_?output_?tokens (?:value|of|must|is|exceed|limit|out)/,
      /output token maximum/,
      /(?:invalid|unsupported) max_(?:\w{1,12}_)?tokens/,
      /max_(?:completion_|output_)?tokens(?: value)?(?: is|:)? (?:too (?:large|high|big)|\d{1,9} >|must be (?:less|at most|<|between)|out of range|cannot (?:exceed|be greater)|exceeds? (?!context))/,
      /range of max_(?:\w{1,12}_)?tokens/,
      /maximum tokens you requested exceeds? the model limit/,
      /maximum (?:allowed )?number of output tokens/,
      /supports at most \d{1,9} (?:completion|output) tokens/,
      /\d{1,9} is not less or equal to \d{1,9}/,
      /max(?:imum)?[_ ]output[_ ]tokens (?:must|is|exceed|limit)/,
      /max_output_tokens/,
      /(?:stop_reason|finish_reason|finishreason)\W{1,4}(?:max_tokens|length)\b/,
      /response incomplete: max_output/,
      /(?:output|completion|generation) (?:token )?(?:limit|length|maximum) (?:was |has been |is )?(?:exceeded|reached)/,
      /(?:exceeded|reached) the (?:\d{1,9} )?output token (?:maximum|limit)/,
      /output (?:was |is )?truncated due to max/,
    ),
    when: ({ status }) => status !== 402,
    examples: [
      "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
      "max_tokens is too large: 128000. This model supports at most 16384 completion tokens",
      "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-x",
    ],
    nearMisses: [
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
      { text: "This request requires more credits, or fewer max_tokens.", status: 402 },
    ],
  },
]);

/** Reports on the caller's own input: what they echo is not heard. */
export const validationRules = rulesFor("invalid_request", [
  {
    id: "request.validation",
    why: "The provider reports that a part of the request is invalid; words inside what it quotes decide nothing.",
    source: "Rulebook 7",
    says: /./,
    when: (_facts, text) => isValidationReport(text),
    examples: [
      "400 Invalid value: 'rate limit exceeded'. Supported values are: 'a' and 'b'.",
      '422 {"detail":[{"loc":["body","x"],"msg":"Input should be a valid string","type":"string_type","input":{"timeout":503}}]}',
    ],
    nearMisses: ["Rate limit reached for gpt-x", "fetch failed"],
  },
]);

export const contentRules = rulesFor("content_policy", [
  {
    id: "content.wording",
    why: "The provider's moderation refused the content; the same request is refused again.",
    source: "OpenAI, Anthropic, Azure, Google, DashScope, DeepSeek refusals",
    says: anyOf(
      near(/content|prompt|request|response|output/, /(?:is|was|were|been) (?:blocked|flagged|filtered|rejected by)/),
      /cyber(?:security)? risk/,
      /recitation/,
      /(?:safety|moderation) (?:system|check|filter|filters|settings|reasons)/,
      /violates? (?:\w{1,12} ){0,2}(?:usage|community|content) (?:guidelines|polic)/,
      /content (?:management )?polic/,
      /content[ _-]?(?:filter|moderation)/,
      /(?:violat\w{1,5}|against|flagged)[^.]{0,60}(?:polic|terms|guideline|safety)/,
      /(?:usage|safety|acceptable use) polic(?:y|ies)\b[^.]{0,40}violat/,
      /flagged (?:as|by|for)/,
      /(?:was|were|been|response|prompt|candidate|output|input|request)[^.]{0,20} blocked[^.]{0,20}(?:safety|by (?:content|safety|moderation)|recitation|due to|prohibited)/,
      /blocked: candidate/,
      /finish ?reason\W{0,3}\s?safety/,
      /prohibited[_ ]content/,
      /inappropriate content/,
      /content exists risk/,
      /data ?inspection/,
      /moderation (?:refused|blocked|failed|rejected)/,
      /(?:stop_reason|finish_reason)\W{1,4}(?:refusal|content_filter|safety|sensitive)/,
      /response incomplete: content_filter/,
      /sensitive (?:content|words?|information)/,
      /(?:input|output|content|prompt|text)(?: is| was| contains)? (?:new_)?sensitive\b/,
      /(?:敏感|违规|不安全|不当|违反)[^。]{0,12}(?:内容|词|信息|政策|规定)/,
      /内容(?:安全|审核)/,
      /refus(?:ed|al) (?:to (?:answer|respond)|by the model)/,
    ),
    when: ({ codes }) => !codes.includes("billing_error"),
    examples: [
      "Output blocked by content filtering policy",
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
      "Content Exists Risk",
    ],
    nearMisses: ["HTTP 401: Request blocked by upstream provider", "Please read our usage policy before you try again in 5s"],
  },
]);

/** Images and files: judged before overflow, whose words they share. */
export const mediaRules = rulesFor("invalid_request", [
  {
    id: "request.image",
    why: "An image or file in the request is not one the provider takes.",
    source: "Anthropic, OpenAI, Google, Volcengine: image refusals",
    says: anyOf(
      /(?:not a |in)valid (?:base64 )?image/,
      /image (?:data|url|format|file|type|media) (?:is|are|was|cannot|could)\b/,
      /image (?:exceeds|too large|is too large|dimension)/,
      /image dimensions?/,
      /(?:could not|unable to|failed to|cannot) (?:process|decode|download|read|load|fetch) (?:the )?(?:input )?(?:image|file|pdf|document)/,
      /unsupported (?:image|file|media)/,
      /does not support (?:image|file|pdf|audio|video)/,
      /(?:image|pdf|file) (?:input )?is not supported/,
      /too many (?:images|tools|pages)/,
    ),
    examples: ["not a valid image", "Invalid image data", "the image data is not base64", "Could not process image"],
    nearMisses: ["request entity too large"],
  },
]);

export const requestRules = rulesFor("invalid_request", [
  {
    id: "request.conversation",
    why: "The order or shape of messages, tools or thinking blocks in the request is refused.",
    source: "Anthropic, OpenAI, Google, Mistral message rules",
    says: anyOf(
      /no (?:endpoints?|providers?) (?:found )?that support/,
      /tool_use\W{0,3} (?:ids?|blocks?)/,
      /tool_result/,
      /tool_call_id/,
      /tool calls?\b[^.]{0,60}(?:must|without|missing|follow)/,
      /function (?:call|response)[^.]{0,40}(?:missing|parts|turn|equal)/,
      /thought_signature/,
      /invalid (?:_|signature) in thinking/,
      /signature[^.]{0,20}in thinking/,
      /thinking\W{1,3} (?:or|is enabled|blocks?)/,
      /reasoning_content is missing/,
      /(?:without|missing) its required following item/,
      /unexpected role/,
      /expected last role/,
      /roles must alternate/,
      /text content blocks must/,
      /must (?:be|contain) non-(?:empty|whitespace)/,
      /non-empty content/,
      /is not an array\b/,
      /no low surrogate/,
      /invalid (?:utf|unicode|surrogate)/,
      /jinja/,
      /chat template/,
      /template error/,
      /raise_exception/,
      /cannot subscript/,
      /unable to generate parser/,
      /attempting to parse an empty input/,
      /malformed input request/,
      /(?<!in the )(?:proto|request|body|payload) is (?:invalid|malformed|not valid)/,
      /not valid json:/,
      /json: cannot unmarshal/,
      /function_declarations/,
      /input_schema/,
      /json schema/,
      /invalid schema/,
      /invalid tool/,
      /tools?\.\d/,
      /messages?[.[]\d/,
      /contents?[.[]\d/,
      /input\[\d/,
      /request body is not/,
      /is not supported (?:with|for|by) this model/,
      /(?:does not|doesn't|not) support (?:tools?|function|thinking|reasoning|streaming|system|the parameter)/,
      /unsupported (?:parameter|value|role|type|operation)/,
      /deprecated for this model/,
      /not implemented/,
      /unknown method/,
      /(?:response|item|message|file|conversation)s? with id\b[^.]{0,80} not found/,
      /items? (?:is|are) not persisted/,
      /string too long/,
      /array too long/,
      /number of tools/,
      /^bad request\b/,
    ),
    examples: [
      "messages.4: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01",
      "Unexpected role 'user' after role 'tool'",
      { text: "Error rendering prompt with jinja template: no user query", status: 500 },
    ],
    nearMisses: ["prompt is too long: 205351 tokens > 200000 maximum"],
  },
]);

/** The weakest words of a refusal, tried last: by then nothing speaks for a throttle, a transport or a failure of the server. */
export const refusalRules = rulesFor("invalid_request", [
  {
    id: "request.refusal",
    why: "The provider says what the request must or may not hold.",
    source: "Common wording of validation messages",
    says: anyOf(
      /\bmust (?:end|start|begin|be|have|contain|not|include|provide|follow|alternate|come|precede|match|also)\b/,
      /\b(?:may|can) (?:only|not) be\b/,
      /\bcannot be\b/,
      /\b(?:is|are) (?:required|missing|invalid|illegal|not specified|not present|not provided|not supported|not allowed|not permitted|unsupported|malformed|mandatory)\b/,
      /\b(?:does not|doesn't|do not|cannot) (?:support|accept|allow|match)\b/,
      /\bat least one\b/,
      /\bmaximum of \d{1,6}\b/,
      /\bno tool (?:call|output|result|use)/,
      /\b(?:exceeds?|over) the (?:limit|maximum)/,
      /\bfailed validation\b/,
      /\bprevious response\b/,
      /\bbad request\b/,
      /\binvalid\b/,
    ),
    when: ({ status, name }) =>
      (status === undefined || (status >= 400 && status < 500)) && !/^(?:Type|Reference|Range)Error$/.test(name),
    examples: [
      "`temperature` may only be set to 1 when thinking is enabled.",
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    nearMisses: ["Something went wrong"],
  },
]);
