import { transition, type EventFromLogic, type SnapshotFrom } from "xstate";
import { sessionMachine } from "../../machines/session.ts";
import type { SessionMachineEmitted } from "../../machines/types.ts";
import { sessionFacts } from "./facts.ts";
import type { RecordOf, SessionFacts, TraceEvent, TraceRecord } from "./view/records.ts";

/** Where a recorded session and the statechart part. */
export interface ReplayDifference {
  /** Line of the trace, from 1. */
  line: number;
  /** The fact of a step, the field of an event, or `event` when another one was due. */
  field: string;
  recorded: unknown;
  replayed: unknown;
}

export interface ReplayResult {
  /** Steps run again up to the end, or to the difference. */
  steps: number;
  /** Decisions the statechart told of that were compared. */
  events: number;
  difference?: ReplayDifference;
}

/** Said by the statechart to the session itself. */
const ORDERS = new Set(["abort_run", "cut_run", "omit_reply"]);
/** Fields the session fills in, or leaves out, when it passes an event on. */
const NOT_PASSED_ON = new Set(["token", "entryId", "failure", "outcome"]);

/**
 * Runs the statechart again on what it was told in a recorded session, and compares what it does: its state after each step,
 * and what it says. The first difference is a change of the rules since, or of the trace.
 */
export function replayTrace(records: readonly TraceRecord[]): ReplayResult {
  const [start] = records;
  if (start?.kind !== "session")
    throw new RangeError("A replay needs the whole trace: its first record says where the session began.");
  let snapshot: SnapshotFrom<typeof sessionMachine> = sessionMachine.resolveState(start.machine);
  const due: SessionMachineEmitted[] = [];
  const result = { steps: 0, events: 0 };
  for (const [index, record] of records.entries()) {
    let difference: Omit<ReplayDifference, "line"> | undefined;
    if (record.kind === "step") {
      const [next, actions] = transition(sessionMachine, snapshot, record.input as EventFromLogic<typeof sessionMachine>);
      snapshot = next;
      result.steps += 1;
      due.push(...actions.flatMap(saidBy));
      difference = differentFact(record, sessionFacts(next.value, next.context));
    } else if (record.kind === "event" && SAID.has(record.event.type)) {
      result.events += 1;
      difference = differentEvent(record.event, due.shift());
    }
    if (difference) return { ...result, difference: { line: index + 1, ...difference } };
  }
  return result;
}

const SAID: ReadonlySet<string> = new Set([
  "agent_start",
  "agent_end",
  "auto_retry_start",
  "auto_retry_end",
  "compaction_start",
  "compaction_end",
  "agent_settled",
] satisfies TraceEvent["type"][]);

function saidBy(action: { type: string; params?: unknown }): SessionMachineEmitted[] {
  if (action.type !== "xstate.emit") return [];
  const { event } = action.params as { event: SessionMachineEmitted };
  return ORDERS.has(event.type) ? [] : [event];
}

function differentFact({ facts }: RecordOf<"step">, replayed: SessionFacts): Omit<ReplayDifference, "line"> | undefined {
  const recorded = new Map<string, unknown>(Object.entries(facts));
  for (const [field, value] of Object.entries(replayed)) {
    if (!same(recorded.get(field), value)) return { field, recorded: recorded.get(field), replayed: value };
  }
  return undefined;
}

function differentEvent(
  event: TraceEvent,
  replayed: SessionMachineEmitted | undefined,
): Omit<ReplayDifference, "line"> | undefined {
  if (replayed?.type !== event.type) return { field: "event", recorded: event.type, replayed: replayed?.type ?? null };
  const recorded = new Map<string, unknown>(Object.entries(event));
  for (const [field, value] of Object.entries(replayed)) {
    if (NOT_PASSED_ON.has(field) || same(recorded.get(field), value)) continue;
    return { field: `${event.type}.${field}`, recorded: recorded.get(field), replayed: value };
  }
  return undefined;
}

/** Equal as JSON: a trace holds nothing else. */
function same(recorded: unknown, replayed: unknown): boolean {
  return JSON.stringify(recorded) === JSON.stringify(replayed);
}
