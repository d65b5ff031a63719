import type { Failure } from "../../errors/types.ts";
import { StreamFault } from "../faults.ts";
import type { RequestRetrySettings } from "../types.ts";

/** The waits between tries where none is demanded: `min(0.5 * 2^n, 8)` s, less up to a quarter of it. */
export const REQUEST_BACKOFF = { baseDelayMs: 500, maxDelayMs: 8000, jitter: -0.25 };

/** Kinds no header can make worth another try: they would fail in the same way and hide what is wrong. */
const NEVER: ReadonlySet<Failure["kind"]> = new Set(["quota_exhausted", "auth", "invalid_request", "context_overflow"]);

/** A request that was refused, or failed before its stream had begun. */
export class FailedRequest extends StreamFault {
  /** Whether it is to be sent again. */
  readonly again: boolean;

  constructor(failure: Failure, again: boolean) {
    super(failure);
    this.again = again;
  }
}

/**
 * Decides on request-level retry.
 *
 * @param retries Retries made so far.
 * @param shouldRetry The response's `x-should-retry` header: `true` and `false` overrule our own judgement.
 */
export function failedRequest(
  failure: Failure,
  retries: number,
  settings: RequestRetrySettings,
  shouldRetry: string | null,
): FailedRequest {
  if (retries >= settings.maxRetries || !isRetryable(failure, shouldRetry)) return new FailedRequest(failure, false);
  const demanded = failure.retryAfterMs ?? 0;
  if (settings.maxRetryDelayMs <= 0 || demanded <= settings.maxRetryDelayMs) return new FailedRequest(failure, true);
  const message = `Server requested ${seconds(demanded)} retry delay (max: ${seconds(settings.maxRetryDelayMs)}). ${failure.message}`;
  return new FailedRequest({ ...failure, message }, false);
}

function isRetryable(failure: Failure, shouldRetry: string | null): boolean {
  if (shouldRetry === "false" || NEVER.has(failure.kind)) return false;
  return shouldRetry === "true" || failure.action === "retry";
}

const seconds = (milliseconds: number): string => `${Math.ceil(milliseconds / 1000)}s`;
