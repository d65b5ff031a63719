import { anthropicMessages } from "./anthropic-messages.ts";
import { openaiCompletions } from "./openai-completions.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { WireFormat, WireFormatName } from "./wire-format.ts";

export const wireFormats: Readonly<Record<WireFormatName, WireFormat>> = {
  "anthropic-messages": anthropicMessages,
  "openai-completions": openaiCompletions,
  "openai-responses": openaiResponses,
};

/** The format spoken at `path`, whatever comes before its end; undefined for any other path. */
export function formatAt(path: string): WireFormat | undefined {
  return Object.values(wireFormats).find((format) => path.endsWith(format.path));
}
