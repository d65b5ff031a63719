import { randomUUID } from "node:crypto";
import { EntryLog } from "./entry-log.ts";
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

/** The version of the session format that is written. */
export const FORMAT_VERSION = 3;

/** A session log that lives in memory only. `flush` and `close` have nothing to wait for. */
export function createMemoryLog(options: MemoryLogOptions = {}): SessionLog {
  const now = options.now ?? Date.now;
  return new EntryLog({
    header: {
      type: "session",
      version: FORMAT_VERSION,
      id: options.id ?? randomUUID(),
      timestamp: new Date(now()).toISOString(),
      cwd: options.cwd ?? process.cwd(),
    },
    newId: options.newId,
    now,
  });
}
