import type { AssistantMessage, Message, Model } from "./types.ts";

const GO_ON =
  "Your last message was cut off by a failed connection; the user has seen it up to there. Go on exactly where it stopped. Repeat nothing of it, and do not mention the interruption.";

/** How a model is brought to go on with a reply that was cut. */
export interface Continuation {
  /** What had come of it. */
  text: string;
  /** To append to the request. */
  messages: Message[];
}

/**
 * What to append to a request so that the model goes on with a reply that was cut (`stream.onInterrupted: "continue"`): its
 * own partial answer, and unless the model takes that as a prefill, a message that asks it to go on. What it answers is the
 * rest alone.
 *
 * @returns Undefined when the reply cannot be continued: it did not fail as interrupted, timed out or for the network, or more
 *   than text had come, or no text. It has to be started again then.
 */
export function continuationOf(reply: AssistantMessage, model: Model): Continuation | undefined {
  const kind = reply.failure?.kind;
  if (reply.stopReason !== "error" || (kind !== "stream_interrupted" && kind !== "timeout" && kind !== "network"))
    return undefined;
  // Half a tool call cannot be gone on with, and thinking is verified as a whole.
  if (reply.content.some((block) => block.type !== "text")) return undefined;
  const text = reply.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (text.trim() === "") return undefined;
  const { errorMessage: _message, failure: _failure, ...rest } = reply;
  const shown: AssistantMessage = { ...rest, content: [{ type: "text", text }], stopReason: "stop" };
  // Providers refuse a prefill that ends in white space.
  const prefill = model.prefill === true && text === text.trimEnd();
  return { text, messages: prefill ? [shown] : [shown, { role: "user", content: GO_ON, timestamp: reply.timestamp }] };
}

/** The reply as a whole, of which the model gave the rest. */
export function withBeginning(text: string, rest: AssistantMessage): AssistantMessage {
  const [first, ...others] = rest.content;
  if (first?.type === "text") return { ...rest, content: [{ type: "text", text: text + first.text }, ...others] };
  return { ...rest, content: [{ type: "text", text }, ...rest.content] };
}
