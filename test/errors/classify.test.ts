import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyFailure, describeFailure, toFailure } from "../../src/errors/index.ts";
import { codesOf } from "../../src/errors/classify.ts";
import type { FailureFacts } from "../../src/errors/index.ts";
import { wordingRows } from "../corpus/read-corpus.ts";
import { scoreTexts, scoreThrown } from "../corpus/score.ts";

const kindOf = (value: unknown, status?: number): string =>
  classifyFailure(describeFailure(value, status === undefined ? {} : { status })).kind;

test("wordings that were once new to the rules are known now", () => {
  const missed = wordingRows.filter(({ labels, text, status }) => !labels.some((label) => label === kindOf(text, status)));
  expect(missed.length / wordingRows.length).toBeLessThanOrEqual(0.02);
});

describe("the corpus", () => {
  test("is judged right, as text with its status", () => {
    const { action, kind } = scoreTexts(classifyFailure, true);
    expect(action).toBeGreaterThanOrEqual(99);
    expect(kind).toBeGreaterThanOrEqual(98);
  });

  test("is judged right as bare text", () => {
    expect(scoreTexts(classifyFailure, false).action).toBeGreaterThanOrEqual(98);
  });

  test("is judged right as objects", () => {
    const { action, kind } = scoreThrown(classifyFailure);
    expect(action).toBeGreaterThanOrEqual(99);
    expect(kind).toBeGreaterThanOrEqual(97);
  });
});

const SCARY = [
  "rate limit",
  "503",
  "context length exceeded",
  "billing",
  "ECONNRESET",
  "timeout",
  "insufficient_quota",
  "429 Too Many Requests",
  "overloaded",
  "prompt is too long",
  "prompt is too long: 205351 tokens > 200000 maximum",
  "circuit breaker is open",
  "you have used all of your credits",
  "invalid api key",
  "model not found",
];

/** Reports on the caller's input as providers and clients write them, with a place for what they echo. */
const REPORTS: readonly (readonly [string, (echo: string) => string])[] = [
  [
    "Anthropic",
    (echo) =>
      JSON.stringify({
        type: "error",
        error: { type: "invalid_request_error", message: `messages.3.content.0.text: Invalid value: '${echo}'` },
      }),
  ],
  ["OpenAI", (echo) => `400 Invalid value: '${echo}'. Supported values are: 'a', 'b'.`],
  ["OpenAI, unquoted", (echo) => `400 Unrecognized request argument supplied: ${echo}`],
  [
    "OpenAI as Python prints it",
    (echo) =>
      `Error code: 400 - {'error': {'message': "Invalid type for 'messages[0].content': expected an object, but got '${echo}' instead.", 'type': 'invalid_request_error'}}`,
  ],
  [
    "FastAPI",
    (echo) =>
      `422 {"detail":[{"type":"string_type","loc":["body","messages",0],"msg":"Input should be a valid string","input":{"error":{"code":"${echo}","message":"${echo}"}}}]}`,
  ],
  [
    "pydantic",
    (echo) =>
      `2 validation errors for Request\nmessages.0.content\n  Input should be a valid string [type=string_type, input_value={'x': '${echo}'}, input_type=dict]`,
  ],
  [
    "a tool call",
    (echo) =>
      `Validation failed for tool "bash":\n  - command: must have required property 'command'\n\nReceived arguments:\n{"error": {"message": "${echo}", "code": "${echo}"}}`,
  ],
  [
    "JSON schema",
    (echo) =>
      JSON.stringify({
        error: { message: `Additional properties are not allowed ('${echo}' was unexpected)`, type: "invalid_request_error" },
      }),
  ],
  [
    "a parameter's name",
    (echo) => `400 {"error":{"message":"Invalid parameter: ${echo} must be positive","type":"invalid_request_error"}}`,
  ],
  [
    "AWS",
    (echo) =>
      `ValidationException: 1 validation error detected: Value '${echo}' at 'x' failed to satisfy constraint: Member must satisfy regular expression pattern`,
  ],
  [
    "Google",
    (echo) =>
      `400 {"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \\"${echo}\\" at 'contents[0]': Cannot find field.","status":"INVALID_ARGUMENT"}}`,
  ],
  ["a quoted message", (echo) => `422 Unprocessable Entity: the text "${echo}" is not valid`],
];

describe.each(REPORTS)("a report on the input by %s", (_name, report) => {
  test.each(SCARY)("stays one when it echoes %j", (echo) => {
    expect(kindOf(report(echo), 400)).toBe("invalid_request");
  });
});

