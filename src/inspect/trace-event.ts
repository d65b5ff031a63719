import type { Message } from "../model/types.ts";
import type { SessionEvent } from "../session/events.ts";
import type { TracedMessage, TraceEvent } from "./view/records.ts";

/** Letters of a tool's arguments or progress that are kept. */
const TOOL_TEXT_LIMIT = 2000;

/**
 * An event without what grows with the session: messages stand in their entries, once.
 *
 * @param entryOf The entry a message is in.
 */
export function traceEvent(
  event: Exclude<SessionEvent, { type: "message_update" }>,
  entryOf: (message: Message) => string | undefined,
): TraceEvent {
  switch (event.type) {
    case "message_start":
      return { type: event.type, role: event.message.role };
    case "message_end": {
      const entryId = entryOf(event.message);
      return { type: event.type, ...tracedMessage(event.message), ...(entryId === undefined ? {} : { entryId }) };
    }
    case "turn_end":
      return { type: event.type, stopReason: event.message.stopReason, toolResults: event.toolResults.length };
    case "agent_end":
      return { ...event, messages: event.messages.length };
    case "partial_discarded":
      return { type: event.type };
    case "agent_settled": {
      const { message: _inItsEntry, ...outcome } = event.outcome;
      return { ...event, outcome };
    }
    case "entry_appended":
      return { type: event.type, entryType: event.entry.type, id: event.entry.id };
    case "tool_execution_start":
      return { ...event, args: bounded(event.args) };
    case "tool_execution_update": {
      const { type, toolCallId, toolName, partialResult } = event;
      return { type, toolCallId, toolName, partialResult: bounded(partialResult.content) };
    }
    case "tool_execution_end": {
      const { result: _inItsEntry, ...rest } = event;
      return rest;
    }
    default:
      return event;
  }
}

function tracedMessage(message: Message): TracedMessage {
  switch (message.role) {
    case "assistant": {
      const { role, stopReason, usage, model, errorMessage, failure } = message;
      return {
        role,
        model,
        stopReason,
        usage,
        ...(errorMessage === undefined ? {} : { errorMessage }),
        ...(failure === undefined ? {} : { failure }),
      };
    }
    case "toolResult":
      return { role: message.role, toolName: message.toolName, isError: message.isError };
    case "user":
      return { role: message.role };
  }
}

/** As JSON, cut where it is long. */
function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= TOOL_TEXT_LIMIT ? value : `${text.slice(0, TOOL_TEXT_LIMIT)}… (${text.length} letters)`;
}
