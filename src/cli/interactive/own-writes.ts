import { stripVTControlCharacters } from "node:util";
import type { Io, Output } from "../io.ts";

export interface OwnWrites {
  /** Writes to the terminal. False when it should wait for `drain`, as a stream says it. */
  write: (text: string) => boolean;
  giveBack: () => void;
}

/**
 * Keeps the terminal for the mode alone: what anything else writes to stdout or stderr, a tool with `console.log` for one, would
 * land in the middle of the prompt. It is handed over instead, whole lines without control sequences.
 */
export function ownWrites({ stdout, stderr }: Pick<Io, "stdout" | "stderr">, onLines: (text: string) => void): OwnWrites {
  const write = stdout.write.bind(stdout);
  let rest = "";
  const collect = (text: string): void => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) onLines(lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n"));
  };
  const owned = new Set<Output>([stdout, stderr]);
  for (const output of owned)
    Object.defineProperty(output, "write", { value: collecting(collect), configurable: true, writable: true });
  return {
    write: (text) => write(text),
    giveBack() {
      for (const output of owned) Reflect.deleteProperty(output, "write");
      if (rest !== "") collect("\n");
    },
  };
}

type Callback = (error?: Error | null) => void;

/** A `write` as streams have it, that takes everything at once. */
function collecting(collect: (text: string) => void) {
  return (chunk: string | Uint8Array, encoding?: BufferEncoding | Callback, callback?: Callback): boolean => {
    collect(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const done = typeof encoding === "function" ? encoding : callback;
    if (done) process.nextTick(done);
    return true;
  };
}