test("digits in ids, sizes and dates decide nothing", () => {
  const digits = fc.constantFrom("429", "503", "500", "402", "413", "529", "408");
  const place = fc.constantFrom(
    (n: string) => `request req_${n}ab failed oddly`,
    (n: string) => `file of ${n} bytes is odd`,
    (n: string) => `odd since 2026-05-04T${n.slice(0, 2)}:00`,
    (n: string) => `port 10${n} is odd`,
  );
  fc.assert(
    fc.property(digits, place, (number, sentence) => {
      expect(kindOf(sentence(number))).toBe("unknown");
    }),
  );
});

describe("the rulebook", () => {
  test.each([
    [
      "a code beats the wording",
      '{"error":{"message":"Rate limit reached, slow down","code":"insufficient_quota"}}',
      429,
      "quota_exhausted",
    ],
    ["the wording beats the status", "Your credit balance is too low", 400, "quota_exhausted"],
    [
      "a plan window is quota, even under the words rate limit",
      "Rate limit exceeded: free-models-per-day",
      429,
      "quota_exhausted",
    ],
    ["a wait of more than an hour is quota", "Rate limit exceeded, try again in 2h0m", 429, "quota_exhausted"],
    ["a wait of less is a throttle", "Rate limit exceeded, try again in 50m", 429, "rate_limited"],
    [
      "a link to a billing page makes no quota",
      "Rate limit reached on requests per min. Limit: 3 / min. Visit https://x.com/account/billing to raise it",
      429,
      "rate_limited",
    ],
    [
      "a request above a per-minute limit is too large",
      "Request too large on tokens per min (TPM): Limit 30000, Requested 61337.",
      429,
      "context_overflow",
    ],
    [
      "one below it is a throttle",
      "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29937, Requested 385.",
      429,
      "rate_limited",
    ],
    ["a body too large is an overflow", "nginx", 413, "context_overflow"],
    [
      "output that fills the window is an output limit",
      "maximum context length is 8192 tokens. However, you requested 8292 tokens (158 in the messages, 8134 in the completion).",
      400,
      "output_limit",
    ],
    [
      "input that fills it is an overflow",
      "maximum context length is 4096 tokens. However, you requested 4118 tokens (3118 in the messages, 1000 in the completion).",
      400,
      "context_overflow",
    ],
    ["too many tokens, please wait, is a throttle", "Too many tokens, please wait before trying again.", 429, "rate_limited"],
    ["a refusal under 5xx is that refusal", "Jinja Exception: No user query found in messages.", 500, "invalid_request"],
    [
      "an outage under 4xx is that outage",
      '{"error":{"message":"Bedrock is unable to process your request.","code":"serviceUnavailableException"}}',
      400,
      "server_error",
    ],
    ["a geographic block is auth", "Country, region, or territory not supported", 403, "auth"],
    ["a conflict is repeated", "Resource is being modified", 409, "server_error"],
    ["too early is repeated", "", 425, "server_error"],
    ["an empty error is a cut stream", "", undefined, "stream_interrupted"],
    ["an unknown one stops", "Something went wrong", undefined, "unknown"],
  ])("%s", (_name, text, status, kind) => {
    expect(kindOf(text, status)).toBe(kind);
  });

  test.each([500, 502, 503, 520, 521, 523, 525, 526, 527])(
    "status %i without a better reason is the server's failure",
    (status) => {
      expect(classifyFailure(describeFailure("", { status }))).toMatchObject({ action: "retry", kind: "server_error" });
    },
  );

  test("an unusable certificate is config, however the client wraps it", () => {
    const certificate = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    const error = new Error("Connection error.", { cause: new TypeError("fetch failed", { cause: certificate }) });
    expect(classifyFailure(describeFailure(error))).toMatchObject({ action: "stop", kind: "config" });
  });
});

test.each([
  ["not a valid image", "invalid_request"],
  ["invalid image", "invalid_request"],
  ["image data is not", "invalid_request"],
  ["login expired", "auth"],
  ["login failed", "auth"],
  ["re-auth", "auth"],
  ["out of budget", "quota_exhausted"],
  ["Server requested 120s retry delay", "rate_limited"],
  ["Number of tools exceeds the limit of 128", "invalid_request"],
  ["503 billing backend temporarily unavailable", "server_error|overloaded"],
  ["429: too many tokens per minute", "rate_limited"],
  ["EHOSTUNREACH", "network"],
  ["parameter timeout must be positive", "invalid_request"],
])("%j is known", (text, kinds) => {
  expect(kinds.split("|")).toContain(kindOf(text));
});

