import { describe, expect, test } from "vitest";
import { describeFailure } from "../../src/errors/index.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const facts = (value: unknown) => describeFailure(value, { now: NOW });

/** An error as the SDKs throw it: the class says what it is, the name does not. */
class APIError extends Error {
  readonly status: number;
  readonly headers: unknown;
  readonly error: unknown;

  constructor(status: number, message: string, parts: { headers?: unknown; error?: unknown } = {}) {
    super(message);
    this.status = status;
    this.headers = parts.headers;
    this.error = parts.error;
  }
}

describe("a wait", () => {
  test.each([
    ["seconds", { "retry-after": "17" }, 17_000],
    ["fractions of a second", { "retry-after": "1.5" }, 1500],
    ["milliseconds", { "retry-after-ms": "2500", "retry-after": "3" }, 2500],
    ["an HTTP date", { "Retry-After": "Sun, 01 Mar 2026 12:00:30 GMT" }, 30_000],
    ["a past date", { "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }, undefined],
    ["a word", { "retry-after": "soon" }, undefined],
    ["a negative number", { "retry-after": "-5" }, undefined],
    ["an absurd number", { "retry-after": "99999999999" }, undefined],
  ])("is read from a header that gives %s", (_name, headers, expected) => {
    expect(facts(new APIError(429, "429 slow down", { headers })).retryAfterMs).toBe(expected);
    expect(facts(new APIError(429, "429 slow down", { headers: new Headers(headers) })).retryAfterMs).toBe(expected);
  });

  test.each([
    ["Please try again in 6m0s.", 360_000],
    ["Please try again in 174ms", 174],
    ["Please retry in 34.07s.", 34_070],
    ["Please retry after 9 seconds.", 9000],
    ["try again after 1 seconds", 1000],
    ["quota will reset after 18h2m", 64_920_000],
    ["It will reset in 10 days 19 hours.", 10 * 86_400_000 + 19 * 3_600_000],
    ["or try again in 5 days 22 hours 11 minutes.", 5 * 86_400_000 + 22 * 3_600_000 + 11 * 60_000],
    ["Server requested 120s retry delay (max: 60s).", 120_000],
    ["Please wait 2 minutes before trying again.", 120_000],
    ["resets 12:50am (America/Los_Angeles)", undefined],
    ["Limit 12000, Requested 14137, please reduce", undefined],
    ["the model tried 3 tools", undefined],
  ])("is read from the text %j", (text, expected) => {
    expect(facts(text).retryAfterMs).toBe(expected);
  });

  test("is read from Google's RetryInfo, wherever it lies", () => {
    const body = [
      {
        error: {
          code: 429,
          message: "Resource exhausted",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }],
        },
      },
    ];
    expect(facts(body).retryAfterMs).toBe(34_500);
    expect(facts(`[429] ${JSON.stringify(body)}`).retryAfterMs).toBe(34_500);
  });

  test("ends at the moment an error names", () => {
    expect(facts("usage limit reached, resets at 2026-03-02T00:00:00Z").resetAt).toBe(Date.parse("2026-03-02T00:00:00Z"));
    expect(facts("You will regain access on 2026-04-01 at 00:00 UTC.").resetAt).toBe(Date.parse("2026-04-01T00:00:00Z"));
    expect(facts({ error: { type: "usage_limit_reached", message: "x", resets_at: NOW / 1000 + 60 } }).resetAt).toBe(
      NOW + 60_000,
    );
    expect(facts({ error: { message: "x", resets_at: NOW / 1000 - 60 } }).resetAt).toBeUndefined();
  });
});

