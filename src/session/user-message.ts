import { isUserBlock } from "../agent/tool-result.ts";
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
  // A copy: what becomes of the caller's list later must not change what was said.
  const blocks = content.map(checkedBlock);
  if (!blocks.some(saysSomething)) throw new InvalidPromptError("The prompt is empty. Give it some text, or an image.");
  return { role: "user", content: blocks, timestamp };
}

/** Whether it has the shape of a user message's content, empty or not. */
export function isUserContent(content: unknown): content is string | UserContent[] {
  return typeof content === "string" || (Array.isArray(content) && content.every(isUserBlock));
}

function checkedBlock(block: unknown): UserContent {
  if (isUserBlock(block)) return { ...block };
  const { type }: { type?: unknown } = Object(block);
  if (type === "text") throw new InvalidPromptError("The prompt has a text block whose text is no string.");
  if (type === "image") {
    throw new InvalidPromptError("The prompt has an image block without data (base64) or mimeType, both strings.");
  }
  throw new InvalidPromptError(`The prompt has a block of type ${JSON.stringify(type)}. It takes text and image blocks.`);
}

function saysSomething(block: UserContent): boolean {
  return block.type === "text" ? block.text.trim() !== "" : block.data !== "";
}

/** The text of a user message; images are left out. */
export function textOf({ content }: UserMessage): string {
  if (typeof content === "string") return content;
  return content
    .filter((block) => block.type === "text")
    .map(({ text }) => text)
    .join("\n");
}
