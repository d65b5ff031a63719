import { runAfterRules } from "../../../machines/run-after.ts";
import { durationText } from "../../errors/index.ts";
import type { ToolResult } from "../../agent/types.ts";
import type { Clock } from "../../retry/clock.ts";
import type { SessionEvent } from "../../session/events.ts";
import type { Verbosity } from "../run-context.ts";
import { contentText, oneLine } from "../sessions/describe.ts";
import { countdown } from "./countdown.ts";
import type { Screen } from "./screen.ts";

const REASON_CHARACTERS = 200;

const COMPACTING = {
  overflow: "the context is full, compacting…",
  threshold: "the context is nearly full, compacting…",
  manual: "compacting…",
} as const;

export interface ProgressOptions {
  screen: Screen;
  clock: Clock;
  verbosity: Verbosity;
  /** Text of the answer is shown as it comes, so that a discarded part was seen. */
  streams: boolean;
}

/** Says on stderr what happens to a session: waits, compactions, tools; and with `verbose` each decision. */
export class Progress {
  readonly #screen: Screen;
  readonly #clock: Clock;
  readonly #verbosity: Verbosity;
  readonly #streams: boolean;
  /** Ends the countdown under way. */
  #waiting: ((over: boolean) => void) | undefined;

  constructor({ screen, clock, verbosity, streams }: ProgressOptions) {
    this.#screen = screen;
    this.#clock = clock;
    this.#verbosity = verbosity;
    this.#streams = streams;
  }

  handle(event: SessionEvent): void {
    if (this.#verbosity === "quiet") return;
    switch (event.type) {
      case "agent_start":
        this.#endWait(true);
        return this.#screen.status("waiting for the model…");
      case "agent_end":
        return this.#decision(event.rule);
      case "auto_retry_start":
        return this.#wait(event.retryAt, event.delayMs, `(${event.attempt}/${event.maxAttempts}): ${reason(event.errorMessage)}`);
      case "auto_retry_end":
        this.#endWait(false);
        return event.success ? this.#verbose(`retry ${event.attempt} went through`) : undefined;
      case "provider_retry":
      case "summarization_retry_scheduled": {
        const what = event.type === "provider_retry" ? "request" : "summary";
        return this.#say(
          `${what}: retrying in ${durationText(event.delayMs)} (${event.attempt}/${event.maxAttempts}): ${reason(event.errorMessage)}`,
        );
      }
      case "partial_discarded":
        return this.#say(
          this.#streams
            ? "the text above broke off and is void; it is asked for again"
            : "a partial answer was discarded; it is asked for again",
        );
      case "compaction_start":
        this.#say(COMPACTING[event.reason]);
        return this.#screen.status("waiting for the summary…");
      case "compaction_end":
        return this.#compacted(event);
      case "tool_execution_start":
        return this.#say(`tool ${oneLine(event.toolName)} ${oneLine(JSON.stringify(event.args))}`);
      case "tool_execution_end":
        return this.#toolEnded(event);
      case "log_diagnostic":
        return this.#say(`session file: ${oneLine(event.diagnostic.message, REASON_CHARACTERS)}`);
      case "agent_settled":
        this.#endWait(false);
        return this.#screen.clearStatus();
      default:
        return undefined;
    }
  }

  #say(text: string): void {
    this.#screen.line(this.#screen.style("dim", text));
  }

  #verbose(text: string): void {
    if (this.#verbosity === "verbose") this.#say(text);
  }

  #decision(rule: string): void {
    const found = runAfterRules.find(({ name }) => name === rule);
    this.#verbose(`rule ${rule}: ${found?.then ?? "as it says"}`);
  }

  /** On a terminal the seconds run down in place, and one line of it stays; elsewhere one line says how long it takes. */
  #wait(until: number, delayMs: number, what: string): void {
    if (!this.#screen.live) return this.#say(`retrying in ${durationText(delayMs)} ${what}`);
    const stop = countdown(this.#clock, until, (seconds) => this.#screen.status(`retrying in ${seconds} s ${what}`));
    this.#waiting = (over) => {
      stop();
      this.#say(`${over ? `retry after ${durationText(delayMs)}` : "retry given up"} ${what}`);
    };
  }

  /** `over`: the wait came to its end, and the request is sent again. */
  #endWait(over: boolean): void {
    this.#waiting?.(over);
    this.#waiting = undefined;
  }

  #compacted({ result, aborted, errorMessage }: Extract<SessionEvent, { type: "compaction_end" }>): void {
    if (aborted) return this.#say("compaction aborted");
    if (!result) return this.#say(`not compacted: ${reason(errorMessage ?? "there is nothing to leave out")}`);
    return this.#say(`compacted: about ${result.tokensBefore} tokens before, ${result.estimatedTokensAfter} now`);
  }

  #toolEnded(event: Extract<SessionEvent, { type: "tool_execution_end" }>): void {
    const { toolName, isError, durationMs } = event;
    if (isError) this.#say(`tool ${oneLine(toolName)} failed: ${reason(resultText(event.result))}`);
    else this.#verbose(`tool ${oneLine(toolName)} done${durationMs === undefined ? "" : ` in ${durationText(durationMs)}`}`);
  }
}

function reason(text: string): string {
  return oneLine(text, REASON_CHARACTERS);
}

function resultText({ content }: ToolResult): string {
  return contentText(content);
}
