import { backoffDelayMs } from "../../machines/backoff.ts";
import { toFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";
import { sleep as sleepOn, systemClock } from "./clock.ts";

/** What is told before each wait. */
export interface RetryNotice {
  /** The retry that follows the wait, from 1. */
  attempt: number;
  /** Retries allowed: one less than `attempts`. */
  maxAttempts: number;
  delayMs: number;
  /** What the operation threw, as it is: redact it before showing it. */
  error: unknown;
}

export interface RetryOptions {
  /** Tries in all, the first one included; default 3. */
  attempts?: number;
  /** Wait before the first retry, in milliseconds; doubles each time; default 250. */
  baseDelayMs?: number;
  /** Longest wait of our own, in milliseconds; default 60000. */
  maxDelayMs?: number;
  /** Share of the delay that chance may add, or take off where it is negative; from -1; default 0. */
  jitter?: number;
  /** Ends the wait at once, and starts no further try. */
  signal?: AbortSignal;
  /** Waits; default real timers. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** 0 <= n < 1; default `Math.random`. */
  random?: () => number;
  /** Whether an error is worth another try; default always. What is not is thrown on, untouched. */
  shouldRetry?: (error: unknown, attempt: number) => boolean;
  /** A wait the other side demanded, in milliseconds: never waits less than that, even above `maxDelayMs`. */
  retryAfter?: (error: unknown) => number | undefined;
  /** Called before each wait. */
  onRetry?: (notice: RetryNotice) => void;
}

export interface RetryResult<T> {
  value: T;
  /** Tries it took. */
  attempts: number;
  /** The waits between them, in milliseconds. */
  delays: number[];
}

/**
 * Every try failed. Carries neither the text of the last error nor the error itself, which may hold secrets of a request:
 * ask `failure()` for the redacted account.
 */
export class RetryExhausted extends Error {
  override readonly name = "RetryExhausted";
  /** Tries made. */
  readonly attempts: number;
  /** Name of the last error's class, such as `RateLimitError`. */
  readonly errorType: string;
  readonly #failure: Failure;

  constructor(attempts: number, error: unknown) {
    const errorType = typeOf(error);
    super(`Gave up after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}; the last one failed with ${errorType}`);
    this.attempts = attempts;
    this.errorType = errorType;
    this.#failure = toFailure(error);
  }

  /** The last error, described, classified and redacted. */
  failure(): Failure {
    return this.#failure;
  }
}

/**
 * Runs `operation` until it succeeds, at most `attempts` times, with exponential waits between (250 and 500 ms by default).
 * The operation must be safe to repeat: a failed try may have had its effect all the same.
 *
 * @param operation Called with the number of the try, from 1.
 * @throws RetryExhausted when the last try failed too.
 * @throws The operation's own error when `shouldRetry` says no.
 * @throws `signal.reason` when the signal aborts, before a try or in a wait.
 * @throws RangeError for options that are no sensible numbers.
 */
export async function retry<T>(
  operation: (attempt: number) => Promise<T> | T,
  options: RetryOptions = {},
): Promise<RetryResult<T>> {
  const attempts = options.attempts ?? 3;
  const backoff = {
    baseDelayMs: options.baseDelayMs ?? 250,
    maxDelayMs: options.maxDelayMs ?? 60_000,
    jitter: options.jitter ?? 0,
  };
  check(attempts, backoff);
  const random = options.random ?? Math.random;
  const { signal } = options;
  const delays: number[] = [];
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return { value: await operation(attempt), attempts: attempt, delays };
    } catch (error) {
      signal?.throwIfAborted();
      if (options.shouldRetry && !options.shouldRetry(error, attempt)) throw error;
      if (attempt >= attempts) throw new RetryExhausted(attempt, error);
      const demanded = options.retryAfter?.(error) ?? 0;
      const delayMs = backoffDelayMs(backoff, attempt, random(), Number.isFinite(demanded) ? demanded : 0);
      delays.push(delayMs);
      options.onRetry?.({ attempt, maxAttempts: attempts - 1, delayMs, error });
      await waitFor(delayMs, options);
    }
  }
}

/** A `sleep` that was given may know nothing of signals: the abort ends the wait all the same, and leaves no listener behind. */
async function waitFor(milliseconds: number, options: RetryOptions): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  if (!options.sleep) return sleepOn(systemClock, milliseconds, signal);
  if (!signal) return options.sleep(milliseconds);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop);
  try {
    await Promise.race([options.sleep(milliseconds, signal), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return error === null ? "null" : typeof error;
  // The SDKs leave `name` at "Error"; the class says more.
  return error.name !== "Error" ? error.name : error.constructor.name;
}

function check(attempts: number, backoff: { baseDelayMs: number; maxDelayMs: number; jitter: number }): void {
  if (!Number.isInteger(attempts) || attempts < 1) {
    throw new RangeError(`retry: attempts is ${attempts}; it takes a whole number from 1`);
  }
  for (const [name, value] of Object.entries(backoff)) {
    const least = name === "jitter" ? -1 : 0;
    if (!Number.isFinite(value) || value < least) {
      throw new RangeError(`retry: ${name} is ${value}; it takes a finite number from ${least}`);
    }
  }
}
