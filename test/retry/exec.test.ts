import { describe, expect, test } from "vitest";
import { makeFailure } from "../../src/errors/index.ts";
import { exec, ExecFailed, retry } from "../../src/retry/index.ts";
import type { ExecContext, ExecOptions } from "../../src/retry/index.ts";

/** Runs `operation` without waiting, and tells what it waited. */
async function run(operation: (context: ExecContext) => unknown, options: ExecOptions = {}) {
  const waits: number[] = [];
  const sleep = (milliseconds: number): Promise<void> => (waits.push(milliseconds), Promise.resolve());
  const caught = await exec(async (context) => operation(context), { sleep, ...options }).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  return { ...caught, waits };
}

const failsWith = (...errors: unknown[]) => {
  let calls = 0;
  return () => {
    const error = errors[calls];
    calls += 1;
    if (error !== undefined) throw error;
    return "done";
  };
};

const overloaded = makeFailure({ action: "retry", kind: "overloaded", message: "529 Overloaded", rule: "overload.code" });
const outcome = (parts: object): object => ({ status: "failed", failure: overloaded, retries: 3, requests: 4, ...parts });

describe("exec", () => {
  test("makes one try by default", async () => {
    const { error, waits } = await run(failsWith(new Error("Overloaded")));
    expect(error).toMatchObject({ name: "ExecFailed", reason: "exhausted", attempts: ["Error: Overloaded"] });
    expect((error as Error).message).toBe("The task failed after 1 attempt:\n  1. Error: Overloaded");
    expect(waits).toEqual([]);
  });

  test("waits 1.5, 3 and 6 seconds", async () => {
    const { result, waits } = await run(
      failsWith(new Error("Overloaded"), new Error("fetch failed"), new Error("504 Gateway Time-out")),
      { maxAttempts: 4 },
    );
    expect(result).toEqual({ value: "done", attempts: 4, delays: [1500, 3000, 6000], requests: 4 });
    expect(waits).toEqual([1500, 3000, 6000]);
  });

  test("waits as long as was demanded", async () => {
    const { waits } = await run(failsWith(new Error("Rate limit reached. Please try again in 20s.")), { maxAttempts: 2 });
    expect(waits).toEqual([20_000]);
  });

  test("lists each try, redacted, when all have failed", async () => {
    const { error } = await run(
      failsWith(new Error("Overloaded sk-ant-api03-abcdefgh1234"), new TypeError("fetch failed"), "terminated"),
      { maxAttempts: 3 },
    );
    expect(error).toBeInstanceOf(ExecFailed);
    expect((error as Error).message).toBe(
      "The task failed after 3 attempts:\n  1. Error: Overloaded [redacted anthropic-key]\n  2. TypeError: fetch failed\n  3. string: terminated",
    );
    expect((error as ExecFailed).failure).toMatchObject({ kind: "stream_interrupted" });
  });

  test("ends at once at what no repetition helps", async () => {
    const { error, waits } = await run(
      failsWith(new Error("Overloaded"), new Error("insufficient_quota: You exceeded your current quota")),
      { maxAttempts: 5 },
    );
    expect(error).toMatchObject({ reason: "permanent", failure: { kind: "quota_exhausted" } });
    expect((error as Error).message).toMatch(
      /^The task failed permanently:\n {2}1\. Error: Overloaded\n {2}2\. Error: insufficient_quota/,
    );
    expect(waits).toEqual([1500]);
  });

  test("calls an overflow permanent: the same task would send the same again", async () => {
    const { error } = await run(failsWith(new Error("prompt is too long: 205351 tokens > 200000 maximum")), { maxAttempts: 3 });
    expect(error).toMatchObject({ reason: "permanent", failure: { kind: "context_overflow" } });
  });

  test("throws on what its own wait threw", async () => {
    const broken = new Error("no timers here");
    const { error } = await run(failsWith(new Error("Overloaded")), {
      maxAttempts: 3,
      sleep: () => Promise.reject(broken),
    });
    expect(error).toBe(broken);
  });

  test("repeats what nobody knows", async () => {
    const { result } = await run(failsWith(new Error("Something went wrong")), { maxAttempts: 2 });
    expect(result).toMatchObject({ value: "done", attempts: 2 });
  });

  test.each([
    new TypeError("x.y is not a function"),
    new ReferenceError("x is not defined"),
    new RangeError("Invalid array length"),
    new Error("compact is not implemented"),
  ])("throws %o on, untouched", async (mistake) => {
    const { error, waits } = await run(failsWith(mistake), { maxAttempts: 3 });
    expect(error).toBe(mistake);
    expect(waits).toEqual([]);
  });

  test.each([
    new TypeError("fetch failed", { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) }),
    new TypeError("terminated", { cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }) }),
    new SyntaxError("Unterminated string in JSON at position 26"),
  ])("repeats %o, in which a broken connection hides", async (error) => {
    expect((await run(failsWith(error), { maxAttempts: 2 })).result).toMatchObject({ attempts: 2 });
  });

  test("calls a bad certificate permanent, though it comes as a TypeError", async () => {
    const certificate = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect((await run(failsWith(new TypeError("fetch failed", { cause: certificate })), { maxAttempts: 3 })).error).toMatchObject(
      { reason: "permanent", failure: { kind: "config" } },
    );
  });

  test("keeps the verdict of a retry inside it", async () => {
    const inner = () =>
      retry(
        () => {
          throw new Error("401 invalid x-api-key");
        },
        { attempts: 1 },
      );
    expect((await run(inner, { maxAttempts: 3 })).error).toMatchObject({ reason: "permanent", failure: { kind: "auth" } });
  });
});

