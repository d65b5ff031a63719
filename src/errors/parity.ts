import type { AssistantMessage } from "../model/types.ts";
import { classifyFailure } from "./classify.ts";
import { describeFailure } from "./describe.ts";
import type { FailureAction } from "./types.ts";

/** From this share of the window on, an answer that was cut before its first token was cut by the window. */
const FULL_WINDOW = 0.99;

/** Whether the failed reply is worth sending its request again. An aborted one never is. */
export function isRetryableAssistantError(message: AssistantMessage): boolean {
  return message.stopReason === "error" && actionOf(message) === "retry";
}

/**
 * Whether the context did not fit: the error says so; or the reply is complete and its input was larger than the window; or it
 * was cut by length before its first token, with the window full.
 *
 * @param contextWindow Tokens; without it only errors are known.
 */
export function isContextOverflow(message: AssistantMessage, contextWindow?: number): boolean {
  if (message.stopReason === "error") return actionOf(message) === "compact";
  if (contextWindow === undefined || contextWindow <= 0) return false;
  const input = message.usage.input + message.usage.cacheRead + message.usage.cacheWrite;
  if (message.stopReason === "stop") return input > contextWindow;
  return message.stopReason === "length" && message.usage.output === 0 && input >= FULL_WINDOW * contextWindow;
}

/**
 * Whether the reply was cut short of the output that was asked for, so that room in the window may complete it.
 *
 * @param desiredMaxOutput Output tokens the request asked for; 0 or undefined for unknown.
 */
export function isRecoverableLength(message: AssistantMessage, desiredMaxOutput?: number): boolean {
  if (message.stopReason !== "length" || desiredMaxOutput === undefined || desiredMaxOutput <= 0) return false;
  return message.usage.output < desiredMaxOutput;
}

function actionOf(message: AssistantMessage): FailureAction {
  return (
    message.failure?.action ?? classifyFailure(describeFailure(message.errorMessage ?? "", { provider: message.provider })).action
  );
}
