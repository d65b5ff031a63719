import type { RecordOf, TraceEvent } from "./records.ts";

/** What an event is about; the log can be filtered by it. */
export const EVENT_GROUPS = ["statechart", "run", "message", "tool", "retry", "compaction", "queue", "log"] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

/** A line of the event log. */
export interface EventRow {
  t: number;
  group: EventGroup;
  name: string;
  detail: string;
  /** It tells of something going wrong. */
  bad: boolean;
}

const GROUPS: Record<TraceEvent["type"], EventGroup> = {
  agent_start: "run",
  agent_end: "run",
  agent_settled: "run",
  turn_start: "run",
  turn_end: "run",
  message_start: "message",
  message_end: "message",
  partial_discarded: "message",
  tool_execution_start: "tool",
  tool_execution_update: "tool",
  tool_execution_end: "tool",
  auto_retry_start: "retry",
  auto_retry_end: "retry",
  provider_retry: "retry",
  summarization_retry_scheduled: "compaction",
  summarization_retry_attempt_start: "compaction",
  summarization_retry_finished: "compaction",
  compaction_start: "compaction",
  compaction_end: "compaction",
  queue_update: "queue",
  entry_appended: "log",
  log_diagnostic: "log",
};

export function eventRow({ t, event }: RecordOf<"event">): EventRow {
  return { t, group: GROUPS[event.type] ?? "log", name: event.type, detail: detailOf(event), bad: isBad(event) };
}

/** A step of the statechart: what it was told, and where that led. */
export function stepRow({ t, input, path }: RecordOf<"step">): EventRow {
  const name = input.type.replace("xstate.done.actor.", "").replace("xstate.error.actor.", "broken: ");
  const [first] = path;
  const states = first === undefined ? [] : [first.split(">")[0] ?? "", ...path.map((step) => step.split(">")[1] ?? "")];
  return { t, group: "statechart", name, detail: states.join(" → "), bad: input.type.startsWith("xstate.error") };
}

/** Fields of an event that say most, in the order they are shown. */
function detailOf(event: TraceEvent): string {
  switch (event.type) {
    case "message_start":
      return event.role;
    case "message_end":
      return words(event.role, event.stopReason, event.toolName, event.errorMessage);
    case "turn_end":
      return event.stopReason;
    case "agent_end":
      return words(`rule ${event.rule}`, event.willRetry && "will retry", event.willContinue && "will continue");
    case "auto_retry_start":
    case "provider_retry":
    case "summarization_retry_scheduled":
      return words(
        `retry ${event.attempt} of ${event.maxAttempts} in ${(event.delayMs / 1000).toFixed(1)} s`,
        event.errorMessage,
      );
    case "auto_retry_end":
      return words(event.success ? "success" : "given up", event.finalError);
    case "agent_settled":
      return words(event.outcome.status, event.outcome.cut && "cut", event.outcome.failure?.message);
    case "compaction_start":
      return event.reason;
    case "compaction_end":
      return words(event.reason, event.aborted && "aborted", event.willRetry && "will retry", event.errorMessage);
    case "queue_update":
      return words(`${event.steering.length} steering`, `${event.followUp.length} follow-up`);
    case "tool_execution_start":
      return words(event.toolName, JSON.stringify(event.args));
    case "tool_execution_update":
      return event.toolName;
    case "tool_execution_end":
      return words(
        event.toolName,
        event.isError && "failed",
        event.durationMs !== undefined && `${Math.round(event.durationMs)} ms`,
      );
    case "entry_appended":
      return event.entryType;
    case "log_diagnostic":
      return words(event.diagnostic.kind, event.diagnostic.message);
    default:
      return "";
  }
}

function words(...parts: (string | false | undefined)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join(" · ");
}

function isBad(event: TraceEvent): boolean {
  switch (event.type) {
    case "message_end":
      return event.stopReason === "error" || event.isError === true;
    case "agent_settled":
      return event.outcome.status === "failed";
    case "auto_retry_end":
      return !event.success;
    case "tool_execution_end":
      return event.isError;
    default:
      return event.type === "auto_retry_start" || event.type === "log_diagnostic";
  }
}
