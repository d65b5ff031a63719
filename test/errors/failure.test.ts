import { describe, expect, test } from "vitest";
import type { AssistantMessage } from "../../src/model/types.ts";
import {
  boundText,
  isContextOverflow,
  isRecoverableLength,
  isRetryableAssistantError,
  makeFailure,
  toFailure,
} from "../../src/errors/index.ts";

describe("a failure's message", () => {
  test("is the status, the provider's text and the deepest cause", () => {
    expect(
      toFailure(
        Object.assign(new Error("429 slow down"), { status: 429, error: { type: "rate_limit_error", message: "slow down" } }),
      ).message,
    ).toBe("429 slow down");
    const cause = new TypeError("fetch failed", {
      cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
    });
    expect(toFailure(new Error("Connection error.", { cause })).message).toBe(
      "Error: Connection error.: connect ECONNREFUSED 127.0.0.1:1",
    );
  });

  test("is the name and the text of an exception that is no provider's, or the name alone", () => {
    expect(toFailure(new RangeError("out of range")).message).toBe("RangeError: out of range");
    expect(toFailure(new RangeError()).message).toBe("RangeError");
  });

  test("is never empty", () => {
    for (const nothing of [undefined, null, "", {}, []])
      expect(toFailure(nothing).message).toBe("The model's stream ended without an error text");
    expect(toFailure("", { status: 503 }).message).toBe("503 status code (no body)");
  });
});

describe("a hint", () => {
  test("for auth names the key's variable and the address", () => {
    expect(
      toFailure("invalid x-api-key", {
        status: 401,
        provider: "acme",
        keyVariable: "ACME_API_KEY",
        baseUrl: "https://api.acme.example",
      }).hint,
    ).toMatch(/ACME_API_KEY.*acme.*https:\/\/api\.acme\.example/);
  });

  test("for quota names the provider and when it resets", () => {
    expect(
      toFailure("usage limit reached, resets at 2026-03-02T00:00:00Z", {
        provider: "acme",
        now: Date.parse("2026-03-01T00:00:00Z"),
      }).hint,
    ).toMatch(/acme.*2026-03-02T00:00:00\.000Z/);
    expect(toFailure("You've hit your usage limit, try again in 5 hours 3 minutes", { provider: "acme" }).hint).toMatch(
      /resets in 5 h 3 min/,
    );
  });

  test("for network names the host and the proxy", () => {
    expect(
      toFailure("fetch failed: read ECONNRESET", { baseUrl: "https://api.acme.example/v1", proxy: "http://proxy.example:3128" })
        .hint,
    ).toMatch(/api\.acme\.example.*http:\/\/proxy\.example:3128/i);
  });

  test("for overflow names the numbers and the largest item", () => {
    expect(
      toFailure("prompt is too long: 205351 tokens > 200000 maximum", {
        largestItem: { label: "the result of read_file", tokens: 90_000 },
      }).hint,
    ).toMatch(/205351 of 200000 tokens.*read_file.*90000/);
  });

  test("holds no secret of an address", () => {
    expect(toFailure("invalid x-api-key", { status: 401, baseUrl: "https://me:hunter2secret@api.example" }).hint).not.toContain(
      "hunter2secret",
    );
  });
});

test("an overflow states the window it was measured against", () => {
  expect(toFailure("prompt is too long: 205351 tokens > 200000 maximum").contextWindow).toBe(200_000);
  expect(toFailure("Input is too long for requested model.").contextWindow).toBeUndefined();
});

test("a failure of our own is made as it is said, redacted, with its kind's hint", () => {
  expect(makeFailure({ action: "stop", kind: "limit", message: "20 turns reached", rule: "limits.maxTurns" })).toEqual({
    action: "stop",
    kind: "limit",
    message: "20 turns reached",
    why: "20 turns reached",
    rule: "limits.maxTurns",
    causes: [],
    hint: "A limit of the settings was reached. Raise it, or send another prompt to go on.",
  });
  expect(
    makeFailure({ action: "stop", kind: "log", message: "cannot write for sk-ant-api03-abcdefgh1234", rule: "log.append" })
      .message,
  ).toBe("cannot write for [redacted anthropic-key]");
});

