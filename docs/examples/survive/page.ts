import { styleText } from "node:util";

export type Label =
  | "you"
  | "running"
  | "answer"
  | "failure"
  | "tool"
  | "deciding"
  | "backoff"
  | "retry"
  | "discarded"
  | "compacting"
  | "settled";
type Colour = "bold" | "dim" | "blue" | "cyan" | "red" | "yellow" | "magenta" | "green";

const COLOURS: Readonly<Record<Label, Colour>> = {
  you: "bold",
  running: "cyan",
  answer: "bold",
  failure: "red",
  tool: "cyan",
  deciding: "blue",
  backoff: "yellow",
  retry: "green",
  discarded: "red",
  compacting: "magenta",
  settled: "green",
};
const LABEL_WIDTH = 12;

const terminal = process.stdout.isTTY && process.env["TERM"] !== "dumb";
/** `styleText` leaves colours out where stdout is no terminal, or `NO_COLOR` is set. */
const paint = (colour: Colour, text: string): string => styleText(colour, text, { stream: process.stdout });

let statusShown = false;
let answerColumn: number | undefined;

/** One screen of output: labelled lines, an answer that streams, and a status that is overwritten. Plain lines where there is no terminal. */
export const page = {
  heading(text: string): void {
    process.stdout.write(`\n${paint("bold", text)}\n`);
  },
  note(text: string): void {
    process.stdout.write(`${paint("dim", text)}\n`);
  },
  line(label: Label, text: string): void {
    clear();
    page.endAnswer();
    process.stdout.write(`${paint(COLOURS[label], label.padEnd(LABEL_WIDTH))}${text}\n`);
  },
  status(text: string): void {
    if (!terminal) return;
    clear();
    process.stdout.write(`${" ".repeat(LABEL_WIDTH)}${paint("dim", text)}`);
    statusShown = true;
  },
  answer(text: string): void {
    clear();
    if (answerColumn === undefined) {
      process.stdout.write(paint("bold", "answer".padEnd(LABEL_WIDTH)));
      answerColumn = LABEL_WIDTH;
    }
    for (const piece of text.split(/(?<= )/)) {
      if (answerColumn + piece.length > width()) {
        process.stdout.write(`\n${" ".repeat(LABEL_WIDTH)}`);
        answerColumn = LABEL_WIDTH;
      }
      process.stdout.write(piece);
      answerColumn += piece.length;
    }
  },
  endAnswer(): void {
    if (answerColumn === undefined) return;
    process.stdout.write("\n");
    answerColumn = undefined;
  },
};

function clear(): void {
  if (!statusShown) return;
  process.stdout.write("\r\u001b[2K");
  statusShown = false;
}

function width(): number {
  return Math.min(process.stdout.columns ?? 100, 110);
}
