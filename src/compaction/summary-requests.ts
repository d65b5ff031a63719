import type { CompactionReason } from "../../machines/types.ts";
import { makeFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";
import { readReply } from "../model/read-reply.ts";
import { emptyUsage } from "../model/reply.ts";
import type { AssistantMessage, ModelRequest, Usage } from "../model/types.ts";
import { retry, sleep } from "../retry/index.ts";
import type { SummaryPorts, SummarySource } from "./types.ts";
import { addUsage } from "../model/usage.ts";

/** A summary could not be had. */
export class SummaryError extends Error {
  override readonly name = "SummaryError";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

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
    let last: unknown;
    try {
      const { value } = await retry(
        async (attempt) => {
          if (attempt > 1) onEvent({ type: "summarization_retry_attempt_start", ...this.#purpose });
          return answerText(await this.#send(request));
        },
        {
          attempts: settings.enabled ? settings.maxRetries + 1 : 1,
          baseDelayMs: settings.baseDelayMs,
          maxDelayMs: settings.maxDelayMs,
          jitter: settings.jitter,
          signal,
          random,
          sleep: (milliseconds, waitSignal) => sleep(clock, milliseconds, waitSignal),
          shouldRetry: (error) => {
            last = error;
            return this.#worthRetrying(error);
          },
          retryAfter: (error) => (error instanceof SummaryError ? error.failure.retryAfterMs : undefined),
          onRetry: ({ attempt, maxAttempts, delayMs }) => {
            scheduled = true;
            onEvent({ type: "summarization_retry_scheduled", attempt, maxAttempts, delayMs, errorMessage: messageOf(last) });
          },
        },
      );
      success = true;
      return value;
    } catch (error) {
      // What failed last says more than that the tries are used up.
      throw !signal.aborted && last instanceof SummaryError ? last : error;
    } finally {
      if (scheduled) onEvent({ type: "summarization_retry_finished", success });
    }
  }

  async #send(request: ModelRequest): Promise<AssistantMessage> {
    const { model, beforeRequest, signal, clock, random, limits, requestRetry } = this.#ports;
    const refusal = beforeRequest?.();
    if (refusal !== undefined) throw new SummaryError(refusal);
    this.count += 1;
    const reply = await readReply(model, request, {
      signal,
      clock,
      random,
      limits,
      ...(requestRetry === undefined ? {} : { requestRetry }),
    });
    this.usage = addUsage(this.usage, reply.usage);
    return reply;
  }

  #worthRetrying(error: unknown): boolean {
    if (!(error instanceof SummaryError) || error.failure.action !== "retry") return false;
    const { longestDemandedWaitMs = 0, maxDelayMs } = this.#ports.retry;
    return (error.failure.retryAfterMs ?? 0) <= Math.max(maxDelayMs, longestDemandedWaitMs);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @throws SummaryError for anything but a whole answer in text. */
function answerText(reply: AssistantMessage): string {
  const text = reply.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  switch (reply.stopReason) {
    case "stop":
      if (text.trim() !== "") return text;
      throw new SummaryError(
        makeFailure({
          action: "retry",
          kind: "stream_interrupted",
          rule: "summary.empty",
          message: "The summary was empty",
          why: "An answer without text is no summary.",
          hint: "The same request usually works when it is sent again.",
        }),
      );
    case "length":
      throw new SummaryError(
        makeFailure({
          action: "stop",
          kind: "output_limit",
          rule: "summary.cut",
          message: "The summary was cut at the output limit",
          why: "A summary without its end has lost what comes next.",
          hint: "Use a model with a larger output limit for summaries (compaction.model), or raise compaction.reserveTokens.",
        }),
      );
    case "toolUse":
      throw new SummaryError(
        makeFailure({
          action: "stop",
          kind: "invalid_request",
          rule: "summary.tool-call",
          message: "The model called a tool instead of writing a summary",
          why: "Summary requests offer no tools.",
          hint: "Use another model for summaries (compaction.model).",
        }),
      );
    case "error":
    case "aborted":
      throw reply.failure === undefined
        ? new Error(reply.errorMessage ?? "The summary request was aborted")
        : new SummaryError(reply.failure);
  }
}
