import { durationText } from "../../errors/index.ts";
import type { UserMessage } from "../../model/types.ts";
import type { PromptOutcome, SessionEvent } from "../../session/events.ts";
import { reportLines } from "../print/report.ts";
import { contentText, oneLine, printable } from "../sessions/describe.ts";
import type { Style } from "../style.ts";
import { hanging } from "./hanging.ts";
import type { Look } from "./look.ts";
import { StreamedAnswer } from "./streamed-answer.ts";
import { finishedRows, lastLine, runningRows, type RunningTool } from "./tool-rows.ts";
import { wrapText } from "./text-width.ts";

const REASON_CHARACTERS = 300;

/** What `auto_retry_end` says of a wait that was given up. */
const RETRY_CANCELLED = "Retry cancelled";

type Kind = "user" | "answer" | "tool" | "notice";

/** What was said and done, as rows: those that are finished, and those that still change. */
export class Transcript {
  readonly answer: StreamedAnswer;
  readonly #look: Look;
  readonly #columns: () => number;
  readonly #now: () => number;
  readonly #tools = new Map<string, RunningTool>();
  #finished: string[] = [];
  #lastKind: Kind | undefined;
  /** The reply on the screen failed; what becomes of it is not decided yet. */
  #broken = false;
  #exhaustedAfter: number | undefined;
  #cancelled = false;

  /** @param columns Those rows may have, now. */
  constructor(look: Look, columns: () => number, now: () => number) {
    this.#look = look;
    this.#columns = columns;
    this.#now = now;
    this.answer = new StreamedAnswer(look);
  }

  /** The rows that were finished since it was asked last. */
  takeFinished(): string[] {
    const rows = this.#finished;
    this.#finished = [];
    return rows;
  }

