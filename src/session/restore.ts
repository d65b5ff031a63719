import type { Pending, RestoredState, SettledOutcome } from "../../machines/types.ts";
import type { Failure } from "../errors/types.ts";
import type { Entry, MessageEntry, SessionLog } from "../log/index.ts";
import type { ToolCallBlock, UserMessage } from "../model/types.ts";
import { OVERFLOW_RECOVERY_TYPE, QUEUE_TYPE, RETRY_TYPE, type QueueRecord, type RetryRecord } from "./durable-state.ts";
import { backwards, logTail } from "./log-tail.ts";
import { isUserContent } from "./user-message.ts";
import type { WaitingMessage } from "./message-queue.ts";
import { openCalls } from "./open-calls.ts";

/** A session that its log tells of, as it is to be gone on with. */
export interface RestoredSession {
  state: RestoredState;
  /** Messages that wait in a queue. */
  queued: WaitingMessage[];
  /** Calls that had no result when the process ended. */
  interruptedCalls: ToolCallBlock[];
  /** A wait is recorded as pending. */
  retryRecorded: boolean;
}

/** Reads what a log says of its session; undefined for a log without entries. Nothing is written. */
export function restore(log: SessionLog, now: number): RestoredSession | undefined {
  if (log.entries.length === 0) return undefined;
  const recent = sinceLastMessage(log);
  const { tail, last } = logTail(log);
  const open = openCalls(log);
  const overflowRecoveryUsed = isRecoveryUsed(log);
  const retry = recent.map(retryRecordOf).findLast((record) => record !== undefined);
  const pending =
    retry && retry.attempt > 0 && "retryAt" in retry
      ? pendingRetry(retry)
      : pendingCompaction(last, recent, overflowRecoveryUsed);
  const queues = queuedMessages(log, now);
  // A name or a model alone is no session that has run.
  if (last === undefined && queues.length === 0) return undefined;
  return {
    state: {
      attempt: 0,
      overflowRecoveryUsed,
      steering: queues.filter(({ queue }) => queue === "steering").map(({ id }) => id),
      followUp: queues.filter(({ queue }) => queue === "followUp").map(({ id }) => id),
      pending,
      outcome: open.length > 0 ? INTERRUPTED : outcomeOf(tail, last, pending),
    },
    queued: queues,
    interruptedCalls: open,
    retryRecorded: pending?.kind === "retry",
  };
}

const INTERRUPTED: SettledOutcome = { status: "interrupted", cut: false, failure: null };

function outcomeOf(tail: string, last: MessageEntry | undefined, pending: Pending | null): SettledOutcome {
  if (pending || tail === "unanswered") return INTERRUPTED;
  if (last?.message.role !== "assistant") return { status: "completed", cut: false, failure: null };
  const { stopReason, failure } = last.message;
  if (stopReason === "aborted") return { status: "aborted", cut: false, failure: null };
  if (stopReason === "error") return { status: "failed", cut: false, failure: failure ?? null };
  return { status: "completed", cut: stopReason === "length", failure: null };
}

/** Entries after the last message of the active branch, oldest first. */
function sinceLastMessage(log: SessionLog): Entry[] {
  const recent: Entry[] = [];
  for (const entry of backwards(log)) {
    if (entry.type === "message") break;
    recent.unshift(entry);
  }
  return recent;
}

/** The overflow mark counts until the next user message. */
export function isRecoveryUsed(log: SessionLog): boolean {
  for (const entry of backwards(log)) {
    if (entry.type === "custom" && entry.customType === OVERFLOW_RECOVERY_TYPE) return true;
    if (entry.type === "message" && entry.message.role === "user") return false;
  }
  return false;
}

function retryRecordOf(entry: Entry): RetryRecord | undefined {
  if (entry.type !== "custom" || entry.customType !== RETRY_TYPE) return undefined;
  const data = Object(entry.data) as Partial<{ attempt: unknown; retryAt: unknown; failure: unknown }>;
  if (data.attempt === 0) return { attempt: 0 };
  const { attempt, retryAt, failure } = data;
  if (typeof attempt !== "number" || typeof retryAt !== "number" || !isFailure(failure)) return undefined;
  return { attempt, retryAt, failure };
}

function isFailure(value: unknown): value is Failure {
  return typeof value === "object" && value !== null && "action" in value && "kind" in value && "message" in value;
}

function pendingRetry({ attempt, retryAt, failure }: Extract<RetryRecord, { retryAt: number }>): Pending {
  return { kind: "retry", attempt, retryAt, failure };
}

/**
 * The process ended between an overflow and its compaction: nothing has made room since, and the recovery is unspent. A message
 * older than the last compaction never asks for another.
 */
function pendingCompaction(last: MessageEntry | undefined, recent: readonly Entry[], recoveryUsed: boolean): Pending | null {
  if (
    last?.message.role !== "assistant" ||
    recoveryUsed ||
    recent.some(({ type }) => type === "context_edit" || type === "compaction")
  )
    return null;
  const { stopReason, failure } = last.message;
  if (stopReason !== "error" || failure?.action !== "compact") return null;
  return { kind: "compaction", task: { purpose: "overflow", reason: "overflow", omit: [last.id] }, failure };
}

function queuedMessages(log: SessionLog, now: number): WaitingMessage[] {
  const queued = new Map<string, WaitingMessage>();
  for (const entry of log.entries) {
    const record = queueRecordOf(entry);
    if (record?.op === "remove") for (const id of record.ids) queued.delete(id);
    else if (record) {
      const { id, queue, content } = record;
      const message: UserMessage = { role: "user", content, timestamp: Date.parse(entry.timestamp) || now };
      queued.set(id, { id, queue, message });
    }
  }
  return [...queued.values()];
}

/** A record that another program or a fault left there in another shape is passed over. */
function queueRecordOf(entry: Entry): QueueRecord | undefined {
  if (entry.type !== "custom" || entry.customType !== QUEUE_TYPE) return undefined;
  const { op, queue, id, content, ids }: Partial<Record<string, unknown>> = Object(entry.data);
  if (op === "remove") return Array.isArray(ids) ? { op, ids: ids.map(String) } : undefined;
  if (op !== "add" || typeof id !== "string" || (queue !== "steering" && queue !== "followUp")) return undefined;
  return isUserContent(content) ? { op, queue, id, content } : undefined;
}
