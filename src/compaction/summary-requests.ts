import type { CompactionReason } from "../../machines/types.ts";
import type { Failure, FailureKind } from "../errors/types.ts";
import { readReply } from "../model/read-reply.ts";
import { emptyUsage } from "../model/reply.ts";
import type { AssistantMessage, ModelRequest, Usage } from "../model/types.ts";
import { addUsage } from "../model/usage.ts";
import { retry, sleep } from "../retry/index.ts";
import { answerText, SummaryError } from "./summary-answer.ts";
import type { SummaryPorts, SummarySource } from "./types.ts";

/** For whom the requests are made, as events tell it. */
export interface SummaryPurpose {
  source: SummarySource;
  reason?: CompactionReason;
}

/** Sends summary requests, with the retry budget for each, and counts what they cost. */
export class SummaryRequests {
  /** Of all requests so far, failed ones included. */
  usage: Usage = emptyUsage();
  count = 0;
  readonly #ports: SummaryPorts;
  readonly #purpose: SummaryPurpose;

  constructor(ports: SummaryPorts, purpose: SummaryPurpose) {
    this.#ports = ports;
    this.#purpose = purpose;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#ports.clock.now();
  }

  /**
   * The text of a whole answer.
   *
   * @throws SummaryError when there is none after all retries.
   * @throws the signal's reason after an abort.
   */
  async ask(request: ModelRequest): Promise<string> {
    const { retry: settings, clock, random, signal, onEvent } = this.#ports;
    let scheduled = false;
    let success = false;
    let last: Failure | undefined;
    try {
      const { value } = await retry(
        async (attempt) => {
          if (attempt > 1) onEvent({ type: "summarization_retry_attempt_start", ...this.#purpose });
          return answerText(await this.#send(request));
        },
        {
          attempts: 1 + this.#mostRetries(),
          baseDelayMs: settings.baseDelayMs,
          maxDelayMs: settings.maxDelayMs,
          jitter: settings.jitter,
          signal,
          random,
          sleep: (milliseconds, waitSignal) => sleep(clock, milliseconds, waitSignal),
          shouldRetry: (error, attempt) => {
            last = error instanceof SummaryError ? error.failure : undefined;
            return last !== undefined && this.#worthRetrying(last, attempt);
          },
          retryAfter: () => last?.retryAfterMs,
          onRetry: ({ attempt, delayMs }) => {
            scheduled = true;
            const maxAttempts = this.#retriesFor(last?.kind);
            onEvent({ type: "summarization_retry_scheduled", attempt, maxAttempts, delayMs, errorMessage: last?.message ?? "" });
          },
        },
      );
      success = true;
      return value;
    } catch (error) {
      // What failed last says more than that the tries are used up.
      throw signal.aborted || last === undefined ? error : new SummaryError(last);
    } finally {
      if (scheduled) onEvent({ type: "summarization_retry_finished", success });
    }
  }

  async #send(request: ModelRequest): Promise<AssistantMessage> {
    const { model, beforeRequest, signal, clock, random, limits, requestRetry, classify } = this.#ports;
    const refusal = beforeRequest?.();
    if (refusal !== undefined) throw new SummaryError(refusal);
    this.count += 1;
    const reply = await readReply(model, request, {
      signal,
      clock,
      random,
      limits,
      ...(requestRetry === undefined ? {} : { requestRetry }),
      ...(classify === undefined ? {} : { classify }),
    });
    this.usage = addUsage(this.usage, reply.usage);
    return reply;
  }

  #worthRetrying({ action, kind, retryAfterMs = 0 }: Failure, attempt: number): boolean {
    const { longestDemandedWaitMs = 0, maxDelayMs, policies } = this.#ports.retry;
    // Overflow has one way out, a smaller request: no policy can have the same one sent again.
    const chosen = action === "compact" ? action : (policies?.[kind]?.action ?? action);
    return chosen === "retry" && attempt <= this.#retriesFor(kind) && retryAfterMs <= Math.max(maxDelayMs, longestDemandedWaitMs);
  }

  #retriesFor(kind: FailureKind | undefined): number {
    const { maxRetries, policies } = this.#ports.retry;
    return (kind === undefined ? undefined : policies?.[kind]?.maxRetries) ?? maxRetries;
  }

  #mostRetries(): number {
    const { enabled, maxRetries, policies = {} } = this.#ports.retry;
    return enabled ? Math.max(maxRetries, ...Object.values(policies).map((policy) => policy.maxRetries ?? 0)) : 0;
  }
}
