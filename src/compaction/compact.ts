import { LogError } from "../log/errors.ts";
import { shownMessage } from "../log/shown-message.ts";
import type { CompactionEntry, EntryDraft, ProjectedMessage } from "../log/types.ts";
import { failureOf } from "./failures.ts";
import { planCompaction, type CompactionPlan } from "./plan.ts";
import { shortenToolResults, type Shortening } from "./shorten.ts";
import { summarizePlan, type WrittenSummary } from "./summarize-plan.ts";
import { SummaryRequests } from "./summary-requests.ts";
import type {
  CompactionDone,
  CompactionNotDone,
  CompactionOutcome,
  CompactionPorts,
  CompactionRequest,
  CompactionResult,
} from "./types.ts";

/**
 * Makes room in the context: summarises its older part, keeps the newest messages as they are, and shortens the largest tool
 * results among these where they do not fit by themselves.
 *
 * Everything is worked out before anything is written, and written in one `commit`: summary, shortenings and omissions. A
 * compaction that would not help, fails or is aborted leaves the log as it was. It never rejects, and it returns right after
 * the commit, with nothing awaited in between.
 */
export async function compact(ports: CompactionPorts, request: CompactionRequest): Promise<CompactionOutcome> {
  const compaction = new Compaction(ports, request);
  try {
    return await compaction.run();
  } catch (error) {
    return compaction.failed(error);
  }
}

class Compaction {
  readonly #ports: CompactionPorts;
  readonly #request: CompactionRequest;
  readonly #requests: SummaryRequests;
  #before = 0;

  constructor(ports: CompactionPorts, request: CompactionRequest) {
    this.#ports = ports;
    this.#request = request;
    this.#requests = new SummaryRequests(ports, { source: "compaction", reason: request.reason });
  }

