import type { Message } from "../model/types.ts";
import type { SessionParts } from "./session-parts.ts";

/** What takes most room in the context, in words; undefined for an empty context. */
export function largestItem({ log, meter }: SessionParts): string | undefined {
  let largest: { message: Message; tokens: number } | undefined;
  for (const { message } of log.projection.items) {
    const tokens = meter.estimate(message);
    if (largest === undefined || tokens > largest.tokens) largest = { message, tokens };
  }
  return largest && `Most room is taken by ${labelOf(largest.message)}, about ${largest.tokens} tokens.`;
}

function labelOf(message: Message): string {
  if (message.role === "toolResult") return `a result of the tool ${message.toolName}`;
  if (message.role === "assistant") return "a reply of the model";
  const text =
    typeof message.content === "string"
      ? message.content
      : message.content.map((block) => (block.type === "text" ? block.text : "")).join(" ");
  return `the message "${text.slice(0, 40).trim()}${text.length > 40 ? "…" : ""}"`;
}
