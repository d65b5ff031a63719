import { exitCodeOfSignal } from "./exit-codes.ts";
import type { EndSignal } from "./io.ts";
import type { RunContext } from "./run-context.ts";

export interface Interrupt {
  /** The first signal that came. */
  readonly signal: EndSignal | undefined;
  /** Whoever read stdout has gone: nothing of an answer arrives any more. */
  readonly outputLost: boolean;
  forget(): void;
}

/** The first signal aborts the session cleanly, the second ends the process at once. A reader that leaves is a reason to stop too. */
export function abortOnSignal({ io, session }: Pick<RunContext, "io" | "session">, say: (text: string) => void): Interrupt {
  let signal: EndSignal | undefined;
  let outputLost = false;
  const forgetSignals = io.onSignal((next) => {
    if (signal !== undefined) {
      io.exit(exitCodeOfSignal(next));
      return;
    }
    signal = next;
    say(next === "SIGINT" ? "aborting… (Ctrl-C again leaves at once)" : `aborting: ${next}`);
    void session.abort();
  });
  const onError = (error: Error): void => {
    outputLost = true;
    // Any other reason is told for every command alike, by whoever watches the output.
    if ("code" in error && error.code === "EPIPE") say("aborting: nobody reads stdout any more");
    void session.abort();
  };
  io.stdout.on("error", onError);
  return {
    get signal() {
      return signal;
    },
    get outputLost() {
      return outputLost;
    },
    forget() {
      forgetSignals();
      // The error listener stays: what is still in the pipe may fail later, and nobody has to die of that.
    },
  };
}
