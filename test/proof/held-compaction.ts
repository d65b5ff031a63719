import type { CompactionOutcome, CompactionPorts, CompactionRequest } from "../../src/compaction/types.ts";
import type { EntryDraft, SessionLog } from "../../src/log/types.ts";
import { emptyUsage } from "../../src/model/reply.ts";
import type { ReferenceFailure, Stimulus } from "../../src/testing/index.ts";
import { failureOf } from "./failures.ts";

type Status = Extract<Stimulus, { type: "compacted" }>["status"];

/** A compaction that waits for its outcome. */
export interface HeldCompaction {
  readonly request: CompactionRequest;
  readonly aborted: boolean;
  answer(status: Status): void;
}

const held = new WeakMap<SessionLog, HeldCompaction[]>();

/** From now on compactions of this log wait until they are told how they end. @returns Those that wait. */
export function holdCompactions(log: SessionLog): HeldCompaction[] {
  const waiting: HeldCompaction[] = [];
  held.set(log, waiting);
  return waiting;
}

/** Stands in for `compact` of the library: a session whose compactions are not held gets the real one. */
export function compactOrHold(
  compact: (ports: CompactionPorts, request: CompactionRequest) => Promise<CompactionOutcome>,
): (ports: CompactionPorts, request: CompactionRequest) => Promise<CompactionOutcome> {
  return (ports, request) => {
    const waiting = held.get(ports.log);
    if (waiting === undefined) return compact(ports, request);
    return new Promise((resolve) => {
      const own: HeldCompaction = {
        request,
        get aborted() {
          return ports.signal.aborted;
        },
        answer(status) {
          waiting.splice(waiting.indexOf(own), 1);
          resolve(outcome(ports, request, ports.signal.aborted ? "aborted" : status));
        },
      };
      waiting.push(own);
    });
  };
}

function outcome(ports: CompactionPorts, request: CompactionRequest, status: Status): CompactionOutcome {
  const spent = { tokensBefore: ports.meter.tokens(), usage: emptyUsage(), requests: 0 };
  if (status === "log") {
    const failure: ReferenceFailure = { action: "stop", kind: "log" };
    return { status: "failed", reason: "the disk is full", failure: failureOf(failure), ...spent };
  }
  if (status !== "done") return { status, reason: status, ...spent };
  const entries = ports.commit(drafts(ports, request));
  const summary = { summary: "what was before", firstKeptEntryId: "", tokensBefore: spent.tokensBefore, estimatedTokensAfter: 1 };
  return { ...spent, status, entryId: entries[0]?.id ?? "", tokensAfter: ports.meter.tokens(), result: summary };
}

/** As a real one: all but the last message is summarised, and what is too large of the rest is made small. */
function drafts({ log, meter }: CompactionPorts, { omit }: CompactionRequest): EntryDraft[] {
  const shown = log.projection.items.filter(({ entryId }) => !omit.includes(entryId));
  let first = shown.length - 1;
  while (first > 0 && shown[first]?.message.role === "toolResult") first--;
  const kept = shown.slice(Math.max(0, first));
  const shortened = kept.filter(({ message }) => meter.estimate(message) > 100);
  return [
    { type: "compaction", summary: "what was before", firstKeptEntryId: kept[0]?.entryId ?? "", tokensBefore: meter.tokens() },
    ...shortened.map(({ entryId }): EntryDraft => ({
      type: "context_edit",
      targetId: entryId,
      replacement: { content: "shortened" },
    })),
    ...omit.map((targetId): EntryDraft => ({ type: "context_edit", targetId, replacement: null })),
  ];
}
