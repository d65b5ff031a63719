import type { SessionEvent } from "../../session/events.ts";
import type { ReferenceEvent } from "./types.ts";

/** What the reference says of an event of a real session; undefined for events it says nothing of. */
export function observedEvent(event: SessionEvent): ReferenceEvent | undefined {
  switch (event.type) {
    case "agent_start":
    case "turn_start":
    case "turn_end":
    case "tool_execution_start":
    case "tool_execution_end":
    case "entry_appended":
    case "partial_discarded":
      return { type: event.type };
    case "agent_end":
      return { type: "agent_end", willRetry: event.willRetry, willContinue: event.willContinue };
    case "auto_retry_start":
      return { type: "auto_retry_start", attempt: event.attempt, maxAttempts: event.maxAttempts, delayMs: event.delayMs };
    case "auto_retry_end":
      return { type: "auto_retry_end", success: event.success, attempt: event.attempt };
    case "compaction_start":
      return { type: "compaction_start", reason: event.reason };
    case "compaction_end":
      return { type: "compaction_end", reason: event.reason, aborted: event.aborted, willRetry: event.willRetry };
    case "message_end": {
      const { message } = event;
      return {
        type: "message_end",
        role: message.role,
        ...(message.role === "assistant" ? { stopReason: message.stopReason } : {}),
      };
    }
    case "queue_update":
      return { type: "queue_update", steering: event.steering.length, followUp: event.followUp.length };
    case "agent_settled": {
      const { aborted, outcome, queued } = event;
      const status = outcome.status === "queued" ? "aborted" : outcome.status;
      return { type: "agent_settled", aborted, status, cut: outcome.cut === true, queued };
    }
    default:
      return undefined;
  }
}