describe("the reset of a limit in the headers", () => {
  const headers = { "x-ratelimit-reset": String(NOW + 40_000) };

  test("is the wait of a throttle that states no other", () => {
    expect(facts(new APIError(429, "429 slow down", { headers }))).toMatchObject({ resetAt: NOW + 40_000, retryAfterMs: 40_000 });
    expect(facts({ error: { code: 429, message: "slow down", metadata: { headers } } })).toMatchObject({
      resetAt: NOW + 40_000,
      retryAfterMs: 40_000,
    });
    expect(facts(new APIError(429, "429 slow down", { headers: { ...headers, "retry-after": "3" } })).retryAfterMs).toBe(3000);
  });

  test("says nothing of any other failure, though it comes with every response", () => {
    const described = facts(
      new APIError(529, "529 Overloaded", { headers: { "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 7200) } }),
    );
    expect(described.resetAt).toBeUndefined();
    expect(described.retryAfterMs).toBeUndefined();
  });
});

describe("a status", () => {
  test.each([
    ["429 Too Many Requests", 429],
    ["Error code: 529 - {'error': {'message': 'Overloaded'}}", 529],
    ["HTTP 503: Inference is temporarily unavailable", 503],
    ["error, status code: 500, message: x", 500],
    ["unexpected status 403 Forbidden: <html>", 403],
    ["OAI Compatible API error: [400] Bad Request", 400],
    ["It took 429 ms and 503 tokens", undefined],
    ["request req_429503 of 2026-05-04", undefined],
    ["model gpt-500 used 404040 tokens", undefined],
    ["https://api.example.com:443/v1 answered nothing", undefined],
  ])("is read from %j", (text, status) => {
    expect(facts(text).status).toBe(status);
  });

  test("of the error itself wins over what the caller knows, and that over what the text mentions", () => {
    expect(describeFailure({ status: 429, message: "x" }, { status: 500 }).status).toBe(429);
    expect(describeFailure("upstream said HTTP 503", { status: 500 }).status).toBe(500);
  });

  test("that a gateway hides in a body of 200 is found", () => {
    expect(describeFailure({ error: { code: 502, message: "x" } }, { status: 200 }).status).toBe(502);
  });
});

describe("a code", () => {
  test("is found in nested envelopes, in JSON inside strings, and in metadata.raw", () => {
    const inner = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    for (const body of [
      { error: { message: inner, code: 400 } },
      { error: { metadata: { raw: inner }, message: "Provider returned error" } },
      [{ response: { error: JSON.parse(inner) as unknown } }],
    ]) {
      expect(facts(body)).toMatchObject({ type: "overloaded_error", message: "Overloaded" });
    }
  });

  test("is found in a Python literal, and in a body that was cut off", () => {
    expect(
      facts("Error code: 429 - {'error': {'message': \"You're out\", 'code': 'insufficient_quota', 'param': None}}"),
    ).toMatchObject({ code: "insufficient_quota", message: "You're out" });
    expect(facts('429 {"error":{"code":"insufficient_quota","message":"You are out of')).toMatchObject({
      code: "insufficient_quota",
      message: "You are out of",
    });
  });

  test("of the operating system comes from the deepest cause that has one", () => {
    const cause = new TypeError("fetch failed", {
      cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
    });
    const described = facts(new Error("Connection error.", { cause }));
    expect(described.code).toBe("ECONNREFUSED");
    expect(described.causes).toEqual([
      { name: "TypeError", message: "fetch failed" },
      { name: "Error", message: "connect ECONNREFUSED 127.0.0.1:1", code: "ECONNREFUSED" },
    ]);
  });

  test("that stands before a sentence is read, whether gRPC's or a provider's", () => {
    expect(facts("14 UNAVAILABLE: No connection established").codes).toContain("UNAVAILABLE");
    expect(facts("insufficient_quota: You exceeded").codes).toContain("insufficient_quota");
    expect(facts("An error occurred (ThrottlingException) when calling the InvokeModel operation: x").codes).toContain(
      "ThrottlingException",
    );
  });
});

test("token numbers are read, each as what it is", () => {
  expect(facts("prompt is too long: 205351 tokens > 200000 maximum").tokens).toMatchObject({
    input: 205_351,
    requested: 205_351,
    window: 200_000,
  });
  expect(facts("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000").tokens).toMatchObject({
    input: 188_240,
    maxOutput: 21_333,
    requested: 209_573,
    window: 200_000,
  });
  expect(facts("on tokens per min (TPM): Limit 30000, Used 100, Requested 61,337.").tokens).toEqual({
    limit: 30_000,
    requested: 61_337,
  });
  expect(facts({ error: { message: "too large", n_prompt_tokens: 14_429, n_ctx: 8192 } }).tokens).toMatchObject({
    input: 14_429,
    window: 8192,
  });
});

test("the request's own data is never read as the provider's words", () => {
  const error = Object.assign(new Error("Bad Request"), {
    requestBodyValues: { messages: ["insufficient_quota"] },
    request: { body: { error: { code: "insufficient_quota" } } },
  });
  expect(JSON.stringify(facts(error))).not.toContain("insufficient_quota");
});

test("the request id is found in the error or in its headers", () => {
  expect(facts(new APIError(500, "x", { headers: { "x-request-id": "req_1" } })).requestId).toBe("req_1");
  expect(facts('{"error":{"message":"x"},"request_id":"req_2"}').requestId).toBe("req_2");
});

test("a long text keeps its head, its tail, and what decides in its middle", () => {
  const pad = "lorem ipsum ".repeat(50_000);
  const described = facts(`begin ${pad} your credit balance is too low ${pad} end`);
  expect(described.text.length).toBeLessThan(20_000);
  expect(described.text).toMatch(/^begin /);
  expect(described.text).toMatch(/ end$/);
  expect(described.text).toContain("credit balance is too low");
});