describe("what exec takes and passes on", () => {
  test("are the longest wait, jitter and chance of its own waits", async () => {
    const { waits } = await run(failsWith(new Error("Overloaded"), new Error("Overloaded")), {
      maxAttempts: 3,
      maxDelayMs: 2000,
      jitter: 1,
      random: () => 0.5,
    });
    expect(waits).toEqual([2250, 3000]);
  });

  test("is the signal, to each try", async () => {
    const { signal } = new AbortController();
    expect((await run((context) => context.signal, { signal })).result?.value).toBe(signal);
  });

  test.each([null, "text", 7, { requests: 7 }, { status: "completed" }, { status: "completed", requests: "many" }])(
    "is the value %j as it is, counted as one request",
    async (value) => {
      expect((await run(() => value)).result).toMatchObject({ value, requests: 1 });
    },
  );

  const named = (name: string): Error => Object.assign(new Error("odd"), { name });
  test.each([
    new SyntaxError("odd"),
    new EvalError("odd"),
    new URIError("odd"),
    named("AssertionError"),
    named("NotImplementedError"),
  ])("is %o, untouched, as a fault of the program", async (mistake) => {
    expect((await run(failsWith(mistake), { maxAttempts: 3 })).error).toBe(mistake);
  });

  test("is another try for what only looks like a fault of the program", async () => {
    for (const error of [
      { name: "TypeError", message: "odd" },
      new TypeError("Request timed out."),
      new TypeError("Cannot use 'in' operator to search for 'object' in undefined"),
    ]) {
      expect((await run(failsWith(error), { maxAttempts: 2 })).result).toMatchObject({ attempts: 2 });
    }
  });
});

