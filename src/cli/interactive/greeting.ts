import { oneLine, printable } from "../sessions/describe.ts";
import type { Conversation } from "./conversation.ts";
import type { Transcript } from "./transcript.ts";

/** Says what session it is, and where it stopped. @returns Whether there is something to go on with */
export function greet(transcript: Transcript, conversation: Conversation): boolean {
  const { session, lastExchange } = conversation;
  const { log, state } = session;
  const name = log.name === undefined ? "" : ` "${oneLine(log.name)}"`;
  transcript.say(
    `session ${log.path === undefined ? "in memory only" : printable(log.header.id.slice(0, 8))}${name}, ${state.model}`,
  );
  const { question, answer } = lastExchange;
  if (question !== undefined) transcript.user({ content: question });
  if (answer !== undefined) transcript.formerAnswer(answer);
  if (log.entries.length === 0 || !conversation.canGoOn) return false;
  const { outcome } = state;
  const what =
    outcome?.status === "failed"
      ? `The last prompt failed: ${oneLine(outcome.failure?.message ?? "", 200)}`
      : "This session was interrupted.";
  transcript.say(`${what} Enter goes on with it (/retry); anything else is a new prompt.`, "yellow");
  return true;
}
