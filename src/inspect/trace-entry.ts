import type { Entry } from "../log/types.ts";
import type { UserContent } from "../model/types.ts";

/** Letters of one text that are kept, head and tail. */
export const TEXT_LIMIT = 20_000;

/** A log entry as a trace holds it: images as their size, very long texts without their middle. */
export function traceEntry(entry: Entry): Entry {
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      if (message.role === "assistant") {
        const content = message.content.map((block) => {
          if (block.type === "text") return { ...block, text: shortened(block.text) };
          if (block.type === "thinking") return { type: block.type, thinking: shortened(block.thinking) };
          const { signature: _opaque, ...call } = block;
          return call;
        });
        return { ...entry, message: { ...message, content } };
      }
      if (message.role === "toolResult") {
        const { details: _forDisplays, ...shown } = message;
        return { ...entry, message: { ...shown, content: message.content.map(shortBlock) } };
      }
      return { ...entry, message: { ...message, content: shortContent(message.content) } };
    }
    case "context_edit":
      return entry.replacement ? { ...entry, replacement: { content: shortContent(entry.replacement.content) } } : entry;
    case "custom_message":
      return { ...entry, content: shortContent(entry.content) };
    case "custom":
      return shortData(entry);
    default:
      return entry;
  }
}

function shortContent(content: string | UserContent[]): string | UserContent[] {
  return typeof content === "string" ? shortened(content) : content.map(shortBlock);
}

function shortBlock(block: UserContent): UserContent {
  if (block.type === "text") return { ...block, text: shortened(block.text) };
  return { type: "text", text: `[image ${block.mimeType}, ${Math.round((block.data.length * 3) / 4096)} KB]` };
}

/** Data of an application may be of any size; a queue record may hold images. */
function shortData(entry: Extract<Entry, { type: "custom" }>): Entry {
  const text = JSON.stringify(entry.data) ?? "";
  return text.length <= TEXT_LIMIT ? entry : { ...entry, data: shortened(text) };
}

function shortened(text: string): string {
  if (text.length <= TEXT_LIMIT) return text;
  const half = TEXT_LIMIT / 2;
  return `${text.slice(0, half)}\n… ${text.length - TEXT_LIMIT} letters …\n${text.slice(-half)}`;
}
