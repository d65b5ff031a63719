import { StringDecoder } from "node:string_decoder";
import type { Io } from "../io.ts";
import { KeyDecoder, type KeyInput } from "./keys.ts";

/** A single escape is a key when nothing follows it for so long, in milliseconds; a slow line may part a sequence. */
const ESCAPE_MS = 60;

const BRACKETED_PASTE = "\u001b[?2004h";
const NO_BRACKETED_PASTE = "\u001b[?2004l";
const SHOW_CURSOR = "\u001b[?25h";
const WRAP = "\u001b[?7h";

export interface TerminalListener {
  onInput(input: KeyInput): void;
  onResize(): void;
  /** The terminal is about to be given back, for a while or because the process ends: nothing of ours should stay on it. */
  beforeStop(): void;
  /** It is ours again, whatever is on it. */
  afterStop(): void;
  /** There is no terminal any more. */
  onLost(): void;
}

/** Holds the terminal: each key as it is pressed, pastes as one piece; and gives it back as it was, whatever happens. */
export class Terminal {
  readonly #io: Io;
  readonly #write: (text: string) => unknown;
  readonly #listener: TerminalListener;
  readonly #decoder = new KeyDecoder();
  readonly #characters = new StringDecoder("utf8");
  #held = false;
  #forget: (() => void)[] = [];
  #stopWaiting = (): void => undefined;

  constructor(io: Io, write: (text: string) => unknown, listener: TerminalListener) {
    this.#io = io;
    this.#write = write;
    this.#listener = listener;
  }

  hold(): void {
    const { stdin, stdout, job } = this.#io;
    const { onResize, onLost, beforeStop, afterStop } = {
      onResize: () => this.#listener.onResize(),
      onLost: () => this.#listener.onLost(),
      beforeStop: () => {
        this.#listener.beforeStop();
        this.#giveBack();
      },
      afterStop: () => {
        this.#take();
        this.#listener.afterStop();
      },
    };
    const onData = (chunk: Buffer | string): void =>
      this.#read(typeof chunk === "string" ? chunk : this.#characters.write(chunk));
    stdin.on("data", onData);
    stdin.on("end", onLost);
    stdin.on("error", onLost);
    stdout.on("resize", onResize);
    this.#forget = [
      () => stdin.off("data", onData).off("end", onLost).pause(),
      () => stdout.off("resize", onResize),
      ...(job ? [job.onStop({ before: beforeStop, after: afterStop }), job.onExit(beforeStop)] : []),
    ];
    this.#take();
  }

  release(): void {
    this.#stopWaiting();
    for (const forget of this.#forget.splice(0)) forget();
    this.#giveBack();
  }

  #take(): void {
    this.#held = true;
    this.#io.stdin.setRawMode?.(true);
    this.#write(BRACKETED_PASTE);
  }

  #giveBack(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#write(NO_BRACKETED_PASTE + WRAP + SHOW_CURSOR);
    this.#io.stdin.setRawMode?.(false);
  }

  #read(text: string): void {
    this.#stopWaiting();
    for (const input of this.#decoder.push(text)) this.#listener.onInput(input);
    if (!this.#decoder.pending) return;
    this.#stopWaiting = this.#io.clock.after(ESCAPE_MS, () => {
      for (const input of this.#decoder.flush()) this.#listener.onInput(input);
    });
  }
}
