import { isValidationReport } from "../echo.ts";
import type { FailureFacts } from "../types.ts";
import { anyOf, near, rulesFor } from "./rule.ts";

/** One request asks for more than a whole minute allows: no wait helps, a smaller request does. */
function requestOverLimit({ tokens }: FailureFacts): boolean {
  return tokens?.requested !== undefined && tokens.limit !== undefined && tokens.requested > tokens.limit;
}

/** Judged before throttles, whose words they share, and before reports on the input. */
export const certainOverflowRules = rulesFor("context_overflow", [
  {
    id: "overflow.numbers",
    why: "The error states the window and a request that is larger.",
    source: "Token numbers of OpenAI, Anthropic, vLLM, llama.cpp",
    says: /context|tokens?\b|prompt|window/,
    when: ({ tokens, status }, text) =>
      status !== 429 &&
      tokens?.window !== undefined &&
      (tokens.requested ?? 0) > tokens.window &&
      // A report on the input may echo a whole such sentence; "Invalid request:" alone only introduces one.
      !isValidationReport(text.replace(/^(?:\d{3} )?invalid request: /, "")),
    examples: [
      "prompt is too long: 205351 tokens > 200000 maximum",
      "Requested tokens (2285) exceed context window of 2048",
      "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)",
    ],
    nearMisses: [
      "Requested 385 tokens, window 2048",
      "Unrecognized request argument supplied: prompt is too long: 205351 tokens > 200000 maximum",
    ],
  },
  {
    id: "overflow.code",
    why: "The provider's code says that the input is larger than the context window.",
    source: "OpenAI, Anthropic, llama.cpp, gateways",
    codes: [
      "context_length_exceeded",
      "context_window_exceeded",
      "contextwindowexceedederror",
      "request_too_large",
      "exceed_context_size_error",
      "model_context_window_exceeded",
      "context_too_long",
      "prompt_too_long",
      "max_context_length_exceeded",
      "input_too_long",
      "input_too_large",
      "token_limit_exceeded",
      "max_tokens_exceeded",
      "tokens_limit_reached",
      "payload_too_large",
      "1261",
    ],
    examples: ['{"error":{"message":"too big","code":"context_length_exceeded"}}'],
    nearMisses: ['{"error":{"message":"too big","code":"string_above_max_length"}}'],
  },
  {
    id: "overflow.too-large",
    why: "Status 413: the request is too large as it is.",
    source: "RFC 9110; rulebook 5",
    status: [413],
    examples: [{ text: "Chat history exceeds the 800-message limit", status: 413 }],
    nearMisses: [{ text: "x", status: 414 }],
  },
  {
    id: "overflow.over-rate",
    why: "A single request larger than the per-minute limit can never pass as it is.",
    source: 'Rulebook 4; OpenAI and Groq: "Limit 30000, Requested 61337"',
    says: anyOf(/request too large for model/, /(?:tokens? per min|\btpm\b|per[ -]minute)/),
    when: requestOverLimit,
    examples: [
      "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 61337. The input or output tokens must be reduced",
    ],
    nearMisses: [
      "Rate limit reached for gpt-x on tokens per min (TPM): Limit 30000, Used 29937, Requested 385. Please try again in 644ms.",
    ],
  },
  {
    id: "overflow.input-tokens",
    why: "The input has more tokens than the server takes, told as a validation error.",
    source: "Hugging Face text-generation-inference, Together",
    says: anyOf(
      /inputs?\W{0,3}(?:tokens? )?(?:\+ \W?max_new_tokens\W? )?must (?:be <=|have less than) ?\d{2,9}/,
      /input validation error: \W?inputs?\W? tokens/,
    ),
    examples: [
      "Input validation error: `inputs` must have less than 1024 tokens. Given: 1062",
      "`inputs` tokens + `max_new_tokens` must be <= 65537",
    ],
    nearMisses: ["Input should be a valid string"],
  },
]);

