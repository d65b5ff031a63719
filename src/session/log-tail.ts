import type { LogTail } from "../../machines/types.ts";
import { isFailedReply, type Entry, type MessageEntry, type SessionLog } from "../log/index.ts";

/** What the active branch ends with. */
export interface Tail {
  tail: LogTail;
  /** The last message entry. */
  last: MessageEntry | undefined;
  /** The last entry's reply failed and is not yet left out of the context by an edit. */
  failedReplyId: string | undefined;
}

/** Reads backwards from the leaf to the last message. */
export function logTail(log: SessionLog): Tail {
  const decided = new Set<string>();
  const omitted = new Set<string>();
  let entry = log.leafId === null ? undefined : log.entry(log.leafId);
  while (entry && entry.type !== "message") {
    // The latest edit counts, and only one without a replacement omits.
    if (entry.type === "context_edit" && !decided.has(entry.targetId)) {
      decided.add(entry.targetId);
      if (entry.replacement === null) omitted.add(entry.targetId);
    }
    entry = entry.parentId === null ? undefined : log.entry(entry.parentId);
  }
  if (!entry) return { tail: "answered", last: undefined, failedReplyId: undefined };
  const { message, id } = entry;
  if (isFailedReply(message)) return { tail: "failedReply", last: entry, failedReplyId: omitted.has(id) ? undefined : id };
  const tail = message.role === "assistant" ? (omitted.has(id) ? "unanswered" : "answered") : "unanswered";
  return { tail, last: entry, failedReplyId: undefined };
}

/** The entries of the active branch, the latest first. */
export function* backwards(log: SessionLog): Generator<Entry> {
  let id = log.leafId;
  while (id !== null) {
    const entry = log.entry(id);
    if (!entry) return;
    yield entry;
    id = entry.parentId;
  }
}
