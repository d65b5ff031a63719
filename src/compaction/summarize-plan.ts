import { unlessAborted } from "./abortable.ts";
import { blankReplacement } from "./failures.ts";
import { collectTouchedFiles, type TouchedFiles } from "./files.ts";
import type { CompactionPlan } from "./plan.ts";
import { currentRequestOf, withNotes, withoutNotes } from "./summary-notes.ts";
import type { SummaryRequests } from "./summary-requests.ts";
import { userWords } from "./summary-transcript.ts";
import { writeSummary } from "./summary.ts";
import type { CompactionPorts } from "./types.ts";

/** What a compaction entry says of what was summarised. */
export interface WrittenSummary {
  summary: string;
  details: TouchedFiles;
  /** The application wrote it, and not the model. */
  fromHook?: true;
}

/**
 * Writes the summary that a plan calls for: the application's own function does, where there is one that wants to, else the
 * model.
 *
 * @throws SummaryError, whatever the application's function throws, and the signal's reason after an abort.
 */
export async function summarizePlan(
  ports: CompactionPorts,
  requests: SummaryRequests,
  plan: CompactionPlan,
  instructions: string | undefined,
): Promise<WrittenSummary> {
  const { summarize, signal, contextWindow, reserveTokens, model } = ports;
  const messages = plan.summarised.map(({ message }) => message);
  const details = collectTouchedFiles(earlierDetails(ports, plan), messages, ports.fileTools);
  const previousSummary = plan.previous && withoutNotes(plan.previous.summary);
  const input = { messages, ...(previousSummary ? { previousSummary } : {}), ...(instructions ? { instructions } : {}) };

  const replacement = summarize && (await unlessAborted(summarize({ ...input, signal }), signal));
  if (replacement !== undefined) {
    if (replacement.trim() === "") throw blankReplacement();
    return { summary: replacement, details, fromHook: true };
  }
  const text = await writeSummary(requests, model, {
    ...input,
    reserveTokens,
    density: plan.density,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(plan.openTurn === undefined ? {} : { openTurn: plan.openTurn }),
  });
  return { summary: withNotes(text, details, currentRequest(plan)), details };
}

/** Details of the summaries that the new one stands for too. */
function earlierDetails({ log }: CompactionPorts, { previous, summarised }: CompactionPlan): unknown[] {
  const entries = summarised.map(({ entryId }) => log.entry(entryId));
  return [previous?.details, ...entries.map((entry) => (entry?.type === "branch_summary" ? entry.details : undefined))];
}

/** What the user asked for in the turn that is split: the model has to see its words, not only a summary of them. */
function currentRequest({ summarised, openTurn, kept, previous }: CompactionPlan): string | undefined {
  if (openTurn !== undefined) return userWords(summarised[openTurn]?.message);
  // The turn began before the compaction before: its request is quoted there.
  const startsInTurn = kept.items[0]?.message.role !== "user" && !summarised.some(({ message }) => message.role === "user");
  return startsInTurn && previous !== undefined ? currentRequestOf(previous.summary) : undefined;
}
