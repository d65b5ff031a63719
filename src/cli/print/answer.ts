import type { PromptOutcome, SessionEvent } from "../../session/events.ts";
import { answerOf } from "../exit-codes.ts";
import { printable } from "../sessions/describe.ts";
import type { Screen } from "./screen.ts";

/**
 * Writes answers to stdout. To a terminal text goes as it comes. Into a pipe or file goes the last message only, once it is
 * complete: what a cut stream had begun never gets there.
 */
export class AnswerWriter {
  readonly #screen: Screen;
  readonly #streams: boolean;

  constructor(screen: Screen, streams: boolean) {
    this.#screen = screen;
    this.#streams = streams;
  }

  handle(event: SessionEvent): void {
    if (!this.#streams) return;
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") {
      this.#screen.answer(printable(event.assistantMessageEvent.delta));
    } else if (event.type === "message_end") this.#screen.endAnswer();
  }

  /** The prompt is over. */
  finish(outcome: PromptOutcome): void {
    if (!this.#streams) this.#screen.answer(answerOf(outcome));
    this.#screen.endAnswer();
  }
}
