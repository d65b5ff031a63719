import { makeFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";
import { badStop, interrupted } from "./faults.ts";
import { hasAnswer } from "./reply.ts";
import type { AssistantMessage, ModelRequest } from "./types.ts";

/**
 * Why a reply that its model calls good is none; undefined when it is. A `stop` directly after tool results may be empty: the
 * model had nothing to add. A `length` may be, too: all of its output was spent on thinking.
 */
export function faultOf(message: AssistantMessage, request: ModelRequest): Failure | undefined {
  switch (message.stopReason) {
    case "length":
      return undefined;
    case "toolUse":
      return message.content.some((block) => block.type === "toolCall") ? undefined : toolUseWithoutCall();
    case "stop":
      return hasAnswer(message) || request.messages.at(-1)?.role === "toolResult" ? undefined : emptyAnswer();
    default:
      return badStop(message.stopReason);
  }
}

/** Why a model's final message cannot be used at all, whatever it says; undefined when it can. */
export function malformation(message: unknown): Failure | undefined {
  const { content, usage }: { content?: unknown; usage?: unknown } = Object(message);
  const { totalTokens }: { totalTokens?: unknown } = Object(usage);
  if (Array.isArray(content) && typeof totalTokens === "number") return undefined;
  return makeFailure({
    action: "stop",
    kind: "internal",
    rule: "stream.malformed-message",
    message: "The model ended its stream with a message that lacks its content or its usage",
    why: "Everything that follows relies on both.",
    hint: "This is a fault in the code of the model, not in the model's answer: its done event has to carry a whole message.",
  });
}

const emptyAnswer = (): Failure =>
  interrupted(
    "empty-answer",
    "The model's answer was empty: no text and no tool call",
    "An answer without text or tool call is a stream that lost its content.",
  );

const toolUseWithoutCall = (): Failure =>
  interrupted("tool-use-without-call", "The model stopped to use a tool, but named none", "The tool call was lost on the way.");
