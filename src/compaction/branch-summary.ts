import type { Failure } from "../errors/types.ts";
import { LogError } from "../log/errors.ts";
import { BranchProjection } from "../log/projection.ts";
import type { Entry, SessionLog } from "../log/types.ts";
import type { Message, Usage } from "../model/types.ts";
import { failureOf } from "./failures.ts";
import { collectTouchedFiles, type FileTools } from "./files.ts";
import { withNotes } from "./summary-notes.ts";
import { SummaryRequests } from "./summary-requests.ts";
import { writeSummary } from "./summary.ts";
import type { SummaryPorts } from "./types.ts";

export interface BranchSummaryPorts extends SummaryPorts {
  log: SessionLog;
  /** Window to assume where the model states none, in tokens. */
  contextWindow?: number;
  /** Tokens to leave free for the reply. */
  reserveTokens: number;
  /** Which tools touch files; default {@link DEFAULT_FILE_TOOLS}. */
  fileTools?: FileTools;
}

export interface BranchSummaryRequest {
  /** The entry to go on from; null for a new beginning. */
  to: string | null;
  /** What the person who asked wants of the summary. */
  instructions?: string;
}

interface Spent {
  usage: Usage;
  requests: number;
}

/** `moved`: the log is at `to`, where there was nothing to summarise. `failed` and `aborted`: the log is where it was. */
export type BranchSummaryOutcome =
  | ({ status: "done"; entryId: string; summary: string } & Spent)
  | ({ status: "moved" } & Spent)
  | ({ status: "failed" | "aborted"; reason: string; failure?: Failure } & Spent);

/** The messages of the branch that would be left, from where it parts from `to`, as the model was shown them. */
function abandonedPart(log: SessionLog, to: string | null): { entries: Entry[]; messages: Message[] } {
  const staying = new Set(to === null ? [] : log.branch(to).map(({ id }) => id));
  const entries = log.branch().filter(({ id }) => !staying.has(id));
  const abandoned = new Set(entries.map(({ id }) => id));
  const projection = new BranchProjection((id) => log.entry(id));
  projection.reset(entries);
  return { entries, messages: projection.items.filter(({ entryId }) => abandoned.has(entryId)).map(({ message }) => message) };
}

/**
 * Goes to another branch of the log, and leaves there a summary of the branch that is left, so that what was tried on it is
 * not forgotten. Never rejects; moves only when the summary is there.
 */
export async function moveWithSummary(ports: BranchSummaryPorts, request: BranchSummaryRequest): Promise<BranchSummaryOutcome> {
  const { log, signal, model, contextWindow, reserveTokens } = ports;
  const requests = new SummaryRequests(ports, { source: "branch_summary" });
  const spent = (): Spent => ({ usage: requests.usage, requests: requests.count });
  const aborted = (): BranchSummaryOutcome => ({ status: "aborted", reason: "The branch summary was aborted.", ...spent() });
  if (signal.aborted) return aborted();
  const leaf = log.leafId;
  try {
    const { entries, messages } = abandonedPart(log, request.to);
    if (messages.length === 0) {
      log.moveTo(request.to);
      return { status: "moved", ...spent() };
    }
    const instructions = request.instructions?.trim();
    const text = await writeSummary(requests, model, {
      messages,
      abandoned: true,
      reserveTokens,
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(instructions ? { instructions } : {}),
    });
    if (signal.aborted) return aborted();
    const summaries = entries.filter((entry) => entry.type === "compaction" || entry.type === "branch_summary");
    const files = collectTouchedFiles(
      summaries.map(({ details }) => details),
      messages,
      ports.fileTools,
    );
    const summary = withNotes(text, files);
    log.moveTo(request.to);
    const entry = log.append({
      type: "branch_summary",
      fromId: leaf ?? "root",
      summary,
      details: files,
      ...(requests.count === 0 ? {} : { usage: requests.usage }),
    });
    return { status: "done", entryId: entry.id, summary, ...spent() };
  } catch (error) {
    if (log.leafId !== leaf) log.moveTo(leaf);
    if (signal.aborted && !(error instanceof LogError)) return aborted();
    const failure = failureOf(error);
    return { status: "failed", reason: failure.message, failure, ...spent() };
  }
}
