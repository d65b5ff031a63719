import type { SessionMachineEmitted, SettledOutcome } from "../../machines/types.ts";
import type { Failure } from "../errors/types.ts";
import type { EntryDraft } from "../log/types.ts";
import { continuationOf } from "../model/index.ts";
import type { CompactionHost } from "./compaction-host.ts";
import { omitDrafts, retryDraft } from "./durable-state.ts";
import { largestItem } from "./largest-item.ts";
import { PromptCycle } from "./prompt-cycle.ts";
import { nothingDone } from "./open-prompts.ts";
import type { RunHost } from "./run-host.ts";
import { flush, portFailure, recordOrFail, type SessionParts } from "./session-parts.ts";

type Emitted<Type extends SessionMachineEmitted["type"]> = Extract<SessionMachineEmitted, { type: Type }>;

const BEGINNINGS = new Set<SessionMachineEmitted["type"]>(["agent_start", "auto_retry_start", "compaction_start"]);

/** Does what the statechart says: carries out its orders, and tells subscribers of its decisions with what they need to know. */
export class MachineOutput {
  readonly #parts: SessionParts;
  readonly #runs: RunHost;
  /** What could not be written of a run that has ended: the prompt ends with it, the session has settled already. */
  #notRecorded: Failure | undefined;
  readonly #compactions: CompactionHost;
  #unsettled = false;

  constructor(parts: SessionParts, runs: RunHost, compactions: CompactionHost) {
    this.#parts = parts;
    this.#runs = runs;
    this.#compactions = compactions;
  }

  /** Something was begun, and its end is not told yet, though the statechart may rest already. */
  get unsettled(): boolean {
    return this.#unsettled;
  }

  handle(emitted: SessionMachineEmitted): void {
    const { emitter } = this.#parts;
    if (BEGINNINGS.has(emitted.type) && !this.#unsettled) {
      this.#unsettled = true;
      this.#parts.cycle = new PromptCycle();
    }
    switch (emitted.type) {
      case "agent_start":
        return emitter.emit({ type: "agent_start" });
      case "agent_end":
        return emitter.emit({ ...emitted, messages: this.#runs.messages });
      case "auto_retry_start":
        this.#parts.cycle.retries++;
        return emitter.emit(emitted);
      case "omit_reply":
        return this.#omitForRetry(emitted.entryIds);
      case "abort_run":
        return this.#runs.abort(emitted.token);
      case "cut_run":
        this.#notRecorded = this.#runs.cut(emitted.token);
        return;
      case "compaction_end":
        return this.#endCompaction(emitted);
      case "agent_settled":
        return this.#settle(emitted.outcome, emitted.queued);
      default:
        return emitter.emit(emitted);
    }
  }

  /** Leaves a failed reply out of the context, in one write with what else is to be remembered. @throws LogError */
  omit(entryIds: readonly string[], also: readonly EntryDraft[] = []): void {
    for (const entry of this.#parts.log.appendAll([...omitDrafts(entryIds), ...also])) {
      if (entry.type === "context_edit") this.#parts.emitter.emit({ type: "entry_appended", entry });
    }
  }

  #omitForRetry(entryIds: readonly string[]): void {
    recordOrFail(this.#parts, () => {
      const { attempt, retryAt, run } = this.#parts.actor.getSnapshot().context;
      const pending = run?.failure && retryAt !== null ? [retryDraft({ attempt, retryAt, failure: run.failure })] : [];
      this.omit(entryIds, pending);
      this.#parts.retryRecorded = pending.length > 0;
      void flush(this.#parts);
    });
    this.#handlePartial();
  }

  /** What had come of the failed reply is gone on with, where that is wanted and can be; else it is void, and that is said. */
  #handlePartial(): void {
    const { settings, model, emitter } = this.#parts;
    const { lastReply } = this.#runs;
    if (!lastReply || lastReply.content.length === 0) return;
    if (settings.stream.onInterrupted === "continue" && continuationOf(lastReply, model)) this.#parts.cutReply = lastReply;
    else emitter.emit({ type: "partial_discarded", message: lastReply });
  }

  #endCompaction({ reason, aborted, willRetry, entryId, errorMessage }: Emitted<"compaction_end">): void {
    const result = entryId === undefined ? undefined : this.#compactions.lastResult;
    if (reason === "manual") this.#unsettled = false;
    // It rests without a settle: what waits in a queue waits for whatever comes next.
    const closing = reason === "manual" && aborted ? this.#parts.prompts.take() : undefined;
    const answer = reason === "manual" ? this.#compactions.takeByHand() : undefined;
    this.#parts.emitter.emit({
      type: "compaction_end",
      reason,
      aborted,
      willRetry,
      ...(result ? { result } : {}),
      ...(errorMessage === undefined ? {} : { errorMessage }),
    });
    answer?.(result, errorMessage);
    closing?.(nothingDone(), undefined);
  }

  #settle(settled: SettledOutcome, queued: number): void {
    const { cycle, prompts, emitter, log } = this.#parts;
    const outcome = cycle.outcome({ ...settled, failure: this.#withLargestItem(settled.failure) });
    const closing = prompts.take();
    this.#unsettled = false;
    this.#parts.cutReply = undefined;
    const notRecorded = this.#giveUpPendingRetry() ?? this.#notRecorded;
    this.#notRecorded = undefined;
    emitter.emit({ type: "agent_settled", aborted: settled.status === "aborted", outcome, queued });
    // A log in memory has nothing to wait for.
    if (notRecorded) closing(outcome, Promise.resolve(notRecorded));
    else closing(outcome, log.path === undefined ? undefined : flush(this.#parts));
  }

  /** Who has to make the context smaller should know what fills it. */
  #withLargestItem(failure: Failure | null): Failure | null {
    const largest = failure?.kind === "context_overflow" ? largestItem(this.#parts) : undefined;
    return failure && largest ? { ...failure, hint: `${failure.hint} ${largest}` } : failure;
  }

  /** A wait that was given up must not be resumed from the log. @returns The failure, when that could not be written. */
  #giveUpPendingRetry(): Failure | undefined {
    const { retryRecorded, actor, log } = this.#parts;
    if (!retryRecorded || actor.getSnapshot().context.pending) return undefined;
    try {
      log.append(retryDraft({ attempt: 0 }));
      this.#parts.retryRecorded = false;
      return undefined;
    } catch (error) {
      return portFailure(error);
    }
  }
}
