import type { AssistantMessage, Message, ModelRequest, Prices, ToolDeclaration, Usage } from "../model/types.ts";
import { usageOf } from "../model/usage.ts";

const CHARACTERS_PER_TOKEN = 4;
/** An image, counted as characters. */
const IMAGE_CHARACTERS = 4800;

/**
 * Makes a meter that states the usage of calls: a token is four characters. It remembers the messages of the last request,
 * so that a transcript that only grows is counted once.
 */
export function estimatedUsage() {
  let counted: readonly Message[] = [];
  /** Characters of `counted` up to and including each place. */
  const sums: number[] = [];

  function inputCharacters(messages: readonly Message[]): number {
    let same = 0;
    while (same < counted.length && same < messages.length && counted[same] === messages[same]) same++;
    sums.length = same;
    let sum = sums.at(-1) ?? 0;
    for (const message of messages.slice(same)) {
      sum += messageCharacters(message);
      sums.push(sum);
    }
    counted = messages.slice();
    return sum;
  }

  return (
    request: ModelRequest,
    answer: AssistantMessage,
    stated: Partial<Usage> | undefined,
    prices: Prices | undefined,
  ): Usage => {
    const input =
      stated?.input ??
      tokens(inputCharacters(request.messages) + (request.systemPrompt?.length ?? 0) + toolCharacters(request.tools));
    const output = stated?.output ?? tokens(messageCharacters(answer));
    const usage = usageOf({ input, output, cacheRead: stated?.cacheRead ?? 0, cacheWrite: stated?.cacheWrite ?? 0 }, prices);
    return { ...usage, ...stated };
  };
}

const tokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

const toolCharacters = (tools: readonly ToolDeclaration[] | undefined): number =>
  tools === undefined ? 0 : JSON.stringify(tools).length;

function messageCharacters(message: Message): number {
  if (typeof message.content === "string") return message.content.length;
  let sum = 0;
  for (const block of message.content) {
    switch (block.type) {
      case "text":
        sum += block.text.length;
        break;
      case "thinking":
        sum += block.thinking.length;
        break;
      case "image":
        sum += IMAGE_CHARACTERS;
        break;
      case "toolCall":
        sum += block.name.length + JSON.stringify(block.arguments).length;
        break;
    }
  }
  return sum;
}
