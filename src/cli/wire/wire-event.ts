import type { ModelEvent } from "../../model/types.ts";
import type { SessionEvent } from "../../session/events.ts";

/** A model event as it crosses a pipe: what was added, without the message so far. */
export type WireModelEvent = Exclude<ModelEvent, { message: unknown }> | { type: "start" };

/** A session event as it crosses a pipe. */
export type WireEvent =
  | Exclude<SessionEvent, { type: "message_update" }>
  | { type: "message_update"; assistantMessageEvent: WireModelEvent };

export function wireEvent(event: SessionEvent): WireEvent {
  if (event.type !== "message_update") return event;
  const { assistantMessageEvent } = event;
  if (!("message" in assistantMessageEvent)) return { type: "message_update", assistantMessageEvent };
  return { type: "message_update", assistantMessageEvent: { type: "start" } };
}

/** A line a reader can do without: the whole message comes at its end. */
export function isSpare({ type }: SessionEvent): boolean {
  return type === "message_update" || type === "tool_execution_update";
}