test("an error that carries a failure keeps it", () => {
  const failure = makeFailure({ action: "retry", kind: "timeout", message: "no event", rule: "watchdog.idle" });
  expect(toFailure(Object.assign(new Error("outer"), { failure }))).toBe(failure);
  expect(toFailure(Object.assign(new Error("outer"), { failure: { ...failure } })).kind).toBe("unknown");
});

describe("boundText", () => {
  test("keeps head and tail, and says how much is missing", () => {
    const bounded = boundText(`${"h".repeat(500)}${"t".repeat(500)}`, 200);
    expect(bounded.length).toBeLessThanOrEqual(200);
    expect(bounded).toMatch(/^h+ \[…800 characters left out…\] t+$/);
  });

  test("never splits a character of two units", () => {
    for (let limit = 0; limit < 120; limit += 1) {
      const bounded = boundText("😀".repeat(100), limit);
      expect(bounded.isWellFormed()).toBe(true);
      expect(bounded.length).toBeLessThanOrEqual(limit);
    }
  });

  test("leaves what is short enough", () => {
    expect(boundText("short", 5)).toBe("short");
  });
});

describe("the functions the peer has", () => {
  const message = (parts: Partial<AssistantMessage>, usage: Partial<AssistantMessage["usage"]> = {}): AssistantMessage => ({
    role: "assistant",
    content: [],
    api: "a",
    provider: "p",
    model: "m",
    timestamp: 0,
    stopReason: "stop",
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, ...usage },
    ...parts,
  });

  test.each<[string, boolean]>([
    ["529 Overloaded", true],
    ["", true],
    ["terminated", true],
    ["You exceeded your current quota", false],
    ["prompt is too long: 205351 tokens > 200000 maximum", false],
    ["account has been terminated", false],
  ])("%j is retryable: %s", (errorMessage, retryable) => {
    expect(isRetryableAssistantError(message({ stopReason: "error", errorMessage }))).toBe(retryable);
    expect(isRetryableAssistantError(message({ stopReason: "aborted", errorMessage }))).toBe(false);
    expect(isRetryableAssistantError(message({ stopReason: "stop", errorMessage }))).toBe(false);
  });

  test("the failure a message carries is asked before its text", () => {
    const failure = makeFailure({ action: "retry", kind: "timeout", message: "x", rule: "watchdog.idle" });
    expect(isRetryableAssistantError(message({ stopReason: "error", errorMessage: "insufficient_quota", failure }))).toBe(true);
  });

  test("an overflow shows in the error, in the usage of a complete reply, or in a cut before the first token", () => {
    expect(
      isContextOverflow(message({ stopReason: "error", errorMessage: "prompt is too long: 2 tokens > 1 maximum" }), 1000),
    ).toBe(true);
    expect(isContextOverflow(message({ stopReason: "error", errorMessage: "Too many tokens, please wait" }), 1000)).toBe(false);
    expect(isContextOverflow(message({}, { input: 600, cacheRead: 401 }), 1000)).toBe(true);
    expect(isContextOverflow(message({}, { input: 600, cacheRead: 400 }), 1000)).toBe(false);
    expect(isContextOverflow(message({ stopReason: "length" }, { input: 990 }), 1000)).toBe(true);
    expect(isContextOverflow(message({ stopReason: "length" }, { input: 989 }), 1000)).toBe(false);
    expect(isContextOverflow(message({ stopReason: "length" }, { input: 990, output: 1 }), 1000)).toBe(false);
    expect(isContextOverflow(message({}, { input: 5000 }))).toBe(false);
  });

  test("a cut below the output that was asked for is recoverable", () => {
    expect(isRecoverableLength(message({ stopReason: "length" }, { output: 5 }), 8192)).toBe(true);
    expect(isRecoverableLength(message({ stopReason: "length" }, { output: 8192 }), 8192)).toBe(false);
    expect(isRecoverableLength(message({ stopReason: "stop" }, { output: 5 }), 8192)).toBe(false);
    expect(isRecoverableLength(message({ stopReason: "length" }, { output: 5 }), 0)).toBe(false);
  });
});
