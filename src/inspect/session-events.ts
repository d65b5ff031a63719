import type { Entry } from "../log/types.ts";
import type { AssistantMessage, Message, ToolResultMessage } from "../model/types.ts";
import type { SessionEvent } from "../session/events.ts";
import type { TraceEvent, TraceRecord } from "./view/records.ts";

/**
 * The events of a recorded session as its subscribers were told them, messages included, but for `message_update`; for what reads
 * events, such as `checkTrace`. A message that started but did not end in the trace is left out, and so is one whose entry is not
 * in it. Texts and tool arguments are as the trace holds them: cut where they are very long.
 */
export function sessionEvents(records: readonly TraceRecord[]): SessionEvent[] {
  const entries = new Map<string, Entry>();
  const results = new Map<string, ToolResultMessage>();
  for (const { message } of records.flatMap(messageEntries))
    if (message.role === "toolResult") results.set(message.toolCallId, message);
  for (const record of records) if (record.kind === "entries") for (const entry of record.entries) entries.set(entry.id, entry);
  const restorer = new EventRestorer(entries, results);
  for (const record of records) if (record.kind === "event") restorer.take(record.event);
  return restorer.events;
}

function messageEntries(record: TraceRecord): Extract<Entry, { type: "message" }>[] {
  return record.kind === "entries" ? record.entries.filter((entry) => entry.type === "message") : [];
}

/** Puts back into each event what the trace holds elsewhere. */
class EventRestorer {
  readonly events: SessionEvent[] = [];
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #results: ReadonlyMap<string, ToolResultMessage>;
  /** Of the run under way. */
  #messages: Message[] = [];
  /** Of the turn under way. */
  #toolResults: ToolResultMessage[] = [];
  /** The last reply of the prompt under way. */
  #reply: AssistantMessage | undefined;
  readonly #calls = new Map<string, Record<string, unknown>>();

  constructor(entries: ReadonlyMap<string, Entry>, results: ReadonlyMap<string, ToolResultMessage>) {
    this.#entries = entries;
    this.#results = results;
  }

  take(event: TraceEvent): void {
    switch (event.type) {
      case "message_start":
        return;
      case "message_end":
        return this.#endMessage(event.entryId);
      case "agent_start":
        this.#messages = [];
        break;
      case "turn_start":
        this.#toolResults = [];
        break;
      case "turn_end":
        if (this.#reply) this.events.push({ type: event.type, message: this.#reply, toolResults: this.#toolResults });
        return;
      case "agent_end":
        this.events.push({ ...event, messages: this.#messages });
        return;
      case "agent_settled":
        this.events.push({ ...event, outcome: { ...event.outcome, ...(this.#reply ? { message: this.#reply } : {}) } });
        this.#reply = undefined;
        return;
      case "partial_discarded":
        if (this.#reply) this.events.push({ type: event.type, message: this.#reply });
        return;
      case "entry_appended": {
        const entry = this.#entries.get(event.id);
        if (entry) this.events.push({ type: event.type, entry });
        return;
      }
      case "tool_execution_start":
        this.#calls.set(event.toolCallId, argumentsOf(event.args));
        this.events.push({ ...event, args: argumentsOf(event.args) });
        return;
      case "tool_execution_update": {
        const text = JSON.stringify(event.partialResult);
        const content = Array.isArray(event.partialResult) ? event.partialResult : [{ type: "text" as const, text }];
        this.events.push({ ...event, args: this.#calls.get(event.toolCallId) ?? {}, partialResult: { content } });
        return;
      }
      case "tool_execution_end":
        this.events.push({ ...event, result: { content: this.#results.get(event.toolCallId)?.content ?? [] } });
        return;
    }
    this.events.push(event);
  }

  /** A message is known once it has ended, its start included. */
  #endMessage(entryId: string | undefined): void {
    const entry = this.#entries.get(entryId ?? "");
    if (entry?.type !== "message") return;
    const { message } = entry;
    this.#messages.push(message);
    if (message.role === "assistant") this.#reply = message;
    if (message.role === "toolResult") this.#toolResults.push(message);
    this.events.push({ type: "message_start", message }, { type: "message_end", message });
  }
}

/** Arguments that were too long to be kept whole are text. */
function argumentsOf(args: unknown): Record<string, unknown> {
  return typeof args === "object" && args !== null ? { ...args } : { text: args };
}
