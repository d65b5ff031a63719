import type { Entry } from "../../log/types.ts";
import type { AssistantContent, UserContent } from "../../model/types.ts";
import { modelView } from "./model-view.ts";

/** One message as the page lists it. */
export interface MessageRow {
  id: string;
  /** Who said it. */
  who: string;
  text: string;
  thinking: string;
  /** Tool calls, as `name({…})`. */
  calls: string[];
  /** How it ended badly. */
  error: string;
  shown: boolean;
  why: string;
}

/** The messages of a session, oldest first, each with what the model is shown of it. */
export function messageRows(entries: readonly Entry[]): MessageRow[] {
  const views = modelView(entries);
  return entries.flatMap((entry) => {
    const said = saidBy(entry);
    if (!said) return [];
    const view = views.get(entry.id);
    return [{ id: entry.id, thinking: "", calls: [], error: "", ...said, shown: view?.shown ?? false, why: view?.why ?? "" }];
  });
}

function saidBy(entry: Entry): (Pick<MessageRow, "who" | "text"> & Partial<MessageRow>) | undefined {
  switch (entry.type) {
    case "compaction":
      return { who: "summary", text: entry.summary };
    case "branch_summary":
      return { who: "summary of a branch", text: entry.summary };
    case "custom_message":
      return { who: "application", text: plain(entry.content) };
    case "message":
      break;
    default:
      return undefined;
  }
  const { message } = entry;
  switch (message.role) {
    case "user":
      return { who: "user", text: plain(message.content) };
    case "toolResult":
      return {
        who: `result of ${message.toolName}`,
        text: plain(message.content),
        error: message.isError ? "the tool failed" : "",
      };
    case "assistant":
      return {
        who: "assistant",
        text: texts(message.content),
        thinking: message.content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join("\n"),
        calls: message.content.flatMap((block) =>
          block.type === "toolCall" ? [`${block.name}(${JSON.stringify(block.arguments)})`] : [],
        ),
        error: message.errorMessage ?? (message.stopReason === "length" ? "cut at its limit" : ""),
      };
  }
}

function plain(content: string | readonly UserContent[]): string {
  return typeof content === "string" ? content : texts(content);
}

function texts(content: readonly (AssistantContent | UserContent)[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
