import type { Readable, Writable } from "node:stream";
import type { Clock } from "../retry/clock.ts";

/** A stream that may be a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** What ends a process from outside. */
export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Everything of a process that the command touches, so that a mode can be driven without one. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
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
}
