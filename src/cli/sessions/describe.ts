import { shownMessage } from "../../log/index.ts";
import type { Entry, Omission } from "../../log/index.ts";
import type { Message } from "../../model/types.ts";

/** Longest text of an entry in one line of a list, in characters. */
const LINE_CHARACTERS = 80;

/** Text from a session on one line, safe to print: what would steer a terminal is replaced. */
export function oneLine(text: string, characters = LINE_CHARACTERS): string {
  const line = text
    .slice(0, characters * 8)
    .replaceAll(/\s+/g, " ")
    .trim();
  return printable(line.length > characters ? `${line.slice(0, characters - 1)}…` : line);
}

/** The text without control characters, line breaks and tabs excepted: a session may hold what a tool or a model made up. */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(/[^\P{Cc}\n\t]/gu, "\u{FFFD}");
}

/** The roles of our own messages; those of other programs are described by what the model is shown for them. */
const ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** What kind of entry it is, in one or two words. */
export function kindOf(entry: Entry): string {
  if (entry.type === "message") return entry.message.role === "toolResult" ? "tool result" : oneLine(entry.message.role);
  return oneLine(entry.type.replaceAll("_", " "));
}

/** What an entry says, in one line. */
export function describeEntry(entry: Entry): string {
  switch (entry.type) {
    case "message":
      return describeMessage(ROLES.has(entry.message.role) ? entry.message : (shownMessage(entry) ?? entry.message));
    case "custom_message":
      return `${oneLine(entry.customType)}: ${oneLine(contentText(entry.content))}`;
    case "context_edit":
      return `${entry.replacement === null ? "leaves out" : "replaces the content of"} ${oneLine(entry.targetId)}`;
    case "compaction":
      return entry.firstKeptEntryId === entry.id
        ? `keeps nothing: ${oneLine(entry.summary)}`
        : `keeps from ${oneLine(entry.firstKeptEntryId)} on: ${oneLine(entry.summary)}`;
    case "branch_summary":
      return `of the branch ${oneLine(entry.fromId)}: ${oneLine(entry.summary)}`;
    case "model_change":
      return oneLine(`${entry.provider}/${entry.modelId}`);
    case "thinking_level_change":
      return oneLine(entry.thinkingLevel);
    case "custom":
      return oneLine(entry.customType);
    case "label":
      return entry.label ? `"${oneLine(entry.label)}" for ${oneLine(entry.targetId)}` : `none for ${oneLine(entry.targetId)}`;
    case "session_info":
      return entry.name ? `name "${oneLine(entry.name)}"` : "no name";
    default:
      return "";
  }
}

function describeMessage(message: Message): string {
  const text = oneLine(contentText(message.content));
  if (message.role === "toolResult") return `${oneLine(message.toolName)}${message.isError ? " (failed)" : ""}: ${text}`;
  if (message.role !== "assistant" || !Array.isArray(message.content)) return text;
  const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [block.name] : []));
  return calls.length === 0 ? text : `${text}${text === "" ? "" : " "}[calls ${oneLine(calls.join(", "))}]`;
}

/** The text of any content; missing content has none. */
export function contentText(content: Message["content"] | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((block) => (block.type === "text" ? block.text : block.type === "image" ? "[image]" : "")).join("");
}

/** Why the model is not shown an entry as it is. */
export function describeOmission(omission: Omission): string {
  switch (omission.reason) {
    case "other_branch":
      return "left out: another branch";
    case "failed_reply": {
      const how = omission.stopReason === "aborted" ? "aborted" : "failed";
      return `left out: this reply ${how}${omission.errorMessage === undefined ? "" : ` (${oneLine(omission.errorMessage)})`}`;
    }
    case "edited_out":
      return `left out by the edit ${omission.by}`;
    case "compacted":
      return `left out: the compaction ${omission.by} stands for it`;
    case "call_not_shown":
      return "left out: its call is not shown";
    case "not_for_the_model":
      return "left out: not meant for the model";
    case "replaced":
      return `shown with the content of the edit ${omission.by}`;
  }
}
