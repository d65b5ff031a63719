import type { Failure } from "../errors/types.ts";
import type { AssistantContent, AssistantMessage, Model, Usage } from "./types.ts";

/** Text of `errorMessage` on a reply that the user aborted. */
export const ABORTED_MESSAGE = "Request was aborted";

const UNFINISHED_CALL = "The stream ended before the arguments were complete";

export function emptyUsage(): Usage {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
}

/** A reply of `model` of which nothing has come yet. */
export function emptyReply(model: Pick<Model, "api" | "provider" | "id">, timestamp: number): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp,
  };
}

/** True when the reply says something: text that is not blank, or a tool call. */
export function hasAnswer(message: AssistantMessage): boolean {
  return message.content.some((block) => block.type === "toolCall" || (block.type === "text" && block.text.trim() !== ""));
}

/**
 * The final message of a reply that failed or was aborted, with the content that had come. It is a copy, so that a model
 * that still streams cannot change it; tool calls not in `endedCalls` are marked as never to be run.
 */
export function failedReply(
  message: AssistantMessage,
  stopReason: "error" | "aborted",
  failure: Failure | undefined,
  endedCalls: ReadonlySet<number>,
): AssistantMessage {
  const failed: AssistantMessage = {
    ...message,
    content: message.content.map((block, index) => copyBlock(block, endedCalls.has(index))),
    usage: { ...message.usage },
    stopReason,
    errorMessage: failure?.message ?? ABORTED_MESSAGE,
  };
  if (failure === undefined) delete failed.failure;
  else failed.failure = failure;
  return failed;
}

function copyBlock(block: AssistantContent, ended: boolean): AssistantContent {
  if (block.type !== "toolCall" || ended || block.argumentsError !== undefined) return { ...block };
  return { ...block, argumentsError: UNFINISHED_CALL };
}
