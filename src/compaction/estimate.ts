import type { AssistantContent, Message, ToolDeclaration, UserContent } from "../model/types.ts";

/** English prose and code run at three to five characters a token; four is the field's usual rule of thumb. */
export const CHARACTERS_PER_TOKEN = 4;

/** What providers charge for an image of about a megapixel. */
export const IMAGE_TOKENS = 1200;

/** Tokens a message is thought to take in a request. */
export type TokenEstimator = (message: Message) => number;

/** The tokens a text is thought to take: a token for each four characters, rounded up. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function characters(block: UserContent | AssistantContent): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "thinking":
      // Reasoning that is only there in encrypted form travels as its signature.
      return block.redacted === true ? (block.signature?.length ?? 0) : block.thinking.length;
    case "image":
      return IMAGE_TOKENS * CHARACTERS_PER_TOKEN;
    case "toolCall":
      return block.name.length + JSON.stringify(block.arguments).length;
  }
}

/** The default estimator: a token for each four characters of text and of tool calls, and a fixed number for an image. */
export const estimateTokens: TokenEstimator = ({ content }) => {
  if (typeof content === "string") return estimateTextTokens(content);
  let total = 0;
  for (const block of content) total += characters(block);
  return Math.ceil(total / CHARACTERS_PER_TOKEN);
};

/** The tokens a request takes before its first message: system prompt and tool declarations. */
export function estimateOverheadTokens(systemPrompt: string | undefined, tools: readonly ToolDeclaration[] | undefined): number {
  let total = systemPrompt?.length ?? 0;
  for (const tool of tools ?? []) {
    total += tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length;
  }
  return Math.ceil(total / CHARACTERS_PER_TOKEN);
}
