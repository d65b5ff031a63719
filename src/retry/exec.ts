import { toFailure } from "../errors/index.ts";
import { redact } from "../errors/redact.ts";
import type { Failure } from "../errors/types.ts";
import { retry, RetryExhausted } from "./retry.ts";
import type { RetryOptions } from "./retry.ts";

/** What is known of a try while it runs. */
export interface ExecContext {
  /** The try, from 1. */
  attempt: number;
  signal?: AbortSignal;
  /** Requests that may still be made; undefined without a cap. Hand it to `limits.maxRequests` of a session. */
  requestsLeft?: number;
}

export interface ExecOptions extends Pick<RetryOptions, "signal" | "sleep" | "random" | "jitter"> {
  /**
   * Tries in all; default 1, because layers multiply: 3 tries of a session that makes up to 4 runs are 12 requests, times
   * `1 + retry.provider.maxRetries`.
   */
  maxAttempts?: number;
  /** Wait before the second try, in milliseconds; doubles each time; default 1500. */
  baseDelayMs?: number;
  /** Longest wait of our own, in milliseconds; default 60000. */
  maxDelayMs?: number;
  /** Caps the requests over all tries and layers: no further try is made when they are used up. Default none. */
  maxRequests?: number;
}

export interface ExecResult<T> {
  value: T;
  attempts: number;
  /** The waits between the tries, in milliseconds. */
  delays: number[];
  /** Requests made, as far as outcomes told them; one a try otherwise. */
  requests: number;
}

/** The task failed: for good, or in every try. The message lists each try as `Name: text`, redacted. */
export class ExecFailed extends Error {
  override readonly name = "ExecFailed";
  readonly reason: "permanent" | "exhausted" | "requests";
  /** `Name: text` of each try, redacted. */
  readonly attempts: readonly string[];
  /** The last try's failure. */
  readonly failure: Failure;

  constructor(reason: "permanent" | "exhausted" | "requests", attempts: readonly string[], failure: Failure) {
    const head = {
      permanent: "failed permanently",
      exhausted: `failed after ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`,
      requests: `failed after ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}, with its requests used up`,
    }[reason];
    super(`The task ${head}:\n${attempts.map((text, index) => `  ${index + 1}. ${text}`).join("\n")}`);
    this.reason = reason;
    this.attempts = attempts;
    this.failure = failure;
  }
}

/** A session's outcome that failed, thrown so that the retry below sees it. */
class OutcomeFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What a session's prompt resolves with, as far as it matters here. */
interface SessionOutcome {
  status: "failed";
  failure?: Failure;
  requests?: number;
}

const PROGRAMMING_ERRORS = new Set([
  "TypeError",
  "ReferenceError",
  "RangeError",
  "SyntaxError",
  "EvalError",
  "URIError",
  "AssertionError",
  "NotImplementedError",
]);
/** Kinds that may hide behind a programming error's name: Node's "fetch failed" is a TypeError. */
const CALL_KINDS = new Set(["network", "stream_interrupted", "timeout", "server_error", "config"]);

/**
 * Runs a task, and again when it fails in a way that may pass: one layer above sessions, or around any asynchronous operation.
 * A session's outcome `failed` counts as a throw. The task must be safe to repeat.
 *
 * Errors of the program (TypeError and its like, "not implemented") are thrown on untouched, unless a failure of the network
 * or of a stream is found in them. Failures whose kind no repetition helps end it at once; `unknown` is not one of these here.
 *
 * @throws ExecFailed when it failed permanently, in every try, or with its requests used up.
 * @throws `signal.reason` when the signal aborts.
 */
export async function exec<T>(
  operation: (context: ExecContext) => Promise<T> | T,
  options: ExecOptions = {},
): Promise<ExecResult<T>> {
  const { maxAttempts = 1, maxRequests, signal } = options;
  if (maxRequests !== undefined && (!Number.isInteger(maxRequests) || maxRequests < 1)) {
    throw new RangeError(`exec: maxRequests is ${maxRequests}; it takes a whole number from 1`);
  }
  const attempts: string[] = [];
  let last: { failure: Failure; thrown: unknown } | undefined;
  let requests = 0;
  const usedUp = (): boolean => maxRequests !== undefined && requests >= maxRequests;

  const once = async (attempt: number): Promise<T> => {
    const before = requests;
    requests += 1;
    const value = await operation({
      attempt,
      ...(signal ? { signal } : {}),
      ...(maxRequests === undefined ? {} : { requestsLeft: maxRequests - before }),
    });
    requests = before + (requestsOf(value) ?? 1);
    if (isFailedOutcome(value)) throw new OutcomeFailed(value.failure ?? toFailure("The session failed without saying why"));
    return value;
  };

  try {
    const {
      value,
      attempts: made,
      delays,
    } = await retry(once, {
      attempts: maxAttempts,
      baseDelayMs: options.baseDelayMs ?? 1500,
      maxDelayMs: options.maxDelayMs ?? 60_000,
      jitter: options.jitter ?? 0,
      ...(options.sleep ? { sleep: options.sleep } : {}),
      ...(options.random ? { random: options.random } : {}),
      ...(signal ? { signal } : {}),
      retryAfter: (error) => toFailure(error).retryAfterMs,
      shouldRetry: (error) => {
        last = isProgrammingError(error) ? undefined : { failure: toFailure(error), thrown: error };
        if (!last) return false;
        attempts.push(describeAttempt(error, last.failure));
        return !isPermanent(last.failure) && !usedUp();
      },
    });
    return { value, attempts: made, delays, requests };
  } catch (error) {
    // What the task did not fail with is the abort, a fault of the program, an option that is refused, or what `sleep` threw.
    if (signal?.aborted || !last || (error !== last.thrown && !(error instanceof RetryExhausted))) throw error;
    const { failure } = last;
    // The limit that a session was given out of the cap is the cap.
    if (isPermanent(failure) && !(failure.kind === "limit" && usedUp())) throw new ExecFailed("permanent", attempts, failure);
    throw new ExecFailed(attempts.length < maxAttempts ? "requests" : "exhausted", attempts, failure);
  }
}

function isFailedOutcome(value: unknown): value is SessionOutcome {
  return typeof value === "object" && value !== null && "status" in value && value.status === "failed";
}

function requestsOf(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null || !("status" in value) || !("requests" in value)) return undefined;
  return typeof value.requests === "number" ? value.requests : undefined;
}

/** An overflow too: the task would send the same again, and a session has compacted already. */
function isPermanent({ action, kind }: Failure): boolean {
  return action !== "retry" && kind !== "unknown";
}

function isProgrammingError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const programming = PROGRAMMING_ERRORS.has(error.name) || /\bnot implemented\b/i.test(error.message);
  return programming && !CALL_KINDS.has(toFailure(error).kind);
}

/** `Name: text`, redacted. A session's failure is named by its kind. */
function describeAttempt(error: unknown, { kind, message }: Failure): string {
  if (error instanceof OutcomeFailed) return `${kind}: ${message}`;
  const name = error instanceof Error ? error.name : typeof error;
  return redact(message.startsWith(name) ? message : `${name}: ${message}`);
}
