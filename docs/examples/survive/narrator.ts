import { runAfterRules } from "../../../machines/index.ts";
import type { Session, SessionEvent } from "../../../src/index.ts";
import { countdown } from "../../../src/cli/print/countdown.ts";
import { systemClock } from "../../../src/retry/clock.ts";
import { page, type Label } from "./page.ts";

/** Tells on the terminal what a session goes through: its states, the decisions and their rules, the waits, the answer as it comes. */
export function narrate(session: Session, { question, url }: { question: string; url: string }): { end(): void } {
  let requests = 0;
  let stopCountdown = (): void => undefined;
  const say = (label: Label, text: string): void => {
    stopCountdown();
    page.line(label, text);
  };

  page.heading("A session that survives");
  page.note(`A mock on ${url} plays the provider, and fails as real ones do.`);
  page.note("Anthropic's own client talks to it. No key, no network; about ten seconds.\n");
  say("you", question);

  const tell = (event: SessionEvent): void => {
    switch (event.type) {
      case "turn_start":
        requests++;
        return say("running", `request ${requests}`);
      case "message_update":
        return event.assistantMessageEvent.type === "text_delta" ? page.answer(event.assistantMessageEvent.delta) : undefined;
      case "message_end":
        page.endAnswer();
        if (event.message.role === "assistant" && event.message.failure)
          say("failure", `${event.message.failure.message}  [${event.message.failure.rule}]`);
        return undefined;
      case "tool_execution_end":
        return say(
          "tool",
          `${event.toolName} ${JSON.stringify(argumentsOf(session, event.toolCallId))}: ${sizeOf(event.result.content)}`,
        );
      case "agent_end":
        return say("deciding", `rule ${event.rule}: ${consequenceOf(event.rule)}`);
      case "auto_retry_start": {
        const asked = event.failure.retryAfterMs === undefined ? "" : ", as long as the server asked for";
        say("backoff", `retry ${event.attempt} of ${event.maxAttempts} in ${event.delayMs / 1000} s${asked}`);
        stopCountdown = countdown(systemClock, event.retryAt, (seconds) => page.status(`${seconds} s left`));
        return undefined;
      }
      case "auto_retry_end":
        return say(
          "retry",
          event.success
            ? `went through after ${event.attempt} retries: the streak is over`
            : `given up: ${event.finalError ?? ""}`,
        );
      case "partial_discarded":
        return say("discarded", "the half answer above is void; it stays in the log, and no model will be shown it");
      case "compaction_start":
        return say("compacting", "the context does not fit: a summary takes the place of its older part");
      case "compaction_end":
        return say(
          "compacting",
          event.result
            ? `about ${event.result.tokensBefore} tokens before, ${event.result.estimatedTokensAfter} now`
            : `not done: ${event.errorMessage ?? ""}`,
        );
      case "agent_settled":
        return say("settled", event.outcome.status);
      default:
        return undefined;
    }
  };
  const unsubscribe = session.subscribe(tell);
  return {
    end() {
      stopCountdown();
      unsubscribe();
    },
  };
}

/** What a rule of the run-after check leads to, without the remark at its end. */
function consequenceOf(rule: string): string {
  return (runAfterRules.find(({ name }) => name === rule)?.then ?? "").replace(/ \([^)]*\)$/, "");
}

function argumentsOf({ messages }: Session, toolCallId: string): unknown {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.content : []));
  const call = calls.find((block) => block.type === "toolCall" && block.id === toolCallId);
  return call?.type === "toolCall" ? call.arguments : {};
}

function sizeOf(content: readonly { type: string; text?: string }[]): string {
  const characters = content.reduce((sum, { text = "" }) => sum + text.length, 0);
  return `${characters} characters, about ${Math.ceil(characters / 4)} tokens`;
}
