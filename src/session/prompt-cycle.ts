import type { SettledOutcome } from "../../machines/types.ts";
import { emptyUsage } from "../model/reply.ts";
import type { AssistantMessage, Usage } from "../model/types.ts";
import { addUsage } from "../model/usage.ts";
import type { PromptOutcome } from "./events.ts";

const NO_USAGE: Usage = Object.freeze(emptyUsage());

/** What happens between the start of a prompt and its settling, counted. */
export class PromptCycle {
  #message: AssistantMessage | undefined;
  #usage: Usage = NO_USAGE;
  requests = 0;
  turns = 0;
  retries = 0;

  addReply(message: AssistantMessage): void {
    this.#message = message;
    this.turns++;
    this.addUsage(message.usage);
  }

  addUsage(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
  }

  outcome(settled: SettledOutcome): PromptOutcome {
    const { status, cut, failure } = settled;
    return {
      status: status === "interrupted" ? "aborted" : status,
      ...(cut ? { cut } : {}),
      ...(this.#message ? { message: this.#message } : {}),
      ...(failure ? { failure } : {}),
      retries: this.retries,
      requests: this.requests,
      usage: this.#usage,
    };
  }
}
