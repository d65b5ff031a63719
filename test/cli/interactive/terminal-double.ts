import { PassThrough, Writable } from "node:stream";
import xterm from "@xterm/headless";
import type { EndSignal, Input, Io, JobControl, Output } from "../../../src/cli/io.ts";
import { systemClock, type Clock } from "../../../src/retry/clock.ts";

export interface TerminalDoubleOptions {
  columns?: number;
  rows?: number;
  clock?: Clock;
  env?: Record<string, string>;
  cwd?: string;
}

/** A terminal in this process: what is written is drawn by an emulator, and a person types with `type`. */
export class TerminalDouble {
  readonly io: Io;
  /** Exit codes the command asked for at once. */
  readonly exits: number[] = [];
  /** Each write, as it came. */
  readonly writes: string[] = [];
  raw = false;
  stops = 0;
  /** Writes stay unanswered, as on a line that is too slow. */
  stalled = false;
  readonly stdin: Input;
  /** A stream that is drawn nowhere. */
  readonly unseen: Output = new PassThrough().resume();
  readonly #emulator: xterm.Terminal;
  readonly #stdout: Output;
  readonly #signals = new Set<(signal: EndSignal) => void>();
  readonly #exitListeners = new Set<() => void>();
  readonly #stopListeners = new Set<{ before: () => void; after: () => void }>();
  #unanswered: (() => void)[] = [];

  constructor({ columns = 80, rows = 24, clock = systemClock, env = {}, cwd = "/" }: TerminalDoubleOptions = {}) {
    this.#emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 2_000, allowProposedApi: true });
    this.stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => (this.raw = raw) });
    const stdout = new Writable({
      highWaterMark: 1_000,
      write: (chunk: Buffer, _, done) => {
        this.writes.push(chunk.toString("utf8"));
        this.#emulator.write(chunk);
        if (this.stalled) this.#unanswered.push(done);
        else done();
      },
    });
    this.#stdout = Object.assign(stdout, { isTTY: true, columns, rows });
    const job: JobControl = {
      onExit: (listener) => registered(this.#exitListeners, listener),
      onStop: (listeners) => registered(this.#stopListeners, listeners),
      stop: () => {
        this.stops++;
        for (const { before } of this.#stopListeners) before();
      },
    };
    this.io = {
      stdin: this.stdin,
      stdout: this.#stdout,
      stderr: this.#stdout,
      env: { TERM: "xterm-256color", ...env },
      cwd,
      hasPipedInput: false,
      clock,
      onSignal: (listener) => registered(this.#signals, listener),
      exit: (code) => void this.exits.push(code),
      job,
    };
  }

  type(text: string): void {
    this.stdin.push(text);
  }

  /** Another program writes to the same terminal. */
  noise(text: string): void {
    this.#emulator.write(text);
  }

  signal(signal: EndSignal): void {
    for (const listener of this.#signals) listener(signal);
  }

  /** The process ends, as in a crash: whoever asked to hear of it does. */
  crash(): void {
    for (const listener of this.#exitListeners) listener();
  }

  /** The process goes on after it was stopped. */
  wake(): void {
    for (const { after } of this.#stopListeners) after();
  }

  resize(columns: number, rows = this.#emulator.rows): void {
    this.#emulator.resize(columns, rows);
    Object.assign(this.#stdout, { columns, rows });
    this.#stdout.emit("resize");
  }

  /** The line takes writes again. */
  flow(): void {
    this.stalled = false;
    for (const done of this.#unanswered.splice(0)) done();
  }

  /** Everything on the screen and above it, without blank rows at the end. */
  async text(): Promise<string> {
    return (await this.lines()).join("\n");
  }

  async lines(): Promise<string[]> {
    await this.drawn();
    const { active } = this.#emulator.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, index) => active.getLine(index)?.translateToString(true).trimEnd() ?? "",
    );
    return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
  }

  /** As `lines`; rows that the terminal itself has wrapped are one. */
  async unwrapped(): Promise<string[]> {
    await this.drawn();
    const { active } = this.#emulator.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index++) {
      const row = active.getLine(index);
      const text = row?.translateToString(true) ?? "";
      if (row?.isWrapped === true) lines.push((lines.pop() ?? "") + text);
      else lines.push(text);
    }
    return lines;
  }

  /** What is to be seen without scrolling. */
  async screen(): Promise<string[]> {
    const lines = await this.lines();
    return lines.slice(this.#emulator.buffer.active.baseY);
  }

  /** Column and row of the cursor, the latter counted over everything. */
  async cursor(): Promise<{ column: number; row: number }> {
    await this.drawn();
    const { cursorX, cursorY, baseY } = this.#emulator.buffer.active;
    return { column: cursorX, row: baseY + cursorY };
  }

  get bracketedPaste(): boolean {
    return this.#emulator.modes.bracketedPasteMode;
  }

  get wraps(): boolean {
    return this.#emulator.modes.wraparoundMode;
  }

  /** Resolves when what is under way in this process has been done and drawn. */
  async drawn(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    await new Promise<void>((resolve) => this.#emulator.write("", resolve));
  }
}

function registered<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
