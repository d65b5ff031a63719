import { randomUUID } from "node:crypto";
import { EntryLog } from "./entry-log.ts";
import { newHeader } from "./format.ts";
import type { Entry, SessionLog } from "./types.ts";

export interface MemoryLogOptions {
  /** The session's id; default a random UUID. */
  id?: string;
  /** Default the process's working directory. */
  cwd?: string;
  /** Path or id of the session this one comes from. */
  parentSession?: string;
  /** Entries to start from, in the order in which they were written. */
  entries?: readonly Entry[];
  /** Source of entry ids; default eight random hexadecimal digits. */
  newId?: () => string;
  /** Milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
}

/** A session log that lives in memory only. `flush` and `close` have nothing to wait for. */
export function createMemoryLog(options: MemoryLogOptions = {}): SessionLog {
  const { id = randomUUID(), cwd = process.cwd(), now = Date.now, parentSession, newId, entries = [] } = options;
  return new EntryLog({ header: newHeader({ id, cwd, time: now(), parentSession }), entries: [...entries], newId, now });
}
