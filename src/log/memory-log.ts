import { randomUUID } from "node:crypto";
import { EntryLog } from "./entry-log.ts";
import { newHeader } from "./format.ts";
import type { SessionLog } from "./types.ts";

export interface MemoryLogOptions {
  /** The session's id; default a random UUID. */
  id?: string;
  /** Default the process's working directory. */
  cwd?: string;
  /** Source of entry ids; default eight random hexadecimal digits. */
  newId?: () => string;
  /** Milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
}

/** A session log that lives in memory only. `flush` and `close` have nothing to wait for. */
export function createMemoryLog(options: MemoryLogOptions = {}): SessionLog {
  const now = options.now ?? Date.now;
  return new EntryLog({
    header: newHeader({ id: options.id ?? randomUUID(), cwd: options.cwd ?? process.cwd(), time: now() }),
    newId: options.newId,
    now,
  });
}
