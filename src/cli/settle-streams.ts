import type { Io, Output } from "./io.ts";

/** Resolves when what was written to stdout and stderr has left the process, or nobody is there to take it. */
export async function settle({ stdout, stderr }: Pick<Io, "stdout" | "stderr">): Promise<void> {
  await Promise.all([drained(stdout), drained(stderr)]);
}

function drained(stream: Output): Promise<void> {
  if (stream.destroyed || stream.writableEnded || stream.errored) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
