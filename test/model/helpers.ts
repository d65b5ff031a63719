import { readReply, type ReadReplyOptions } from "../../src/model/read-reply.ts";
import type { AssistantMessage, Message, Model, ModelEvent, ModelRequest, ToolCallBlock } from "../../src/model/types.ts";
import { systemClock } from "../../src/retry/clock.ts";

/** A reply that was read, and the events that came meanwhile. */
export interface Read {
  message: AssistantMessage;
  events: ModelEvent[];
}

export const ask = (content: string): ModelRequest => ({ messages: [{ role: "user", content, timestamp: 0 }] });

export async function read(
  model: Model,
  request: ModelRequest = ask("hello"),
  options: Partial<ReadReplyOptions> = {},
): Promise<Read> {
  const events: ModelEvent[] = [];
  const message = await readReply(model, request, {
    signal: new AbortController().signal,
    clock: systemClock,
    ...options,
    onEvent(event, current) {
      events.push(event);
      options.onEvent?.(event, current);
    },
  });
  return { message, events };
}

export const textOf = (message: AssistantMessage): string =>
  message.content.map((block) => (block.type === "text" ? block.text : "")).join("");

export const callsOf = (message: AssistantMessage): ToolCallBlock[] =>
  message.content.flatMap((block) => (block.type === "toolCall" ? [block] : []));

export const terminalEvents = (events: readonly ModelEvent[]): string[] =>
  events.filter(({ type }) => type === "done" || type === "error").map(({ type }) => type);

/** An assistant message of a model; good, unless told otherwise. */
export function assistant(
  model: Model,
  content: AssistantMessage["content"],
  more: Partial<AssistantMessage> = {},
): AssistantMessage {
  return {
    role: "assistant",
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
    stopReason: content.some((block) => block.type === "toolCall") ? "toolUse" : "stop",
    timestamp: 0,
    ...more,
  };
}

export const user = (content: string): Message => ({ role: "user", content, timestamp: 0 });

export const call = (id: string, name = "read", args: Record<string, unknown> = {}): ToolCallBlock => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});

export const result = (toolCallId: string, text: string, isError = false): Message => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text }],
  isError,
  timestamp: 0,
});

/** Lets everything that is ready run, without waiting for time. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
