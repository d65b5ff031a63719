import type { Io } from "./io.ts";

/** Where a command that serves until it is told to stop writes, and what tells it. */
export interface ServingIo {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  signal: AbortSignal;
}

/** Runs a command that serves until a signal comes. */
export async function untilSignal(io: Io, serve: (serving: ServingIo) => Promise<number>): Promise<number> {
  const ended = new AbortController();
  const forget = io.onSignal(() => ended.abort());
  try {
    return await serve({
      stdout: (text) => void io.stdout.write(text),
      stderr: (text) => void io.stderr.write(text),
      signal: ended.signal,
    });
  } finally {
    forget();
  }
}