  async run(): Promise<CompactionOutcome> {
    const { log, meter, signal, contextWindow, reserveTokens, keepRecentTokens, pendingTokens = 0 } = this.#ports;
    const { reason, omit, instructions } = this.#request;
    this.#before = meter.tokens();
    if (signal.aborted) return this.#aborted();
    const plan = planCompaction(log, meter, { reason, omit, contextWindow, reserveTokens, keepRecentTokens, pendingTokens });
    if (plan.summarised.length === 0) return this.#shortenOnly(plan);

    // When what is kept is too much by itself no summary can help, so none is paid for.
    const least = this.#size(plan.kept.items);
    if (least >= plan.limit) return this.#noProgress(least, plan.limit);

    const written = await summarizePlan(this.#ports, this.#requests, plan, instructions?.trim());
    if (signal.aborted) return this.#aborted();
    return this.#commitSummary(plan, written);
  }

  failed(error: unknown): CompactionNotDone {
    if (this.#ports.signal.aborted && !(error instanceof LogError)) return this.#aborted();
    const failure = failureOf(error);
    return this.#notDone({ status: "failed", reason: failure.message, failure });
  }

  #commitSummary(plan: CompactionPlan, written: WrittenSummary): CompactionOutcome {
    const { projection } = this.#ports.log;
    if (projection.generation !== plan.generation) return this.#changedMeanwhile();
    const newer = projection.items.slice(plan.itemCount);
    const draft = {
      type: "compaction" as const,
      ...written,
      firstKeptEntryId: plan.kept.items[0]?.entryId ?? "",
      tokensBefore: this.#before,
      ...(this.#requests.count === 0 ? {} : { usage: this.#requests.usage }),
    };
    const shown: CompactionEntry = {
      ...draft,
      id: "",
      parentId: null,
      timestamp: new Date(this.#ports.clock.now()).toISOString(),
    };
    const size = (kept: Shortening): number => this.#size([...kept.items, ...newer], shown);

    let { kept } = plan;
    let after = size(kept);
    if (after >= plan.limit) {
      // The summary is larger than the plan allowed for.
      kept = this.#shortenFurther(kept, after - plan.limit + 1);
      after = size(kept);
    }
    if (after >= plan.limit) return this.#noProgress(after, plan.limit);
    const { summary, firstKeptEntryId, details } = draft;
    return this.#commit([draft, ...kept.drafts], { summary, firstKeptEntryId, details });
  }

  /** Nothing is old enough to be summarised; large tool results may still be what fills the context. */
  #shortenOnly({ kept, previous, limit }: CompactionPlan): CompactionOutcome {
    const first = kept.items[0];
    if (first === undefined || kept.drafts.length === 0) return this.#nothing();
    const after = this.#size(kept.items, previous);
    if (after >= limit) return this.#noProgress(after, limit);
    return this.#commit(kept.drafts, { summary: previous?.summary ?? "", firstKeptEntryId: first.entryId });
  }

  #commit(
    drafts: readonly EntryDraft[],
    result: Pick<CompactionResult, "summary" | "firstKeptEntryId" | "details">,
  ): CompactionOutcome {
    const omissions = this.#request.omit.map((targetId): EntryDraft => ({ type: "context_edit", targetId, replacement: null }));
    // Omissions come last: of a write that a crash cuts short, they are there only if the rest is.
    const entries = this.#ports.commit([...drafts, ...omissions]);
    const made =
      entries.find(({ type }) => type === "compaction") ??
      entries.findLast((entry) => entry.type === "context_edit" && entry.replacement !== null);
    const tokensAfter = this.#ports.meter.tokens();
    const { usage, count } = this.#requests;
    const done: CompactionDone = {
      status: "done",
      entryId: made?.id ?? "",
      tokensBefore: this.#before,
      tokensAfter,
      result: { ...result, tokensBefore: this.#before, estimatedTokensAfter: tokensAfter, ...(count === 0 ? {} : { usage }) },
      usage,
      requests: count,
    };
    this.#ports.onDone?.(done);
    return done;
  }

  #shortenFurther(kept: Shortening, excess: number): Shortening {
    const { estimate } = this.#ports.meter;
    const size = kept.items.reduce((total, { message }) => total + estimate(message), 0);
    const further = shortenToolResults(kept.items, estimate, size - excess);
    const replaced = new Set(further.drafts.map((draft) => (draft.type === "context_edit" ? draft.targetId : "")));
    const earlier = kept.drafts.filter((draft) => draft.type === "context_edit" && !replaced.has(draft.targetId));
    return { items: further.items, drafts: [...earlier, ...further.drafts] };
  }

  /** Tokens of a context of these items, after what is shown of `summary`; with nothing in it that a provider has counted. */
  #size(items: readonly ProjectedMessage[], summary?: CompactionEntry): number {
    const { meter } = this.#ports;
    const lead = summary && shownMessage(summary);
    return items.reduce(
      (total, { message }) => total + meter.estimate(message),
      meter.overheadTokens() + (lead === undefined ? 0 : meter.estimate(lead)),
    );
  }

  #nothing(): CompactionNotDone {
    return this.#notDone({
      status: "nothing",
      reason: `There is nothing to compact: all of the ${this.#before} tokens are recent enough to be kept, and no tool result is large enough to be shortened.`,
    });
  }

  #noProgress(after: number, limit: number): CompactionNotDone {
    return this.#notDone({
      status: "no_progress",
      reason: `Compaction would not help: the context would take ${Math.ceil(after)} tokens instead of ${this.#before}, and has to be under ${Math.ceil(limit)}.`,
    });
  }

  #changedMeanwhile(): CompactionNotDone {
    return this.#notDone({
      status: "failed",
      reason: "The conversation was changed while it was being summarised; the summary was dropped.",
    });
  }

  #aborted(): CompactionNotDone {
    return this.#notDone({ status: "aborted", reason: "The compaction was aborted." });
  }

  #notDone(why: Pick<CompactionNotDone, "status" | "reason" | "failure">): CompactionNotDone {
    return { ...why, tokensBefore: this.#before, usage: this.#requests.usage, requests: this.#requests.count };
  }
}
