import type { FailureTokens } from "./types.ts";

/** A number of tokens as texts write it: `128000`, `128,000`, `128_000`, `128k`. */
const NUMBER = String.raw`(\d{1,3}(?:[,_]\d{3}){1,3}|\d{1,12})(k\b)?`;

interface TokenPattern {
  readonly pattern: RegExp;
  /** What each number means, in the order of the groups. */
  readonly fields: readonly (keyof FailureTokens)[];
}

function tokenPattern(source: string, ...fields: (keyof FailureTokens)[]): TokenPattern {
  return { pattern: new RegExp(source.replaceAll("#", NUMBER), "i"), fields };
}

/** The phrases that state token numbers; all that match add what the earlier ones left open. */
const PATTERNS: readonly TokenPattern[] = [
  // "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  tokenPattern(String.raw`context limit:? # \+ # > #`, "input", "maxOutput", "window"),
  // "prompt is too long: 205351 tokens > 200000 maximum"
  tokenPattern(String.raw`too long:? # tokens? > # max`, "input", "window"),
  // "maximum context length is 128000 tokens", "maximum prompt length is 131072"
  tokenPattern(
    String.raw`(?:maximum|max) (?:context|prompt|model|input|sequence) (?:length|window|size)(?: of this model)?(?: is| of|:) (?:only )?#`,
    "window",
  ),
  tokenPattern(String.raw`context (?:window|size|length|limit)(?: of this model)?(?: \(|:? is |:? of |: )#`, "window"),
  // "(3118 in the messages, 1000 in the completion)"
  tokenPattern(String.raw`# in (?:the )?messages?[^)]{0,60}?, # in (?:the )?completion`, "input", "maxOutput"),
  // "170941 tokens from the input messages and 32000 tokens for the completion"
  tokenPattern(String.raw`# tokens from the input messages and # tokens for the completion`, "input", "maxOutput"),
  // "you requested 128000 output tokens and your prompt contains at least 134145 input tokens"
  tokenPattern(String.raw`requested # output tokens and your prompt contains (?:at least )?# input tokens`, "maxOutput", "input"),
  // "Given: 6204 `inputs` tokens and 2047 `max_new_tokens`"
  tokenPattern("must be <= #\\. given: # `?inputs`? tokens and # `?max_new_tokens", "window", "input", "maxOutput"),
  // "your messages resulted in 204308 tokens", "your request has 46809 input tokens", "the request contains 136973 tokens"
  tokenPattern(
    String.raw`(?:resulted in|request has|request contains|prompt contains|prompt token count of|input tokens? \(|requested tokens \(|you requested(?: a total of| about)?)\s?(?:at least )?#`,
    "requested",
  ),
  // "exceeded model token limit: 131072 (requested: 140000)"
  tokenPattern(
    String.raw`(?:token|context|length) limit:? (?:of |is )?#(?: tokens)?[\s,;(]{1,3}requested:? #`,
    "window",
    "requested",
  ),
  // "exceeds the limit of 128000", "exceed context window of 2048"
  tokenPattern(
    String.raw`exceeds? (?:the |model )?(?:context window|limit|context size|max_prompt_tokens)(?: of| \()\s?#`,
    "window",
  ),
  // "Limit 30000, Used 18928, Requested 11159"
  tokenPattern(String.raw`\blimit:? #,(?: used:? \d{1,12},)? requested:? #`, "limit", "requested"),
  // "valid range of max_tokens is [1, 8192]", "exceeds the model limit of 32768"
  tokenPattern(String.raw`range of max_tokens is \[\d{1,6}, #`, "maxOutput"),
];

/** Only texts that speak of tokens, or of a limit and a request, are searched. */
const SPEAKS_OF_TOKENS = /token|context|requested|too long|prompt length/i;

/** The token numbers a text states; undefined when it states none. */
export function tokensInText(text: string): FailureTokens | undefined {
  if (!SPEAKS_OF_TOKENS.test(text)) return undefined;
  const tokens: FailureTokens = {};
  for (const { pattern, fields } of PATTERNS) {
    const match = pattern.exec(text);
    if (!match) continue;
    fields.forEach((field, index) => {
      const digits = match[1 + 2 * index];
      if (digits === undefined || tokens[field] !== undefined) return;
      const factor = match[2 + 2 * index] === undefined ? 1 : 1000;
      tokens[field] = Number(digits.replaceAll(/[,_]/g, "")) * factor;
    });
  }
  return complete(tokens);
}

/** `requested` is what was sent, output included where the error counts it. */
export function complete(tokens: FailureTokens): FailureTokens | undefined {
  if (tokens.requested === undefined && tokens.input !== undefined) tokens.requested = tokens.input + (tokens.maxOutput ?? 0);
  if (tokens.limit === undefined && tokens.window !== undefined) tokens.limit = tokens.window;
  return Object.keys(tokens).length === 0 ? undefined : tokens;
}