describe("a session's outcome", () => {
  test("that failed counts as a throw", async () => {
    let calls = 0;
    const { result, waits } = await run(() => (++calls < 2 ? outcome({}) : { status: "completed", requests: 1 }), {
      maxAttempts: 3,
    });
    expect(result).toMatchObject({ attempts: 2, requests: 5, value: { status: "completed" } });
    expect(waits).toEqual([1500]);
  });

  test("is told by its failure, never as a bare 'session failed'", async () => {
    const { error } = await run(() => outcome({}), { maxAttempts: 2 });
    expect((error as Error).message).toBe(
      "The task failed after 2 attempts:\n  1. overloaded: 529 Overloaded\n  2. overloaded: 529 Overloaded",
    );
    expect((error as ExecFailed).failure).toBe(overloaded);
  });

  test("that failed without a failure says so, and is tried again", async () => {
    const { error } = await run(() => ({ status: "failed" }), { maxAttempts: 2 });
    expect((error as ExecFailed).attempts).toEqual([
      "unknown: The session failed without saying why",
      "unknown: The session failed without saying why",
    ]);
  });

  test("that failed for good ends it at once", async () => {
    const failure = makeFailure({ action: "stop", kind: "auth", message: "401 no", rule: "auth.code" });
    expect((await run(() => outcome({ failure }), { maxAttempts: 3 })).error).toMatchObject({ reason: "permanent", failure });
  });

  test.each(["completed", "aborted", "queued"])("that is %s is the value", async (status) => {
    expect((await run(() => ({ status }), { maxAttempts: 3 })).result).toMatchObject({ value: { status }, attempts: 1 });
  });
});

describe("a cap on requests", () => {
  test("holds over tries and layers: each try is told what is left, and none starts without", async () => {
    const left: (number | undefined)[] = [];
    const { error } = await run(({ requestsLeft }) => (left.push(requestsLeft), outcome({ requests: 4 })), {
      maxAttempts: 9,
      maxRequests: 8,
    });
    expect(left).toEqual([8, 4]);
    expect(error).toMatchObject({ reason: "requests" });
    expect((error as Error).message).toMatch(/^The task failed after 2 attempts, with its requests used up:/);
  });

  test("is what a session was stopped by that was given the rest of it as its own limit", async () => {
    const limit = makeFailure({
      action: "stop",
      kind: "limit",
      message: "limit of 2 model requests",
      rule: "limits.maxRequests",
    });
    const outcomes = [outcome({ requests: 4 }), outcome({ requests: 2, failure: limit })];
    const { error } = await run(({ attempt }) => outcomes[attempt - 1], { maxAttempts: 3, maxRequests: 6 });
    expect(error).toMatchObject({ reason: "requests", failure: limit });
    const ownLimit = await run(() => outcome({ requests: 2, failure: limit }), { maxAttempts: 3, maxRequests: 6 });
    expect(ownLimit.error).toMatchObject({ reason: "permanent", failure: limit });
  });

  test("that is used up makes no failure less permanent", async () => {
    const { error } = await run(failsWith(new Error("401 invalid x-api-key")), { maxAttempts: 2, maxRequests: 1 });
    expect(error).toMatchObject({ reason: "permanent", failure: { kind: "auth" } });
  });

  test("counts a try as one request where nothing tells", async () => {
    const { error } = await run(failsWith(...Array.from({ length: 9 }, () => new Error("Overloaded"))), {
      maxAttempts: 9,
      maxRequests: 3,
    });
    expect((error as ExecFailed).attempts).toHaveLength(3);
  });

  test("may be a single one", async () => {
    const { error } = await run(failsWith(new Error("Overloaded")), { maxAttempts: 2, maxRequests: 1 });
    expect((error as Error).message).toBe("The task failed after 1 attempt, with its requests used up:\n  1. Error: Overloaded");
  });

  test("is not told of when there is none", async () => {
    expect((await run((context) => context)).result?.value).toEqual({ attempt: 1 });
  });

  test.each([0, -1, 1.5, Number.NaN])("of %d is refused", async (maxRequests) => {
    await expect(exec(() => "never", { maxRequests })).rejects.toThrow(
      `exec: maxRequests is ${maxRequests}; it takes a whole number from 1`,
    );
  });
});

test("an abort ends the wait between tries with its own reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stopped");
  const { error } = await run(failsWith(new Error("Overloaded")), {
    maxAttempts: 2,
    signal: controller.signal,
    sleep: () => {
      controller.abort(reason);
      return new Promise(() => {});
    },
  });
  expect(error).toBe(reason);
});
