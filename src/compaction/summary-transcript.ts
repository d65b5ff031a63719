import type { AssistantContent, Message, UserContent } from "../model/types.ts";
import { boundText } from "../errors/index.ts";

/** Longest pieces of a transcript, in characters. */
export interface TranscriptLimits {
  /** The text of a tool result. */
  result: number;
  /** The arguments of a tool call. */
  call: number;
  /** A text of the user or the model. */
  text: number;
}

/** Placed where the turn begins whose end is kept: the summary has to say what that end builds on. */
export const OPEN_TURN_MARK = "[the turn that begins here is still going on; its later messages are not in this transcript]";

function contentText(content: string | readonly UserContent[]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[image: ${block.mimeType}]`)).join("\n");
}

function assistantPart(block: AssistantContent, limits: TranscriptLimits): string | undefined {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? undefined : `[assistant]\n${boundText(block.text, limits.text)}`;
    case "toolCall":
      return `[assistant calls ${block.name}]\n${boundText(JSON.stringify(block.arguments), limits.call)}`;
    case "thinking":
      // What it came to is in the text and the calls.
      return undefined;
  }
}

function messageParts(message: Message, limits: TranscriptLimits): string[] {
  switch (message.role) {
    case "user":
      return [`[user]\n${boundText(contentText(message.content), limits.text)}`];
    case "toolResult":
      return [
        `[${message.isError ? "failed result" : "result"} of ${message.toolName}]\n${boundText(contentText(message.content), limits.result)}`,
      ];
    case "assistant":
      return message.content.map((block) => assistantPart(block, limits)).filter((part) => part !== undefined);
  }
}

/**
 * The conversation as text, in parts that each are one utterance, call or result. A transcript and not a list of messages, so
 * that the model that summarises it does not take it for its own conversation and carry on.
 *
 * @param openTurn Index of the message that begins a turn whose end is not among the messages.
 */
export function transcriptParts(messages: readonly Message[], limits: TranscriptLimits, openTurn?: number): string[] {
  return messages.flatMap((message, index) => {
    const parts = messageParts(message, limits);
    return index === openTurn ? [OPEN_TURN_MARK, ...parts] : parts;
  });
}

/** The words of a user message, for quoting. */
export function userWords(message: Message | undefined): string | undefined {
  return message?.role === "user" ? contentText(message.content) : undefined;
}
