import { hasEditableContent, isFailedReply } from "./shown-message.ts";
import type { ContextEditEntry, Entry, SessionLog } from "./types.ts";

/** Why the model is not shown an entry that has something to show, or not as it was written. */
export type Omission =
  | { reason: "other_branch" }
  /** It ended in `error` or `aborted`. */
  | { reason: "failed_reply"; stopReason: "error" | "aborted"; errorMessage?: string }
  /** An edit (`by`) leaves it out. */
  | { reason: "edited_out"; by: string }
  /** A compaction (`by`) stands for it. */
  | { reason: "compacted"; by: string }
  /** A tool result whose call is not shown. */
  | { reason: "call_not_shown" }
  /** Its role is not one of those the model sees. */
  | { reason: "not_for_the_model" }
  /** It is shown, with the content an edit (`by`) gave it. */
  | { reason: "replaced"; by: string };

/** The entries the model is not shown as they were written, by id, and why. Entries that never show anything are not among them. */
export function omissions(log: SessionLog): Map<string, Omission> {
  const branch = log.branch();
  const shown = new Set(log.projection.items.map((item) => item.entryId));
  const edits = new Map<string, ContextEditEntry>();
  for (const entry of branch) if (entry.type === "context_edit") edits.set(entry.targetId, entry);
  const compactionAt = branch.findLastIndex((entry) => entry.type === "compaction");
  const before = new Set(branch.slice(0, Math.max(0, compactionAt)).map((entry) => entry.id));
  const compaction = branch[compactionAt];
  const firstKept =
    compaction?.type === "compaction" ? branch.findIndex((entry) => entry.id === compaction.firstKeptEntryId) : -1;
  const kept = new Set(firstKept < 0 ? [] : branch.slice(firstKept, compactionAt).map((entry) => entry.id));
  const onBranch = new Set(branch.map((entry) => entry.id));

  const found = new Map<string, Omission>();
  for (const entry of log.entries) {
    if (!hasSomethingToShow(entry)) continue;
    const edit = edits.get(entry.id);
    if (!onBranch.has(entry.id)) found.set(entry.id, { reason: "other_branch" });
    else if (shown.has(entry.id)) {
      if (edit !== undefined && hasEditableContent(entry)) found.set(entry.id, { reason: "replaced", by: edit.id });
    } else if (entry.type === "message" && isFailedReply(entry.message)) {
      const { stopReason, errorMessage } = entry.message;
      found.set(entry.id, { reason: "failed_reply", stopReason, ...(errorMessage === undefined ? {} : { errorMessage }) });
    } else if (compaction !== undefined && before.has(entry.id) && (!kept.has(entry.id) || entry.type === "compaction")) {
      found.set(entry.id, { reason: "compacted", by: compaction.id });
    } else if (edit?.replacement === null) found.set(entry.id, { reason: "edited_out", by: edit.id });
    else if (entry.type === "message" && entry.message.role === "toolResult") found.set(entry.id, { reason: "call_not_shown" });
    else found.set(entry.id, { reason: "not_for_the_model" });
  }
  return found;
}

function hasSomethingToShow({ type }: Entry): boolean {
  return type === "message" || type === "custom_message" || type === "branch_summary" || type === "compaction";
}
