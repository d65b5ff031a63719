import type { Io, Output } from "./io.ts";

/** What became of what was written to stdout and stderr. */
export interface WatchedOutput {
  /** Resolves when all of it has left the process, or nobody is there to take it. */
  settled(): Promise<void>;
  /** Something of stdout did not arrive: its reader left, or the disk is full. */
  lost(): boolean;
}

/** Watches stdout and stderr, so that a reader that leaves is no crash, and a full disk no success. */
export function watchOutput({ stdout, stderr }: Pick<Io, "stdout" | "stderr">): WatchedOutput {
  let lost = false;
  stdout.on("error", (error: Error) => {
    lost = true;
    // That a reader has seen enough is its own business.
    if (!("code" in error && error.code === "EPIPE")) stderr.write(`agent-session: stdout cannot be written: ${error.message}\n`);
  });
  // There is nowhere left to say it.
  stderr.on("error", () => undefined);
  return {
    settled: async () => void (await Promise.all([drained(stdout), drained(stderr)])),
    lost: () => lost,
  };
}

function drained(stream: Output): Promise<void> {
  if (stream.destroyed || stream.writableEnded || stream.errored) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
