import { boundText, redact } from "../errors/index.ts";
import type { ToolResultMessage, UserContent } from "../model/types.ts";
import type { ToolOutput, ToolResult } from "./types.ts";

/** Characters a token has on average, for bounding text. */
const CHARACTERS_PER_TOKEN = 4;

/** Error texts a tool throws are bounded to this many characters. */
const MAX_ERROR_CHARACTERS = 4_000;

const UNUSABLE =
  "The tool ran to its end, but its answer cannot be shown: it has to be a string, or an object with a content of text and image blocks and details that can be written as JSON. What it did is done.";

export interface ResultBounds {
  /** Tokens a result may take in the context. */
  maxResultTokens: number;
  /** Keeps a text that is too long for the context elsewhere, and says where; undefined when it is not kept. */
  keepFullText?: (text: string) => string | undefined;
}

export interface ToolCallOutcome {
  result: ToolResult;
  isError: boolean;
  terminate: boolean;
}

/**
 * What a tool answered. One that answers nothing has done its work: an error would have the model do it again. An answer of
 * another shape is an error result that says so, for whatever a tool does has to end in a result the model can be shown.
 */
export function answered(output: unknown, bounds: ResultBounds): ToolCallOutcome {
  const given = output === undefined || output === null ? "The tool finished without output." : output;
  return isToolOutput(given) ? succeeded(given, bounds) : failed(UNUSABLE);
}

function succeeded(output: ToolOutput, bounds: ResultBounds): ToolCallOutcome {
  const { content, details, isError = false, terminate = false } = typeof output === "string" ? { content: output } : output;
  const blocks: UserContent[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return {
    result: { content: bounded(blocks, bounds), ...(details === undefined ? {} : { details }) },
    isError,
    terminate,
  };
}

function isToolOutput(output: unknown): output is ToolOutput {
  if (typeof output === "string") return true;
  const { content, details }: { content?: unknown; details?: unknown } = Object(output);
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isUserBlock));
  return isContent && (details === undefined || isWritable(details));
}

/** What a user message and a tool result are made of. */
export function isUserBlock(block: unknown): block is UserContent {
  const { type, text, data, mimeType }: Partial<Record<string, unknown>> = Object(block);
  return type === "text"
    ? typeof text === "string"
    : type === "image" && typeof data === "string" && typeof mimeType === "string";
}

function isWritable(details: unknown): boolean {
  try {
    return JSON.stringify(details) !== undefined;
  } catch {
    return false;
  }
}

/** An error result: its text is redacted and bounded, since it may carry anything an exception carries. */
export function failed(text: string): ToolCallOutcome {
  const clean = redact(text) || "The tool failed without saying why.";
  return {
    result: { content: [{ type: "text", text: boundText(clean, MAX_ERROR_CHARACTERS) }] },
    isError: true,
    terminate: false,
  };
}

export function toResultMessage(
  call: { id: string; name: string },
  { result, isError }: ToolCallOutcome,
  timestamp: number,
): ToolResultMessage {
  return { role: "toolResult", toolCallId: call.id, toolName: call.name, ...result, isError, timestamp };
}

function bounded(blocks: UserContent[], { maxResultTokens, keepFullText }: ResultBounds): UserContent[] {
  const maxCharacters = maxResultTokens * CHARACTERS_PER_TOKEN;
  const total = blocks.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  if (total <= maxCharacters) return blocks;
  return blocks.map((block) => {
    if (block.type !== "text") return block;
    const share = Math.floor((block.text.length / total) * maxCharacters);
    if (block.text.length <= share) return block;
    const place = keepFullText?.(block.text);
    const note = `\n[Shortened from ${block.text.length} characters${place === undefined ? "" : `; the full text is in ${place}`}.]`;
    return { type: "text", text: boundText(block.text, Math.max(0, share - note.length)) + note };
  });
}
