/**
 * The same steps and events in the protocol of `@statelyai/inspect`, so that the Stately inspector shows a session. Contexts are
 * reduced to numbers and names: nothing that was said, and no text of an error, leaves the process this way.
 */
import { sessionMachine } from "../../machines/session.ts";
import type { Session } from "../session/session.ts";
import { record, type RecorderOptions } from "./recorder.ts";
import type { SessionFacts, StateValue, TraceRecord } from "./view/records.ts";

interface StatelyBase {
  sessionId: string;
  rootId: string;
  /** Milliseconds since the epoch, as text. */
  createdAt: string;
  id: string;
  /** Version of `@statelyai/inspect` whose protocol this is. */
  _version: string;
}

export interface StatelySnapshot {
  status: "active" | "stopped";
  value: StateValue;
  context: Record<string, unknown>;
  output: undefined;
  error: undefined;
}

export type StatelyEvent = StatelyBase &
  (
    | {
        type: "@xstate.actor";
        name: string;
        definition: string | undefined;
        parentId: string | undefined;
        snapshot: StatelySnapshot;
      }
    | { type: "@xstate.event"; event: { type: string }; sourceId: string | undefined }
    | { type: "@xstate.snapshot"; event: { type: string }; snapshot: StatelySnapshot }
  );

/** What takes the events: the `adapter` of any inspector of `@statelyai/inspect`. */
export interface StatelyInspector {
  adapter: { send(event: StatelyEvent): void };
}

const PROTOCOL_VERSION = "0.7.2";

/**
 * Tells a Stately inspector of a session, from now on: the statechart with its steps as one actor, and its subscribers, who are
 * told of its events, as another.
 *
 * @param inspector Of `@statelyai/inspect`, such as `createWebSocketInspector()`.
 * @returns Ends that.
 */
export function connectStately(session: Session, inspector: StatelyInspector, options: RecorderOptions = {}): () => void {
  const { adapter } = inspector;
  const translate = translator(session.id);
  return record(session, (traced) => translate(traced).forEach((event) => adapter.send(event)), { ...options, entryLimit: 0 });
}

/** Turns records into events of the protocol, in order. */
export function translator(sessionId: string): (record: TraceRecord) => StatelyEvent[] {
  const subscribers = `${sessionId}/subscribers`;
  let count = 0;
  let last = activeSnapshot("idle", {});
  const base = (t: number, actor = sessionId): StatelyBase => {
    count += 1;
    return { sessionId: actor, rootId: sessionId, createdAt: String(t), id: `${sessionId}-${count}`, _version: PROTOCOL_VERSION };
  };
  return (traced) => {
    const { t } = traced;
    switch (traced.kind) {
      case "session": {
        last = snapshotOf(traced.facts);
        const listening = activeSnapshot("listening", {});
        return [
          { ...base(t), type: "@xstate.actor", name: "session", definition: definition(), parentId: undefined, snapshot: last },
          {
            ...base(t, subscribers),
            type: "@xstate.actor",
            name: "subscribers",
            definition: undefined,
            parentId: sessionId,
            snapshot: listening,
          },
        ];
      }
      case "step": {
        last = snapshotOf(traced.facts);
        const event = smallEvent(traced.input);
        return [
          { ...base(t), type: "@xstate.event", event, sourceId: undefined },
          { ...base(t), type: "@xstate.snapshot", event, snapshot: last },
        ];
      }
      case "event":
        return [{ ...base(t, subscribers), type: "@xstate.event", event: smallEvent(traced.event), sourceId: sessionId }];
      case "end":
        return [
          { ...base(t), type: "@xstate.snapshot", event: { type: "xstate.stop" }, snapshot: { ...last, status: "stopped" } },
        ];
      default:
        return [];
    }
  };
}

/** The statechart as the Stately editor reads it. */
function definition(): string {
  return JSON.stringify(sessionMachine.config, (_key, value: unknown) =>
    typeof value === "function" ? { type: value.name } : value,
  );
}

function snapshotOf({ state, steering, followUp, outcome, ...context }: SessionFacts): StatelySnapshot {
  return activeSnapshot(stateValue(state.split(".")), {
    ...context,
    steering: steering.length,
    followUp: followUp.length,
    outcome: outcome?.status ?? null,
    failure: outcome?.failure?.kind ?? null,
  });
}

function activeSnapshot(value: StateValue, context: StatelySnapshot["context"]): StatelySnapshot {
  return { status: "active", value, context, output: undefined, error: undefined };
}

function stateValue([first = "", ...rest]: string[]): StateValue {
  return rest.length === 0 ? first : { [first]: stateValue(rest) };
}

/** Names of fields whose text is a label of ours, never something said. */
const LABELS = new Set(["type", "status", "kind", "rule", "reason", "role", "stopReason", "action", "entryType", "toolName"]);

/** Numbers, flags and labels of an event, and of the objects in it. */
function smallEvent(event: { readonly type: string }): { type: string } {
  return { ...small(event, 2), type: event.type };
}

function small(fields: object, depth: number): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === "number" || typeof value === "boolean") kept[name] = value;
    else if (typeof value === "string" && LABELS.has(name)) kept[name] = value;
    else if (Array.isArray(value)) kept[name] = value.length;
    else if (typeof value === "object" && value !== null && depth > 0) kept[name] = small(value, depth - 1);
  }
  return kept;
}