export const overflowRules = rulesFor("context_overflow", [
  {
    id: "overflow.wording",
    why: "The input is larger than the context window: only a smaller context helps.",
    source: "OpenAI, Anthropic, Google, Bedrock, vLLM, llama.cpp, Ollama, xAI, Mistral, Copilot",
    says: anyOf(
      near(
        /tokens? in (?:the |your )?(?:request|prompt|input|messages?)|too many tokens/,
        /(?:cannot|must not|may not) exceed/,
        60,
      ),
      near(
        /\btokens?\b|conversation|context|prompt|input|history/,
        /(?:more|larger|longer|bigger|beyond) (?:than )?(?:the|this|what) (?:\w{1,12} )?(?:model|server) (?:can|could|is able|supports|allows|accepts|handles|takes)/,
      ),
      /\btokens? exceeds? \d/,
      near(
        /context[ _-](?:window|length|size|limit)/,
        /r[au]n out|out of room|no room|\bfull\b|too small|not (?:big|large) enough/,
      ),
      /(?:prompt|input|context|messages?)[^.]{0,30}\d[^.]{0,10} tokens[^.]{0,40}(?:but|while|max|limit|only)/,
      /message (?:is )?too long/,
      /(?:message|request|conversation|text|content|document|chat)s?[^.]{0,20} exceed\w{0,3} (?:the |its )?(?:\w{1,12} )?token limit/,
      /length limit exceeded/,
      near(/kontext\w{0,12}|eingabe/, /überschr\w{0,10}|übersteig\w{0,6}|zu (?:lang|groß)/),
      /context (?:the )?overflow/,
      /context length of only/,
      /(?:prompt|input|context|conversation|sequence length)[^.]{0,40} exceeds?[^.]{0,40}(?:max|limit|length|size|allowed|window|capacity)/,
      /(?:max_seq_len|max_model_len|max_input_tokens|max_prompt_tokens|n_ctx)/,
      /(?:prompt|input|context|conversation|messages|chat history|transcript|question|history)(?: (?:length|size|text|tokens?))? (?:is|was|are|has become|became|being|you provided is|exceeds and is) (?:far |much |way )?(?:too (?:long|large|big|many)|longer than|larger than|over the)/,
      /(?:prompt|input|context|request) too (?:long|large|big)/,
      /(?:maximum|max|supported) (?:context|prompt|model|input|sequence)(?: token)?s? (?:length|size|window|tokens?|limit)/,
      /context[ _-](?:length|window|size|limit)[^.]{0,80}(?:exceed|overflow|full|reach|surpass|too (?:small|long)|larger)/,
      /(?:exceed|overflow|surpass|larger|longer|greater|bigger|beyond|over|fit|outside)[^.]{0,60}context[ _-](?:length|window|size|limit)/,
      /exceed\w{0,3} (?:the )?(?:available |model )?context/,
      /(?:token|prompt|input)[^.]{0,60}(?:exceed|over|above|greater than|more than)[^.]{0,30}(?:maximum|max_prompt_tokens|limit of \d|model'?s? limit|token limit|allowed|context|supported)/,
      /input tokens? (?:exceed|\(\d{1,9}\) has exceeded)/,
      /reduce the length of (?:the |your )?(?:messages?|prompt|input|conversation|context)/,
      /(?:shorten|truncate|trim|reduce) (?:the |your )?(?:input|prompt|context|conversation|messages?)\b/,
      /tokens to keep from the initial prompt/,
      /range of input length should be/,
      /(?:chat history|conversation) exceeds/,
      /too many (?:input |total |prompt )?tokens (?:in|for) (?:the |your |this )?(?:request|prompt|input|context|messages?|conversation|model)/,
      /too many messages/,
      /(?:request|payload|body|content|entity|message)[^.]{0,20} too (?:large|big)(?! for gpt)/,
      /(?:request|body|payload) (?:size )?exceed\w{0,3}[^.]{0,40}(?:size|limit|bytes|mb)/,
      /exceeded the max_seq_len/,
      /prompt \(?length \d{1,9}\)? is longer/,
      /(?:超过|超出|超限|过长|太长)[^。]{0,30}(?:上下文|长度|token|tokens|字符|最大|限制)/,
      /(?:上下文|输入|提示|内容|prompt|token)[^。]{0,20}(?:过长|太长|超过|超出|超限|超长)/,
      /コンテキスト[^。]{0,20}(?:超|長)/,
      /(?:入力|プロンプト)[^。]{0,10}(?:長すぎ|超え)/,
      /컨텍스트[^.]{0,30}(?:초과|깁니다)/,
      /kontext\w{0,12}[^.]{0,40}(?:überschr|zu (?:lang|groß))/,
      near(/contexto|contexte|contesto|entrada|mensaje/, /demasiado|excede|supera|dépass|trop long|troppo|muito long/),
      /(?:контекст|запрос|сообщен|ввод)[^.]{0,30}(?:слишком|превы)/,
    ),
    // A limit that holds while there is a rush is no property of the request.
    when: (_facts, text) => !/(?:high|heavy|peak) (?:demand|load|traffic)/.test(text),
    examples: [
      "prompt is too long",
      "the request exceeds the available context size. try increasing the context size or enable context shift",
      "Input is too long for requested model.",
    ],
    nearMisses: [
      "Too many tokens, please wait before trying again.",
      "Number of tools exceeds the limit of 128",
      "Your request exceeds the maximum usage size allowed during peak load",
      "Image exceeds the maximum allowed total pixels",
      "max_tokens is too large: 128000. This model supports at most 16384 completion tokens",
    ],
  },
]);
