import type { Entry } from "../../log/types.ts";

/** Whether the model is shown an entry, and if not, why not. */
export interface ModelView {
  shown: boolean;
  /** For people; set when it is left out, or shown in another form. */
  why?: string;
}

type Edits = ReadonlyMap<string, Extract<Entry, { type: "context_edit" }>>;

/** The same answer as the log's projection, with reasons, worked out from the entries alone. */
export function modelView(entries: readonly Entry[]): Map<string, ModelView> {
  const branch = activeBranch(entries);
  const compactedAt = branch.findLastIndex(({ type }) => type === "compaction");
  const keptFrom = firstKept(branch, compactedAt);
  const onBranch = new Set(branch.map(({ id }) => id));
  const views = new Map<string, ModelView>();
  for (const { id } of entries) if (!onBranch.has(id)) views.set(id, { shown: false, why: "on another branch of the session" });
  for (const { id } of branch.slice(0, keptFrom)) views.set(id, { shown: false, why: "replaced by the summary of a compaction" });

  const kept = branch.slice(keptFrom);
  const edits: Edits = new Map(kept.filter((entry) => entry.type === "context_edit").map((edit) => [edit.targetId, edit]));
  const callers = new Map<string, Entry>();
  for (const entry of kept) {
    const earlierCompaction = entry.type === "compaction" && entry !== branch[compactedAt];
    views.set(
      entry.id,
      earlierCompaction ? { shown: false, why: "replaced by a later summary" } : viewOf(entry, edits, callers, views),
    );
    for (const id of callsOf(entry)) callers.set(id, entry);
  }
  return views;
}

/** From the root to the entry written last. */
function activeBranch(entries: readonly Entry[]): Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const branch: Entry[] = [];
  for (let entry = entries.at(-1); entry; entry = entry.parentId === null ? undefined : byId.get(entry.parentId))
    branch.push(entry);
  return branch.toReversed();
}

function firstKept(branch: readonly Entry[], compactedAt: number): number {
  const compaction = branch[compactedAt];
  if (compaction?.type !== "compaction") return 0;
  const kept = branch.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  return kept === -1 || kept > compactedAt ? compactedAt : kept;
}

function viewOf(
  entry: Entry,
  edits: Edits,
  callers: ReadonlyMap<string, Entry>,
  views: ReadonlyMap<string, ModelView>,
): ModelView {
  const why = whyLeftOut(entry, edits, callers, views);
  if (why !== undefined) return { shown: false, why };
  if (entry.type === "compaction") return { shown: true, why: "shown first, in place of what it sums up" };
  const isEdited = edits.has(entry.id) && (entry.type === "message" || entry.type === "custom_message");
  return isEdited ? { shown: true, why: "shown in a shortened form" } : { shown: true };
}

function whyLeftOut(
  entry: Entry,
  edits: Edits,
  callers: ReadonlyMap<string, Entry>,
  views: ReadonlyMap<string, ModelView>,
): string | undefined {
  const isOmitted = edits.get(entry.id)?.replacement === null;
  switch (entry.type) {
    case "message":
      break;
    case "branch_summary":
      return entry.summary === "" ? "an empty summary" : isOmitted ? "left out by an edit" : undefined;
    case "compaction":
    case "custom_message":
      return isOmitted ? "left out by an edit" : undefined;
    default:
      return "not a message";
  }
  const { message } = entry;
  if (message.role === "assistant") {
    if (message.stopReason === "error") return "a reply that failed";
    if (message.stopReason === "aborted") return "a reply that was aborted";
    return isOmitted ? "left out so that the request could be repeated" : undefined;
  }
  if (isOmitted) return "left out by an edit";
  if (message.role !== "toolResult") return undefined;
  const caller = callers.get(message.toolCallId);
  const hasCall = caller && views.get(caller.id)?.shown && !edits.has(caller.id);
  return hasCall ? undefined : "its tool call is left out";
}

function callsOf(entry: Entry): string[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  return entry.message.content.filter((block) => block.type === "toolCall").map(({ id }) => id);
}
