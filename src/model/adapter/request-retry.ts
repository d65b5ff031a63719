import type { Failure } from "../../errors/types.ts";
import { backoffDelayMs } from "../../retry/index.ts";
import type { RequestRetrySettings } from "../types.ts";

/** What to do about a refused or failed request, before its stream has begun. */
export type RequestVerdict = { wait: number } | { failure: Failure };

const BACKOFF = { baseDelayMs: 500, maxDelayMs: 8000, jitter: -0.25 };

/** Kinds no header can make worth another try: they would fail in the same way and hide what is wrong. */
const NEVER: ReadonlySet<Failure["kind"]> = new Set(["quota_exhausted", "auth", "invalid_request", "context_overflow"]);

/**
 * Decides on request-level retry. The wait is the demanded one, else `min(0.5 * 2^n, 8)` s less up to a quarter of it.
 *
 * @param retries Retries made so far.
 * @param shouldRetry The response's `x-should-retry` header: `true` and `false` overrule our own judgement.
 */
export function afterFailedRequest(
  failure: Failure,
  retries: number,
  settings: RequestRetrySettings,
  random: number,
  shouldRetry: string | null | undefined,
): RequestVerdict {
  if (retries >= settings.maxRetries || !isRetryable(failure, shouldRetry)) return { failure };
  const demanded = failure.retryAfterMs;
  if (demanded === undefined) return { wait: backoffDelayMs(BACKOFF, retries + 1, random) };
  if (settings.maxRetryDelayMs > 0 && demanded > settings.maxRetryDelayMs) {
    const message = `Server requested ${seconds(demanded)} retry delay (max: ${seconds(settings.maxRetryDelayMs)}). ${failure.message}`;
    return { failure: { ...failure, message } };
  }
  return { wait: demanded };
}

function isRetryable(failure: Failure, shouldRetry: string | null | undefined): boolean {
  if (shouldRetry === "false" || NEVER.has(failure.kind)) return false;
  return shouldRetry === "true" || failure.action === "retry";
}

const seconds = (milliseconds: number): string => `${Math.ceil(milliseconds / 1000)}s`;
