import type { Message, UserContent, UserMessage } from "../model/types.ts";
import { blocks, foreignMessage, wellFormed } from "./foreign-messages.ts";
import type { ContextEditEntry, Entry, FailedReply } from "./types.ts";

export type Replacement = ContextEditEntry["replacement"];

/** What the model is shown of an entry as long as nothing edits it; undefined for what it never sees. */
export function shownMessage(entry: Entry): Message | undefined {
  switch (entry.type) {
    case "message":
      return ownOrForeign(entry.message);
    case "custom_message":
      return userMessage(entry.content, entry.timestamp);
    case "compaction":
      return userMessage(summaryText("What was said before this point, in short:", entry.summary), entry.timestamp);
    case "branch_summary":
      if (entry.summary === "") return undefined;
      return userMessage(
        summaryText("What was tried on another branch of this conversation, in short:", entry.summary),
        entry.timestamp,
      );
    default:
      return undefined;
  }
}

/** True for a reply that ended in `error` or `aborted`. */
export function isFailedReply(message: Message): message is FailedReply {
  return message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
}

/** The message with its content replaced. Replies and tool results take blocks only, and replies no images. */
export function withContent(message: Message, content: string | UserContent[]): Message {
  if (message.role === "user") return wellFormed({ ...message, content });
  if (message.role === "toolResult") return { ...message, content: blocks(content) };
  return wellFormed({ ...message, content: blocks(content).filter((block) => block.type !== "image") });
}

/** True for entries whose content an edit can replace; all others it can only leave out. */
export function hasEditableContent(entry: Entry): boolean {
  if (entry.type !== "message") return entry.type === "custom_message";
  const role: string = entry.message.role;
  return role === "user" || role === "assistant" || role === "toolResult" || role === "custom";
}

/** True if it is a reply with this tool call. */
export function hasToolCall(message: Message, id: string): boolean {
  return message.role === "assistant" && message.content.some((block) => block.type === "toolCall" && block.id === id);
}

function ownOrForeign(message: Message): Message | undefined {
  switch (message.role) {
    case "user":
    case "toolResult":
      return wellFormed(message);
    case "assistant":
      return isFailedReply(message) ? undefined : wellFormed(message);
    default:
      return foreignMessage(message);
  }
}

function summaryText(lead: string, summary: string): string {
  return `${lead}\n\n<summary>\n${summary}\n</summary>`;
}

function userMessage(content: string | UserContent[], timestamp: string): UserMessage {
  return { role: "user", content, timestamp: Date.parse(timestamp) || 0 };
}
