import type { AssistantContent, AssistantMessage, StopReason, ToolResultMessage, UserMessage } from "../../src/model/types.ts";
import type { EntryDraft } from "../../src/log/types.ts";

/** Small entries for the tests of the log. */

export function user(content: string, id?: string): EntryDraft {
  const message: UserMessage = { role: "user", content, timestamp: 1 };
  return { type: "message", message, ...withId(id) };
}

export function reply(text: string, options: { stopReason?: StopReason; calls?: string[]; id?: string } = {}): EntryDraft {
  const calls: AssistantContent[] = (options.calls ?? []).map((call) => ({
    type: "toolCall",
    id: call,
    name: "look",
    arguments: { at: text },
  }));
  const message: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text }, ...calls],
    api: "scripted",
    provider: "scripted",
    model: "one",
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15 },
    stopReason: options.stopReason ?? (calls.length > 0 ? "toolUse" : "stop"),
    timestamp: 2,
  };
  return { type: "message", message, ...withId(options.id) };
}

export function result(toolCallId: string, text: string, id?: string): EntryDraft {
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId,
    toolName: "look",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 3,
  };
  return { type: "message", message, ...withId(id) };
}

export function omit(targetId: string): EntryDraft {
  return { type: "context_edit", targetId, replacement: null };
}

export function replace(targetId: string, content: string): EntryDraft {
  return { type: "context_edit", targetId, replacement: { content } };
}

export function compaction(summary: string, firstKeptEntryId: string, id?: string): EntryDraft {
  return { type: "compaction", summary, firstKeptEntryId, tokensBefore: 100, ...withId(id) };
}

function withId(id: string | undefined): { id?: string } {
  return id === undefined ? {} : { id };
}
