/**
 * What of a session's state is kept in its log, as `custom` entries: the queues, a pending retry, and the overflow mark. What
 * the messages themselves say (a good reply ends a streak, a user message resets the mark) is not written a second time.
 */
import type { Failure } from "../errors/types.ts";
import type { EntryDraft } from "../log/types.ts";
import type { UserContent } from "../model/types.ts";

export type QueueName = "steering" | "followUp";

/** A message joined a queue, or left it: delivered (its message entry is in the same write) or taken back. */
export type QueueRecord =
  | { op: "add"; queue: QueueName; id: string; content: string | UserContent[] }
  | { op: "remove"; ids: string[] };

/** A wait before a retry began, or (attempt 0) was given up. It is over once a message follows it. */
export type RetryRecord = { attempt: number; retryAt: number; failure: Failure } | { attempt: 0 };

export const QUEUE_TYPE = "agent-session-machine/queue";
export const RETRY_TYPE = "agent-session-machine/retry";
/** The one compact-and-retry of the last user message is spent. */
export const OVERFLOW_RECOVERY_TYPE = "agent-session-machine/overflow-recovery";

export function queueDraft(record: QueueRecord): EntryDraft {
  return { type: "custom", customType: QUEUE_TYPE, data: record };
}

export function retryDraft(record: RetryRecord): EntryDraft {
  return { type: "custom", customType: RETRY_TYPE, data: record };
}

export function overflowRecoveryDraft(): EntryDraft {
  return { type: "custom", customType: OVERFLOW_RECOVERY_TYPE };
}

export function omitDrafts(entryIds: readonly string[]): EntryDraft[] {
  return entryIds.map((targetId) => ({ type: "context_edit", targetId, replacement: null }));
}
