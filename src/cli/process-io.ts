import { fstatSync } from "node:fs";
import { systemClock } from "../retry/clock.ts";
import type { EndSignal, Io } from "./io.ts";
import { processJobControl } from "./job-control.ts";

const SIGNALS: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The process the command runs in. */
export function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    get hasPipedInput() {
      return stdinIsPiped();
    },
    clock: systemClock,
    onSignal(listener) {
      const handlers = SIGNALS.map((signal) => [signal, (): void => listener(signal)] as const);
      for (const [signal, handler] of handlers) process.on(signal, handler);
      return () => {
        for (const [signal, handler] of handlers) process.off(signal, handler);
      };
    },
    exit: (code) => process.exit(code),
    ...(process.platform === "win32" ? {} : { job: processJobControl }),
  };
}

/** A terminal and `/dev/null` are character devices; a closed stdin has no state at all. */
function stdinIsPiped(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket();
  } catch {
    return false;
  }
}
