import type { Readable, Writable } from "node:stream";
import type { Clock } from "../retry/clock.ts";

/** A stream that may be a terminal; a terminal emits `resize` when its size has changed. */
export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** A stream that may be a terminal; one that is can hand over each key as it is pressed. */
export type Input = Readable & { isTTY?: boolean; setRawMode?: (raw: boolean) => unknown };

/** What a process that has taken hold of its terminal has to hear of, so that it can let go in time. */
export interface JobControl {
  /** Calls the listener, synchronously, when the process ends in whatever way that can be heard of. Returns what takes it back. */
  onExit(listener: () => void): () => void;
  /** Calls `before` when the process is about to be stopped (Ctrl-Z), and `after` when it goes on. Returns what takes it back. */
  onStop(listeners: { before: () => void; after: () => void }): () => void;
  /** Stops the process and whatever it was started with, as Ctrl-Z does. */
  stop(): void;
}

/** What ends a process from outside. */
export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Everything of a process that the command touches, so that a mode can be driven without one. */
export interface Io {
  stdin: Input;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** True when stdin holds input that was piped or redirected to the command; false for a terminal and for `/dev/null`. */
  hasPipedInput: boolean;
  clock: Clock;
  /** Calls the listener for each signal, instead of what the process would do. Returns a function that takes it back. */
  onSignal(listener: (signal: EndSignal) => void): () => void;
  /** Ends the process at once, whatever is under way. */
  exit(code: number): void;
  /** Absent where nothing stops a process, nor is told of its end. */
  job?: JobControl;
}
