import type { CompactionInput, CompactionOutcome, CompactionTask } from "../../machines/types.ts";
import { compact, type CompactionResult } from "../compaction/index.ts";
import type { CompactionOutcome as Compacted } from "../compaction/types.ts";
import type { EntryDraft } from "../log/types.ts";
import { overflowRecoveryDraft } from "./durable-state.ts";
import { CompactionError } from "./errors.ts";
import { contextTokensWith, contextWindowOf, limitReached, nextQueued, portFailure, streamLimitsOf, type SessionParts } from "./session-parts.ts";

/** Makes compactions for the statechart. */
export class CompactionHost {
  readonly #parts: SessionParts;
  #byHand: { instructions: string | undefined; answer: (result: CompactionResult | Error) => void } | undefined;
  /** Of the last compaction that was done. */
  lastResult: CompactionResult | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Waits for the compaction that is asked for next, by hand. Rejects with a CompactionError that says why it was not done. */
  expectByHand(instructions: string | undefined): Promise<CompactionResult> {
    return new Promise((resolve, reject) => {
      const answer = (result: CompactionResult | Error): void => (result instanceof Error ? reject(result) : resolve(result));
      this.#byHand = { instructions, answer };
    });
  }

  answerByHand(result: CompactionResult | undefined, errorMessage: string | undefined): void {
    const answer = this.#byHand?.answer;
    this.#byHand = undefined;
    answer?.(result ?? new CompactionError(errorMessage ?? "The compaction was aborted."));
  }

  start({ token, task }: CompactionInput, finish: (outcome: CompactionOutcome) => void): () => void {
    const controller = new AbortController();
    void this.#compact(task, controller.signal).then(
      (compacted) => finish(this.#outcome(token, compacted)),
      (error: unknown) => finish(this.#broken(token, error)),
    );
    return () => controller.abort();
  }

  #compact(task: CompactionTask, signal: AbortSignal): Promise<Compacted> {
    const parts = this.#parts;
    const { settings, compaction, cycle } = parts;
    const { enabled, maxRetries, baseDelayMs, maxAgentDelayMs, jitter, longWait } = settings.retry;
    const contextWindow = contextWindowOf(parts);
    const instructions = task.purpose === "manual" ? this.#byHand?.instructions : undefined;
    return compact(
      {
        log: parts.log,
        meter: parts.meter,
        model: compaction.model ?? parts.model,
        clock: parts.clock,
        random: parts.random,
        signal,
        ...(contextWindow === undefined ? {} : { contextWindow }),
        reserveTokens: settings.compaction.reserveTokens,
        keepRecentTokens: settings.compaction.keepRecentTokens,
        retry: { enabled, maxRetries, baseDelayMs, maxDelayMs: maxAgentDelayMs, jitter, longestDemandedWaitMs: longWait.waitUpToMs },
        limits: streamLimitsOf(settings),
        onEvent: (event) => {
          if (!signal.aborted) parts.emitter.emit(event);
        },
        beforeRequest: () => {
          const refusal = limitReached(parts);
          if (!refusal) cycle.requests++;
          return refusal;
        },
        ...(compaction.summarize ? { summarize: compaction.summarize } : {}),
        pendingTokens: contextTokensWith(parts, nextQueued(parts)) - parts.meter.tokens(),
        commit: (drafts) => parts.log.appendAll([...drafts, ...this.#mark(task)]),
      },
      { reason: task.reason, omit: task.omit, ...(instructions === undefined ? {} : { instructions }) },
    );
  }

  #mark({ purpose }: CompactionTask): EntryDraft[] {
    return purpose === "overflow" || purpose === "length" ? [overflowRecoveryDraft()] : [];
  }

  #outcome(token: number, compacted: Compacted): CompactionOutcome {
    this.#parts.cycle.addUsage(compacted.usage);
    if (compacted.status === "done") {
      this.lastResult = compacted.result;
      return { token, status: "done", contextTokens: compacted.tokensAfter, entryId: compacted.entryId };
    }
    const { status, tokensBefore, reason, failure } = compacted;
    return { token, status, contextTokens: tokensBefore, errorMessage: reason, ...(failure ? { failure } : {}) };
  }

  #broken(token: number, error: unknown): CompactionOutcome {
    const failure = portFailure(error);
    return { token, status: "failed", contextTokens: this.#parts.meter.tokens(), errorMessage: failure.message, failure };
  }
}
