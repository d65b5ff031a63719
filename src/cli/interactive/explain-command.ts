import { explainFailure, explanationText } from "../../errors/index.ts";
import type { AssistantMessage } from "../../model/types.ts";
import type { Session } from "../../session/session.ts";
import { defaultDelaysMs } from "../explain.ts";
import { printable } from "../sessions/describe.ts";
import type { CommandHost } from "./command-host.ts";

/** `/explain`: how an error is judged; without one, how the last failure of the session was. */
export function explain(text: string, { conversation, say }: CommandHost): void {
  if (text !== "") return say(explained(text), "plain");
  const reply = lastFailedReply(conversation.session);
  if (!reply) return say("Nothing has failed in this session. /explain TEXT explains an error.");
  const { failure, errorMessage } = reply;
  if (!failure) return say(explained(errorMessage ?? ""), "plain");
  const facts = [
    failure.message,
    `kind    ${failure.kind}`,
    `action  ${failure.action}`,
    `rule    ${failure.rule}`,
    `why     ${failure.why}`,
    `hint    ${failure.hint}`,
    ...(failure.requestId === undefined ? [] : [`request ${failure.requestId}`]),
  ];
  return say(printable(facts.join("\n")), "plain");
}

function explained(text: string): string {
  return printable(explanationText(explainFailure(text, { delaysMs: defaultDelaysMs() }))).trimEnd();
}

function lastFailedReply({ log }: Session): AssistantMessage | undefined {
  const replies = log
    .branch()
    .flatMap((entry) => (entry.type === "message" && entry.message.role === "assistant" ? [entry.message] : []));
  return replies.findLast(({ stopReason }) => stopReason === "error");
}
