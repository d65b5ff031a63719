import type { UserContent, UserMessage } from "../model/types.ts";
import { InvalidPromptError } from "./errors.ts";

/** @throws InvalidPromptError for anything that holds neither text nor an image. */
export function userMessage(content: string | UserContent[], timestamp: number): UserMessage {
  if (typeof content === "string") {
    if (content.trim() === "") throw new InvalidPromptError("The prompt is empty. Give it some text, or an image.");
    return { role: "user", content, timestamp };
  }
  if (!Array.isArray(content)) {
    throw new InvalidPromptError(
      `The prompt is of type ${typeof content}. It takes a string, or a list of text and image blocks.`,
    );
  }
  const said = content.filter((block) => {
    if (block.type === "text") return block.text.trim() !== "";
    if (block.type === "image") return block.data !== "";
    throw new InvalidPromptError(
      `The prompt has a block of type ${JSON.stringify(Object(block).type)}. It takes text and image blocks.`,
    );
  });
  if (said.length === 0) throw new InvalidPromptError("The prompt is empty. Give it some text, or an image.");
  return { role: "user", content, timestamp };
}

/** The text of a user message; images are left out. */
export function textOf({ content }: UserMessage): string {
  if (typeof content === "string") return content;
  return content
    .filter((block) => block.type === "text")
    .map(({ text }) => text)
    .join("\n");
}