test("an application's own verdict comes first, and one that throws is passed over", () => {
  const mine = { action: "retry", kind: "overloaded", rule: "mine", why: "because" } as const;
  expect(toFailure("Something went wrong", { classify: () => mine })).toMatchObject(mine);
  expect(toFailure("Something went wrong", { classify: () => undefined })).toMatchObject({ kind: "unknown", rule: "unknown" });
  const broken = (): never => {
    throw new Error("broken");
  };
  expect(toFailure("Something went wrong", { classify: broken })).toMatchObject({ kind: "unknown", rule: "unknown" });
});

describe("the facts", () => {
  const bare: FailureFacts = { codes: [], name: "", message: "", text: "", causes: [], partial: false };

  test.each([
    ["its name", { name: "BodyTimeoutError", message: "" }],
    ["its code", { name: "Error", message: "", code: "UND_ERR_BODY_TIMEOUT" }],
    ["its text", { name: "Error", message: "Body Timeout Error" }],
  ])("of a cause decide by %s alone", (_name, cause) => {
    expect(
      classifyFailure({
        ...bare,
        name: "Error",
        message: "failed",
        text: "failed",
        causes: [{ name: "Error", message: "" }, cause],
      }).kind,
    ).toBe("timeout");
  });

  test("are heard with their causes apart: no word spans two of them", () => {
    const causes = [
      { name: "Error", message: "over the rpm" },
      { name: "Error", message: "odd" },
    ];
    expect(classifyFailure({ ...bare, message: "failed", text: "failed", causes }).kind).toBe("rate_limited");
  });

  test("are heard by their codes and names, whatever their case, and by nothing that is empty", () => {
    const causes = [
      { name: "", message: "" },
      { name: "Outer", message: "", code: "E_INNER" },
    ];
    expect(codesOf({ ...bare, name: "Mine", code: "One", type: "Two", codes: ["Three", ""], causes })).toEqual(
      new Set(["one", "two", "three", "mine", "outer", "e_inner"]),
    );
    expect(codesOf(bare)).toEqual(new Set());
  });

  test("that refuse the input are still heard in all that is not quoted", () => {
    const facts = { ...bare, status: 400, message: "odd", text: 'odd: prompt is too long, "overloaded"' };
    expect(classifyFailure(facts).kind).toBe("context_overflow");
  });

  test("are heard in what they quote too, where neither a code nor a listed wording decides", () => {
    const text = 'it said "gave up waiting for the answer"';
    expect(classifyFailure({ ...bare, message: text, text })).toMatchObject({ kind: "timeout", rule: "timeout.pair" });
  });

  test("are read to 16,000 characters of their text", () => {
    const after = (characters: number): FailureFacts => ({ ...bare, text: `${"-".repeat(characters)}overloaded` });
    expect(classifyFailure(after(15_992)).kind).toBe("overloaded");
    expect(classifyFailure(after(15_993)).kind).toBe("unknown");
  });

  test.each<[string, Partial<FailureFacts>]>([
    ["status 400", { status: 400 }],
    ["status 422", { status: 422 }],
    ["the type", { type: "invalid_request_error" }],
    ["a code", { codes: ["invalid_request_error"] }],
  ])("that refuse the input by %s leave what is quoted unheard", (_name, refusal) => {
    const message = 'the text "rate limit" is odd';
    expect(classifyFailure({ ...bare, message, text: message, ...refusal }).kind).toBe("invalid_request");
    expect(classifyFailure({ ...bare, message, text: message }).kind).toBe("rate_limited");
  });

  test.each([
    [399, "config"],
    [499, "invalid_request"],
    [597, "server_error"],
    [100, "unknown"],
  ])("of status %i are judged to the end of its range", (status, kind) => {
    expect(kindOf("odd", status)).toBe(kind);
  });

  test("that state no wait give none", () => {
    expect(Object.keys(classifyFailure(bare))).toEqual(["action", "kind", "rule", "why"]);
    expect(classifyFailure({ ...bare, retryAfterMs: 5, resetAt: 7 })).toMatchObject({ retryAfterMs: 5, resetAt: 7 });
  });

  test("of a throttle decide by the length of the wait: an hour is still one, more is a used-up plan", () => {
    expect(classifyFailure({ ...bare, status: 429, retryAfterMs: 3_600_000 })).toMatchObject({
      action: "retry",
      kind: "rate_limited",
    });
    expect(classifyFailure({ ...bare, status: 429, retryAfterMs: 3_600_001 })).toEqual({
      action: "stop",
      kind: "quota_exhausted",
      rule: "quota.long-wait",
      retryAfterMs: 3_600_001,
      why: "A throttle that asks for more than an hour is a used-up plan.",
    });
    expect(classifyFailure({ ...bare, status: 529, retryAfterMs: 3_600_001 })).toMatchObject({
      action: "retry",
      kind: "overloaded",
    });
  });
});
