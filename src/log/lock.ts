import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { LogError, LogLockedError, systemCode } from "./errors.ts";
import { isProcessAlive, processStart } from "./processes.ts";

/** Who holds the lock of a session file. */
export interface LockHolder {
  /** 0 when the lock file says nothing readable. */
  pid: number;
  host: string;
  /** When the process started, in the words of its system: with the id it names one process for good. Absent where unknown. */
  started?: string;
  /** Tells this lock from any other. */
  token: string;
}

/** A lock file without readable content is being written by its holder, or is left over from a crash once it is this old. */
const UNREADABLE_GRACE_MS = 10_000;
const UNREADABLE = "unreadable";
const ATTEMPTS = 100;
const PAUSE_MS = 2;

/**
 * Makes this process the one writer of a session file. The lock is a file beside it, `<path>.lock`, made exclusively, that names
 * its holder. It dies with its process: a holder on this host that does not run any more is replaced at once. Whether one on
 * another host still runs cannot be seen from here, so that its lock is respected.
 *
 * @returns The function that gives the lock back.
 * @throws LogLockedError when another log, in this process or another, has the file open.
 * @throws LogError `open` when no lock file can be made.
 */
export function acquireLock(path: string): () => void {
  const lockPath = `${path}.lock`;
  const started = processStart(process.pid);
  const own: LockHolder = {
    pid: process.pid,
    host: hostname(),
    ...(started === undefined ? {} : { started }),
    token: randomUUID(),
  };
  let rival: LockHolder | undefined;
  try {
    rival = take(lockPath, own);
  } catch (error) {
    throw new LogError("open", `The session file ${path} cannot be locked: ${String(error)}`, { path, cause: error });
  }
  if (rival !== undefined)
    throw new LogLockedError(path, lockedMessage(path, lockPath, rival), rival.pid === 0 ? undefined : rival);
  return () => {
    if (readHolder(lockPath)?.token === own.token) remove(lockPath);
  };
}

/**
 * Takes the lock, or returns the holder that is in the way. The lock of a dead holder is replaced by the one process that holds
 * the lock named after it, so that no two can both believe they were first; should that process die, its lock is a dead one too.
 */
function take(lockPath: string, own: LockHolder): LockHolder | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (create(lockPath, own)) return undefined;
    const holder = readHolder(lockPath);
    if (holder === undefined) continue;
    if (isHeld(lockPath, holder)) return holder;
    const claim = `${lockPath}.${holder.token}`;
    const rival = take(claim, own);
    if (rival !== undefined) {
      // It is about to take the lock, or to find that another has: what counts is who has it then.
      if (attempt === ATTEMPTS - 1) return rival;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      continue;
    }
    try {
      if (readHolder(lockPath)?.token === holder.token) {
        renameSync(prepare(lockPath, own), lockPath);
        return undefined;
      }
    } finally {
      remove(claim);
    }
  }
  throw new Error("the lock file changed hands too often");
}

/** Creates the lock file with its content in one step. False when there is one. */
function create(lockPath: string, own: LockHolder): boolean {
  const prepared = prepare(lockPath, own);
  try {
    linkSync(prepared, lockPath);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    return createWithoutLinks(lockPath, own);
  } finally {
    remove(prepared);
  }
}

/** For file systems that know no hard links. */
function createWithoutLinks(lockPath: string, own: LockHolder): boolean {
  try {
    writeFileSync(lockPath, JSON.stringify(own), { flag: "wx" });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

function prepare(lockPath: string, own: LockHolder): string {
  const prepared = `${lockPath}.${own.token}.new`;
  writeFileSync(prepared, JSON.stringify(own));
  return prepared;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

/** Undefined when there is no lock file. */
function readHolder(lockPath: string): LockHolder | undefined {
  let text: string;
  try {
    text = readFileSync(lockPath, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  return parseHolder(text) ?? { pid: 0, host: "", token: UNREADABLE };
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, host, started, token }: Partial<Record<string, unknown>> = { ...value };
    if (typeof pid !== "number" || typeof host !== "string" || typeof token !== "string" || !/^[\w-]+$/.test(token))
      return undefined;
    return { pid, host, token, ...(typeof started === "string" ? { started } : {}) };
  } catch {
    return undefined;
  }
}

function isHeld(lockPath: string, holder: LockHolder): boolean {
  if (holder.token === UNREADABLE) {
    const written = statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Date.now() - written < UNREADABLE_GRACE_MS;
  }
  return holder.host !== hostname() || isProcessAlive(holder.pid, holder.started);
}

function lockedMessage(path: string, lockPath: string, holder: LockHolder): string {
  if (holder.pid === 0) return `${path} is in use: its lock file ${lockPath} is just being written. Try again.`;
  if (holder.host !== hostname()) {
    return `${path} is in use by process ${holder.pid} on the host "${holder.host}". If that process has ended, delete ${lockPath}.`;
  }
  if (holder.pid === process.pid) return `${path} is already open in this process (${holder.pid}). Close that log first.`;
  return `${path} is in use by process ${holder.pid} on this host. Wait until it ends, or open the session read-only.`;
}
