import type { Io } from "./io.ts";
import { runFaults } from "./faults.ts";

/** `agent-session faults`, ended by a signal. */
export async function runFaultsCommand(args: string[], io: Io): Promise<number> {
  const ended = new AbortController();
  const forget = io.onSignal(() => ended.abort());
  try {
    return await runFaults(args, {
      stdout: (text) => void io.stdout.write(text),
      stderr: (text) => void io.stderr.write(text),
      signal: ended.signal,
    });
  } finally {
    forget();
  }
}