  /** The calls that run, and how far they are. */
  toolRows(turn: string): string[] {
    return [...this.#tools.values()].flatMap((tool) => runningRows(tool, this.#look, turn, this.#now(), this.#columns()));
  }

  get runningTools(): readonly string[] {
    return [...this.#tools.values()].map(({ name }) => name);
  }

  /** Leaves so many rows to the answer that streams. */
  limitAnswer(mostRows: number): void {
    const rows = this.answer.overflow(this.#columns(), mostRows);
    this.#addOfAnswer(rows);
  }

  /** Something said by the command itself; it stands above an answer that still streams. */
  say(text: string, style: Style | "plain" = "dim"): void {
    const rows = text.split("\n").flatMap((line) => hanging(line, this.#columns()));
    this.#add("notice", style === "plain" ? rows : rows.map((row) => this.#look.style(style, row)));
  }

  handle(event: SessionEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.message.role === "user") this.user(event.message);
        if (event.message.role !== "assistant") return;
        if (this.#broken) this.#discard();
        return this.answer.begin(event.message.content);
      case "message_update":
        return this.answer.handle(event.assistantMessageEvent);
      case "message_end":
        if (event.message.role !== "assistant") return;
        if (event.message.stopReason === "error" && this.answer.begun) this.#broken = true;
        else this.#finishAnswer();
        return;
      case "partial_discarded":
        return this.#discard();
      case "tool_execution_start":
        this.#tools.set(event.toolCallId, { name: event.toolName, args: event.args, startedAt: this.#now(), progress: "" });
        return;
      case "tool_execution_update": {
        const tool = this.#tools.get(event.toolCallId);
        if (tool) tool.progress = lastLine(event.partialResult);
        return;
      }
      case "tool_execution_end": {
        const tool = this.#tools.get(event.toolCallId) ?? { name: event.toolName, args: {} };
        this.#tools.delete(event.toolCallId);
        return this.#add("tool", finishedRows(tool, event, this.#look, this.#columns()));
      }
      case "auto_retry_start":
        // What is said of the wait stands below what becomes of the reply.
        if (this.#broken) this.#discard();
        this.#retry(reason(event.errorMessage), event);
        // Once is enough for a streak.
        return event.attempt === 1 ? this.say(`  ${printable(event.failure.hint)}`) : undefined;
      case "auto_retry_end":
        this.#exhaustedAfter = event.success ? undefined : event.attempt;
        this.#cancelled = event.finalError === RETRY_CANCELLED;
        return;
      case "provider_retry":
      case "summarization_retry_scheduled": {
        const what = event.type === "provider_retry" ? "Request" : "Summary";
        return this.#retry(`${what}: ${reason(event.errorMessage)}`, event);
      }
      case "compaction_end":
        return this.#compacted(event);
      case "log_diagnostic":
        return this.say(`session file: ${oneLine(event.diagnostic.message, REASON_CHARACTERS)}`, "yellow");
      case "agent_settled":
        return this.#settled(event);
      default:
        return undefined;
    }
  }

  user({ content }: Pick<UserMessage, "content">): void {
    this.#finishAnswer();
    const { style, signs } = this.#look;
    const rows = wrapText(printable(contentText(content)), this.#columns() - 2);
    this.#add(
      "user",
      rows.map((row, index) => style("bold", `${index === 0 ? signs.prompt : " "} ${row}`.trimEnd())),
    );
  }

  /** A command, as it was typed. */
  command(text: string): void {
    const { style, signs } = this.#look;
    this.#add(
      "user",
      wrapText(printable(`${signs.prompt} ${text}`), this.#columns()).map((row) => style("dim", row)),
    );
  }

  /** An answer of before, as it was. */
  formerAnswer(text: string): void {
    const answer = new StreamedAnswer(this.#look);
    answer.begin([{ type: "text", text }]);
    this.#addOfAnswer(answer.finish(this.#columns()));
  }

  #add(kind: Kind, rows: readonly string[]): void {
    if (kind !== this.#lastKind || kind === "user" || kind === "answer") this.#finished.push("");
    this.#finished.push(...rows);
    this.#lastKind = kind;
  }

  #retry(what: string, { attempt, maxAttempts, delayMs }: { attempt: number; maxAttempts: number; delayMs: number }): void {
    this.say(`${this.#look.signs.retry} ${what} Retry ${attempt} of ${maxAttempts} in ${durationText(delayMs)}.`, "yellow");
  }

  /** What is left of the answer that streamed stands as it is. */
  #finishAnswer(): void {
    this.#addOfAnswer(this.answer.finish(this.#columns()));
    this.#broken = false;
  }

  #addOfAnswer(rows: readonly string[]): void {
    const [first] = rows;
    if (first === undefined) return;
    // Something was said in the middle of it.
    if (first !== "" && this.#lastKind !== "answer") this.#finished.push("");
    this.#finished.push(...rows);
    this.#lastKind = "answer";
  }

  /** The reply broke off and is asked for again: what can be taken back is, what has scrolled away is marked. */
  #discard(): void {
    this.#broken = false;
    if (!this.answer.begun) return;
    const { scrolled } = this.answer;
    this.answer.clear();
    this.say(
      scrolled
        ? "The text above broke off and is void; it is asked for again."
        : "The answer broke off; its beginning was taken back, and is asked for again.",
    );
  }

  #compacted({ result, aborted, errorMessage }: Extract<SessionEvent, { type: "compaction_end" }>): void {
    if (aborted) return this.say("Compaction stopped.", "yellow");
    if (!result) return this.say(`Not compacted: ${reason(errorMessage ?? "there is nothing to leave out")}`, "yellow");
    return this.say(`Compacted: about ${result.tokensBefore} tokens before, ${result.estimatedTokensAfter} now.`);
  }

  #settled({ outcome, queued }: Extract<SessionEvent, { type: "agent_settled" }>): void {
    this.#outcome(outcome);
    if (queued > 0)
      this.say(`${queued === 1 ? "1 message stays" : `${queued} messages stay`} queued. /retry goes on, Alt-Up takes back.`);
  }

  #outcome(outcome: PromptOutcome): void {
    const brokeOff = this.#broken;
    this.#finishAnswer();
    this.#tools.clear();
    if (brokeOff) this.say("The answer broke off here.");
    if (this.#cancelled) {
      // Why it was waited for was said when the wait began.
      this.#cancelled = false;
      this.#exhaustedAfter = undefined;
      return this.say("Retry cancelled. /retry asks again, /explain says why it failed.", "yellow");
    }
    const [first, ...others] = reportLines(outcome, { exhaustedAfter: this.#exhaustedAfter, now: this.#now() });
    this.#exhaustedAfter = undefined;
    if (first === undefined) return;
    this.say(first, outcome.status === "failed" ? "red" : "yellow");
    for (const line of others) this.say(line);
    if (outcome.status === "failed") this.say("/retry asks again, /explain says why it failed.");
  }
}

function reason(text: string): string {
  const line = oneLine(text, REASON_CHARACTERS);
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
