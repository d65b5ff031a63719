import type { CompactionInput, CompactionOutcome, CompactionTask } from "../../machines/types.ts";
import { compact, type CompactionResult } from "../compaction/index.ts";
import type { CompactionOutcome as Compacted } from "../compaction/types.ts";
import type { EntryDraft } from "../log/types.ts";
import { overflowRecoveryDraft } from "./durable-state.ts";
import { CompactionError } from "./errors.ts";
import { contextTokensWith, contextWindowOf, nextQueued, portFailure, type SessionParts } from "./session-parts.ts";
import { SummaryEvents, summaryPorts } from "./summary-ports.ts";

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

  /** Takes the one who asked by hand, to be answered: a listener that is told of the end may ask for the next. */
  takeByHand(): (result: CompactionResult | undefined, errorMessage: string | undefined) => void {
    const answer = this.#byHand?.answer;
    this.#byHand = undefined;
    return (result, errorMessage) => answer?.(result ?? new CompactionError(errorMessage ?? "The compaction was aborted."));
  }

  start({ token, task }: CompactionInput, finish: (outcome: CompactionOutcome) => void): () => void {
    const controller = new AbortController();
    const events = new SummaryEvents((event) => this.#parts.emitter.emit(event));
    let done = false;
    const answer = (compacted: Compacted): void => {
      if (done) return;
      done = compacted.status === "done";
      finish(this.#outcome(token, compacted));
    };
    void this.#compact(task, controller.signal, events, answer).then(answer, (error: unknown) =>
      finish(this.#broken(token, error)),
    );
    return () => {
      events.stop();
      controller.abort();
    };
  }

  async #compact(
    task: CompactionTask,
    signal: AbortSignal,
    events: SummaryEvents,
    onDone: (compacted: Compacted) => void,
  ): Promise<Compacted> {
    // An abort by a listener of the start must find that no request was made.
    await Promise.resolve();
    const parts = this.#parts;
    const { reserveTokens, keepRecentTokens } = parts.settings.compaction;
    const { summarize, fileTools } = parts.compaction;
    const contextWindow = contextWindowOf(parts);
    const instructions = task.purpose === "manual" ? this.#byHand?.instructions : undefined;
    return compact(
      {
        ...summaryPorts(parts, signal, (event) => events.handle(event)),
        log: parts.log,
        meter: parts.meter,
        reserveTokens,
        keepRecentTokens,
        pendingTokens: contextTokensWith(parts, nextQueued(parts)) - parts.meter.tokens(),
        onDone,
        commit: (drafts) => parts.log.appendAll([...drafts, ...this.#mark(task)]),
        ...(contextWindow === undefined ? {} : { contextWindow }),
        ...(summarize ? { summarize } : {}),
        ...(fileTools ? { fileTools } : {}),
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
    return {
      token,
      status: "failed",
      contextTokens: this.#parts.actor.getSnapshot().context.contextTokens,
      errorMessage: failure.message,
      failure,
    };
  }
}
