import { resolve } from "node:path";
import {
  createFileLog,
  createMemoryLog,
  listSessions,
  openLog,
  projectDirectory,
  type Durability,
  type SessionLog,
} from "../log/index.ts";

import type { Flags } from "./arguments.ts";
import type { Io } from "./io.ts";
import { UsageError } from "./usage-error.ts";

/** Where a run keeps its sessions. */
export interface SessionStore {
  /** Undefined: in memory only. */
  directory: string | undefined;
  /** A new session. */
  begin(): Promise<SessionLog>;
  /** The session the options name. @throws UsageError, LogError, LogLockedError, NotASessionFileError */
  open(): Promise<SessionLog>;
}

/** The sessions of this folder, as the options and settings say; default in the user's state folder. */
export function sessionStore(
  flags: Flags,
  io: Io,
  settings: { sessionDirectory?: string | undefined; durability: Durability },
): SessionStore {
  const { session, continue: newest } = flags;
  const inMemory = flags["no-session"] === true;
  const asked = [session !== undefined && "--session", newest === true && "--continue", inMemory && "--no-session"].filter(
    (name) => name !== false,
  );
  if (asked.length > 1) throw new UsageError(`${asked.join(" and ")} exclude each other.`);
  const { durability } = settings;
  const options = { durability, cwd: io.cwd, now: () => io.clock.now() };
  const directory = inMemory
    ? undefined
    : settings.sessionDirectory === undefined
      ? projectDirectory(io.cwd, io.env)
      : resolve(io.cwd, settings.sessionDirectory);
  const begin = (): Promise<SessionLog> =>
    Promise.resolve(directory === undefined ? createMemoryLog(options) : createFileLog(directory, options));
  return {
    directory,
    begin,
    async open() {
      if (session !== undefined) return openLog(resolve(io.cwd, session), options);
      if (newest !== true || directory === undefined) return begin();
      const [latest] = listSessions(directory);
      if (!latest) throw new UsageError(`--continue: there is no session in ${directory} yet.`);
      return openLog(latest.path, options);
    },
  };
}
