import type { SummaryEvent, SummaryPorts } from "../compaction/types.ts";
import { limitReached, requestRetryOf, streamLimitsOf, type SessionParts } from "./session-parts.ts";

/** What a summary request needs, as the session is set now. */
export function summaryPorts(parts: SessionParts, signal: AbortSignal, onEvent: (event: SummaryEvent) => void): SummaryPorts {
  const { settings, compaction, classify } = parts;
  const { enabled, maxRetries, baseDelayMs, maxAgentDelayMs, jitter, longWait, policies } = settings.retry;
  return {
    model: compaction.model ?? parts.model,
    clock: parts.clock,
    random: parts.random,
    signal,
    retry: {
      enabled,
      maxRetries,
      baseDelayMs,
      maxDelayMs: maxAgentDelayMs,
      jitter,
      longestDemandedWaitMs: longWait.waitUpToMs,
      policies,
    },
    limits: streamLimitsOf(settings),
    requestRetry: requestRetryOf(settings),
    onEvent,
    beforeRequest: () => {
      const refusal = limitReached(parts);
      if (!refusal) parts.cycle.requests++;
      return refusal;
    },
    ...(classify ? { classify } : {}),
  };
}

/**
 * Passes summary events on until the work is stopped. A retry that is waited for at that moment is closed there, so that nothing
 * follows the end of what it belongs to.
 */
export class SummaryEvents {
  readonly #emit: (event: SummaryEvent) => void;
  #waiting = false;
  #stopped = false;

  constructor(emit: (event: SummaryEvent) => void) {
    this.#emit = emit;
  }

  handle(event: SummaryEvent): void {
    if (this.#stopped) return;
    this.#waiting = event.type !== "summarization_retry_finished";
    this.#emit(event);
  }

  stop(): void {
    if (this.#stopped) return;
    if (this.#waiting) this.#emit({ type: "summarization_retry_finished", success: false });
    this.#stopped = true;
  }
}
