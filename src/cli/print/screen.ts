import type { Io } from "../io.ts";
import { stylerFor, type Styler } from "../style.ts";

/**
 * Stdout and stderr of one run. Where both are the same terminal they share its cursor: a line for stderr never lands in the middle
 * of the answer, and the live line gives way to whatever is written.
 */
export class Screen {
  /** The live line can be shown: stderr is a terminal. */
  readonly live: boolean;
  readonly style: Styler;
  readonly #io: Pick<Io, "stdout" | "stderr">;
  readonly #shared: boolean;
  #answerOpen = false;
  #liveText = "";

  constructor(io: Pick<Io, "stdout" | "stderr" | "env">) {
    this.#io = io;
    this.live = io.stderr.isTTY === true && io.env["TERM"] !== "dumb";
    this.#shared = io.stderr.isTTY === true && io.stdout.isTTY === true;
    this.style = stylerFor(io.stderr, io.env);
  }

  /** Part of the answer. */
  answer(text: string): void {
    if (text === "") return;
    this.#clear();
    this.#io.stdout.write(text);
    this.#answerOpen = !text.endsWith("\n");
  }

  /** Ends the line of the answer, if it is open. */
  endAnswer(): void {
    if (this.#answerOpen) this.answer("\n");
  }

  /** A line that stays, on stderr. */
  line(text: string): void {
    this.#clear();
    if (this.#shared) this.endAnswer();
    this.#io.stderr.write(`${text}\n`);
  }

  /** A line that stands only until the next output, on a terminal; nothing elsewhere. */
  status(text: string): void {
    if (!this.live || (this.#shared && this.#answerOpen)) return;
    const width = (this.#io.stderr.columns ?? 80) - 1;
    const shown = text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
    this.#io.stderr.write(`\r\u001b[2K${this.style("dim", shown)}`);
    this.#liveText = shown;
  }

  clearStatus(): void {
    this.#clear();
  }

  #clear(): void {
    if (this.#liveText === "") return;
    this.#io.stderr.write("\r\u001b[2K");
    this.#liveText = "";
  }
}
