import type { LockHolder } from "./lock.ts";

/**
 * What stopped the log:
 *
 * - `write`: an append could not be written (disk full, permission, short write); `code` has the system's error code.
 * - `sync`: the disk did not confirm what was written.
 * - `removed`: the file was deleted under way. The next append writes the whole session anew.
 * - `changed`: another program shortened the file.
 * - `open`, `not_found`, `version`: the file could not be opened, is not there, or is of a newer format.
 * - `read_only`, `closed`: the log takes no entries (any more).
 * - `unknown_id`, `invalid`: what was to be appended names an entry that is not there, or cannot be written as JSON.
 */
export type LogErrorKind =
  | "write"
  | "sync"
  | "removed"
  | "changed"
  | "open"
  | "not_found"
  | "version"
  | "read_only"
  | "closed"
  | "unknown_id"
  | "invalid";

/** The log could not do what it was asked to; nothing of it was done. */
export class LogError extends Error {
  readonly kind: LogErrorKind;
  readonly path: string | undefined;
  /** The system's error code, such as `ENOSPC`. */
  readonly code: string | undefined;

  constructor(kind: LogErrorKind, message: string, details: { path?: string | undefined; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "LogError";
    this.kind = kind;
    this.path = details.path;
    this.code = systemCode(details.cause);
  }
}

/** Another writer has the session file open. */
export class LogLockedError extends Error {
  readonly path: string;
  /** Absent when the lock file says nothing readable. */
  readonly holder: LockHolder | undefined;

  constructor(path: string, message: string, holder: LockHolder | undefined) {
    super(message);
    this.name = "LogLockedError";
    this.path = path;
    this.holder = holder;
  }
}

/** The file is no session file. It was left as it is. */
export class NotASessionFileError extends Error {
  readonly path: string;

  constructor(path: string, reason: string) {
    super(`${path} is not a session file: ${reason}. It was left as it is.`);
    this.name = "NotASessionFileError";
    this.path = path;
  }
}

/** The code of a system error (`ENOENT`), if the value is one. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
