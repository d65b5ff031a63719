import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backoffDelayMs } from "../../machines/backoff.ts";
import { retry, RetryExhausted } from "../../src/retry/index.ts";
import type { RetryNotice } from "../../src/retry/index.ts";

/** An operation that fails `failures` times, then answers. */
function failing(failures: number, error: unknown = new Error("503 Service Unavailable")) {
  let calls = 0;
  const operation = (): string => {
    calls += 1;
    if (calls <= failures) throw error;
    return "answer";
  };
  return { operation, calls: () => calls };
}

/** A sleep that waits for nothing and keeps what it was asked. */
function recordedSleep() {
  const waits: number[] = [];
  return { waits, sleep: (milliseconds: number) => (waits.push(milliseconds), Promise.resolve()) };
}

describe("retry", () => {
  test("gives the value, the tries it took, and the waits between: 250 and 500 ms by default", async () => {
    const { waits, sleep } = recordedSleep();
    expect(await retry(failing(2).operation, { sleep })).toEqual({ value: "answer", attempts: 3, delays: [250, 500] });
    expect(waits).toEqual([250, 500]);
  });

  test("does not wait when the first try succeeds", async () => {
    expect(await retry(failing(0).operation)).toEqual({ value: "answer", attempts: 1, delays: [] });
  });

  test("tells the operation which try it is", async () => {
    const tries: number[] = [];
    await expect(
      retry(
        (attempt) => {
          tries.push(attempt);
          throw new Error("no");
        },
        { attempts: 3, sleep: recordedSleep().sleep },
      ),
    ).rejects.toThrow(RetryExhausted);
    expect(tries).toEqual([1, 2, 3]);
  });

  test("exhausted, names the tries and the error's type, and nothing of its text", async () => {
    class RateLimitError extends Error {}
    const secret = new RateLimitError("429 slow down, key sk-ant-api03-abcdefgh1234");
    const error = await retry(failing(9, secret).operation, { attempts: 2, sleep: recordedSleep().sleep }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(RetryExhausted);
    expect(error).toMatchObject({
      name: "RetryExhausted",
      attempts: 2,
      errorType: "RateLimitError",
      message: "Gave up after 2 attempts; the last one failed with RateLimitError",
    });
    const exhausted = error as RetryExhausted;
    expect("cause" in exhausted).toBe(false);
    expect(inspect(exhausted, { showHidden: true, depth: 9 })).not.toContain("slow down");
    expect(exhausted.failure()).toMatchObject({
      kind: "rate_limited",
      message: expect.stringContaining("[redacted anthropic-key]") as string,
    });
  });

  test.each<[unknown, string]>([
    [null, "null"],
    ["text", "string"],
    [undefined, "undefined"],
    [new TypeError("x"), "TypeError"],
  ])("names the type of %o", async (thrown, errorType) => {
    await expect(
      retry(
        () => {
          throw thrown;
        },
        { attempts: 1 },
      ),
    ).rejects.toMatchObject({ attempts: 1, errorType });
  });

  test("throws what is not worth another try on, untouched", async () => {
    const error = new Error("401");
    const { operation, calls } = failing(9, error);
    await expect(retry(operation, { shouldRetry: () => false })).rejects.toBe(error);
    expect(calls()).toBe(1);
  });

  test("asks with the number of the try whether it is worth another one", async () => {
    const asked: number[] = [];
    const { sleep } = recordedSleep();
    await expect(
      retry(failing(9).operation, { attempts: 5, sleep, shouldRetry: (_error, attempt) => (asked.push(attempt), attempt < 2) }),
    ).rejects.toThrow("503");
    expect(asked).toEqual([1, 2]);
  });

  test("never waits less than the other side demanded, even above the longest wait", async () => {
    const { waits, sleep } = recordedSleep();
    await retry(failing(2).operation, { sleep, baseDelayMs: 1000, maxDelayMs: 1500, retryAfter: () => 9000 });
    expect(waits).toEqual([9000, 9000]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, undefined])("passes over a demand of %s", async (demand) => {
    const { waits, sleep } = recordedSleep();
    await retry(failing(1).operation, { sleep, retryAfter: () => demand });
    expect(waits).toEqual([250]);
  });

  test("caps its own waits", async () => {
    const { waits, sleep } = recordedSleep();
    await retry(failing(4).operation, { attempts: 5, sleep, baseDelayMs: 100, maxDelayMs: 300 });
    expect(waits).toEqual([100, 200, 300, 300]);
  });

  test("tells of each wait before it begins", async () => {
    const notices: RetryNotice[] = [];
    const error = new Error("no");
    await retry(failing(2, error).operation, {
      sleep: () => {
        expect(notices.length).toBeGreaterThan(0);
        return Promise.resolve();
      },
      onRetry: (notice) => notices.push(notice),
    });
    expect(notices).toEqual([
      { attempt: 1, maxAttempts: 2, delayMs: 250, error },
      { attempt: 2, maxAttempts: 2, delayMs: 500, error },
    ]);
  });

  test.each([
    { attempts: 0 },
    { attempts: 1.5 },
    { attempts: Number.NaN },
    { baseDelayMs: -1 },
    { maxDelayMs: Number.POSITIVE_INFINITY },
    { jitter: Number.NaN },
    { jitter: -1.01 },
  ])("refuses %o at once", async (options) => {
    const { operation, calls } = failing(0);
    await expect(retry(operation, options)).rejects.toThrow(RangeError);
    expect(calls()).toBe(0);
  });

  test("says what it refuses and what it takes", async () => {
    await expect(retry(() => 1, { attempts: 0 })).rejects.toThrow("retry: attempts is 0; it takes a whole number from 1");
    await expect(retry(() => 1, { baseDelayMs: -1 })).rejects.toThrow(
      "retry: baseDelayMs is -1; it takes a finite number from 0",
    );
    await expect(retry(() => 1, { jitter: -2 })).rejects.toThrow("retry: jitter is -2; it takes a finite number from -1");
  });

  test("names an error by its own name where it has one, and counts a single attempt as one", async () => {
    class Base extends Error {}
    const error = Object.assign(new Base("x"), { name: "ServiceError" });
    await expect(retry(failing(9, error).operation, { attempts: 1 })).rejects.toThrow(
      "Gave up after 1 attempt; the last one failed with ServiceError",
    );
  });

  test("takes off up to a share of the wait where the jitter is negative", async () => {
    const { waits, sleep } = recordedSleep();
    await retry(failing(2).operation, { sleep, baseDelayMs: 1000, jitter: -0.25, random: () => 0.5 });
    await retry(failing(1).operation, { sleep, baseDelayMs: 1000, jitter: -1, random: () => 0.5 });
    expect(waits).toEqual([875, 1750, 500]);
  });

  test("accepts zeros", async () => {
    const { waits, sleep } = recordedSleep();
    await retry(failing(1).operation, { sleep, baseDelayMs: 0, maxDelayMs: 0, jitter: 0 });
    expect(waits).toEqual([0]);
  });
});

describe("an abort", () => {
  const reason = new Error("stopped");

  test("before the first try starts none", async () => {
    const { operation, calls } = failing(0);
    await expect(retry(operation, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(calls()).toBe(0);
  });

  test("in a wait ends it at once, even if the sleep knows nothing of signals", async () => {
    const controller = new AbortController();
    const { operation, calls } = failing(9);
    const running = retry(operation, {
      signal: controller.signal,
      sleep: () => {
        queueMicrotask(() => controller.abort(reason));
        return new Promise(() => {});
      },
    });
    await expect(running).rejects.toBe(reason);
    expect(calls()).toBe(1);
  });

  test("in a wait on real timers ends it at once and leaves none behind", async () => {
    const controller = new AbortController();
    const running = retry(failing(9).operation, {
      signal: controller.signal,
      baseDelayMs: 60_000,
      onRetry: () => queueMicrotask(() => controller.abort(reason)),
    });
    await expect(running).rejects.toBe(reason);
    expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBeLessThanOrEqual(1);
  });

  test("in a try is what the caller hears, not the error it made", async () => {
    const controller = new AbortController();
    const running = retry(
      () => {
        controller.abort(reason);
        throw new Error("torn off");
      },
      { signal: controller.signal },
    );
    await expect(running).rejects.toBe(reason);
  });

  test("while it is told of a wait starts no wait", async () => {
    const controller = new AbortController();
    const { waits, sleep } = recordedSleep();
    await expect(
      retry(failing(9).operation, { signal: controller.signal, sleep, onRetry: () => controller.abort(reason) }),
    ).rejects.toBe(reason);
    expect(waits).toEqual([]);
  });

  test("leaves no listener on the signal, however many tries there were", async () => {
    const { signal } = new AbortController();
    await retry(failing(50).operation, { attempts: 60, signal, sleep: recordedSleep().sleep });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

test("every wait is the delay formula's, whatever the options", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 0, max: 20_000 }),
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.integer({ min: 0, max: 30_000 }),
      async (failures, baseDelayMs, maxDelayMs, jitter, random, floor) => {
        const { waits, sleep } = recordedSleep();
        const { delays } = await retry(failing(failures).operation, {
          attempts: failures + 1,
          baseDelayMs,
          maxDelayMs,
          jitter,
          sleep,
          random: () => random,
          retryAfter: () => floor,
        });
        expect(delays).toEqual(waits);
        expect(delays).toEqual(
          delays.map((_delay, index) => backoffDelayMs({ baseDelayMs, maxDelayMs, jitter }, index + 1, random, floor)),
        );
        expect(Math.min(...delays)).toBeGreaterThanOrEqual(floor);
      },
    ),
  );
});
