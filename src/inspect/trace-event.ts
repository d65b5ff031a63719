import type { Message } from "../model/types.ts";
import type { SessionEvent } from "../session/events.ts";
import type { TraceEvent } from "./view/records.ts";

/** Letters of a tool's arguments or progress that are kept. */
const TOOL_TEXT_LIMIT = 2000;

/** An event without what grows with the session: messages stand in their entries, once. */
export function traceEvent(event: Exclude<SessionEvent, { type: "message_update" }>): TraceEvent {
  switch (event.type) {
    case "message_start":
      return { type: event.type, role: event.message.role };
    case "message_end":
      return { type: event.type, ...messageFacts(event.message) };
    case "turn_end":
      return { type: event.type, stopReason: event.message.stopReason, toolResults: event.toolResults.length };
    case "agent_end":
      return { ...event, messages: event.messages.length };
    case "partial_discarded":
      return { type: event.type, stopReason: event.message.stopReason };
    case "agent_settled": {
      const { message: _inItsEntry, ...outcome } = event.outcome;
      return { ...event, outcome };
    }
    case "compaction_end": {
      if (!event.result) return { ...event };
      const { summary: _inItsEntry, details: _forDisplays, ...result } = { details: undefined, ...event.result };
      return { ...event, result };
    }
    case "entry_appended":
      return { type: event.type, entryType: event.entry.type, id: event.entry.id };
    case "tool_execution_start":
      return { ...event, args: bounded(event.args) };
    case "tool_execution_update":
      return {
        type: event.type,
        toolCallId: event.toolCallId,
        toolName: event.toolName,
        partialResult: bounded(event.partialResult.content),
      };
    case "tool_execution_end": {
      const { result: _inItsEntry, ...rest } = event;
      return rest;
    }
    default:
      return { ...event };
  }
}

function messageFacts(message: Message): Record<string, unknown> {
  switch (message.role) {
    case "assistant": {
      const { role, stopReason, usage, model, errorMessage, failure, content } = message;
      const toolCalls = content.filter((block) => block.type === "toolCall").map(({ id, name }) => ({ id, name }));
      return {
        role,
        model,
        stopReason,
        usage,
        ...(toolCalls.length > 0 ? { toolCalls } : {}),
        ...(errorMessage === undefined ? {} : { errorMessage }),
        ...(failure === undefined ? {} : { failure }),
      };
    }
    case "toolResult":
      return { role: message.role, toolCallId: message.toolCallId, toolName: message.toolName, isError: message.isError };
    case "user":
      return { role: message.role };
  }
}

/** As JSON, cut where it is long. */
function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= TOOL_TEXT_LIMIT ? value : `${text.slice(0, TOOL_TEXT_LIMIT)}… (${text.length} letters)`;
}
