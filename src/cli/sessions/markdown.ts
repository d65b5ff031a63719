import { omissions, shownMessage } from "../../log/index.ts";
import type { Entry, MessageEntry, SessionLog } from "../../log/index.ts";
import type { AssistantContent, AssistantMessage, Message, UserContent } from "../../model/types.ts";
import { describeOmission, oneLine } from "./describe.ts";

/** The active branch of a session as a Markdown document: all that was said on it, also what the model is not shown any more. */
export function toMarkdown(log: SessionLog): string {
  const { header, name } = log;
  const omitted = omissions(log);
  const parts = [
    `# ${oneLine(name ?? `Session ${header.id}`)}`,
    `Session \`${oneLine(header.id)}\`, begun ${oneLine(header.timestamp)}.`,
  ];
  for (const entry of log.branch()) {
    const section = sectionOf(entry);
    if (section === undefined) continue;
    const omission = omitted.get(entry.id);
    const [heading = "", ...body] = section;
    parts.push(
      heading,
      ...(omission === undefined ? [] : [`> Context: ${describeOmission(omission)}.`]),
      ...body.filter((part) => part !== ""),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

/** Heading and paragraphs of an entry that has something to read. */
function sectionOf(entry: Entry): string[] | undefined {
  switch (entry.type) {
    case "message":
      return messageSection(entry.message) ?? foreignSection(entry);
    case "custom_message":
      return [`## Message of ${oneLine(entry.customType)}`, ...userParts(entry.content)];
    case "compaction":
      return ["## Summary of what came before", entry.summary];
    case "branch_summary":
      return ["## Summary of another branch", entry.summary];
    case "model_change":
      return [`*Model: ${oneLine(`${entry.provider}/${entry.modelId}`)}*`];
    default:
      return undefined;
  }
}

/** A message of another program's role, as the model is shown it. */
function foreignSection(entry: MessageEntry): string[] | undefined {
  const shown = shownMessage(entry);
  return shown?.role === "user" ? [`## Message (${oneLine(entry.message.role)})`, ...userParts(shown.content)] : undefined;
}

function messageSection(message: Message): string[] | undefined {
  switch (message.role) {
    case "user":
      return ["## User", ...userParts(message.content)];
    case "assistant":
      return [`## Assistant (${oneLine(message.model)})`, ...(message.content ?? []).map(assistantPart), ...ending(message)];
    case "toolResult": {
      const heading = `### Result of ${oneLine(message.toolName)}${message.isError ? " (failed)" : ""}`;
      return [heading, ...(message.content ?? []).map((block) => (block.type === "text" ? fenced(block.text) : image(block)))];
    }
    default:
      return undefined;
  }
}

function userParts(content: string | UserContent[] | null): string[] {
  if (typeof content === "string") return [content];
  return (content ?? []).map((block) => (block.type === "text" ? block.text : image(block)));
}

function assistantPart(block: AssistantContent): string {
  if (block.type === "text") return block.text;
  if (block.type === "toolCall")
    return `Calls **${oneLine(block.name)}**:\n\n${fenced(JSON.stringify(block.arguments, null, 2), "json")}`;
  return block.thinking === "" ? "" : `<details><summary>Thinking</summary>\n\n${block.thinking}\n\n</details>`;
}

function ending({ stopReason, errorMessage }: AssistantMessage): string[] {
  if (stopReason === "error") return [`*This reply failed: ${oneLine(errorMessage ?? "unknown error", 500)}*`];
  if (stopReason === "aborted") return ["*This reply was aborted.*"];
  return stopReason === "length" ? ["*This reply was cut at the output limit.*"] : [];
}

function image({ mimeType, data }: { mimeType: string; data: string }): string {
  return `*[image, ${oneLine(mimeType)}, ${Math.ceil((data.length * 3) / 4 / 1024)} KB]*`;
}

/** A code block whose fence is longer than any in the text. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
