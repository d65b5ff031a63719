import { randomUUID } from "node:crypto";
import { constants, existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { EntryLog } from "./entry-log.ts";
import type { EntrySink } from "./entry-log.ts";
import { LogError, NotASessionFileError, systemCode } from "./errors.ts";
import { FileSink } from "./file-sink.ts";
import type { FileSinkOptions } from "./file-sink.ts";
import { realFileSystem, writeWhole } from "./file-system.ts";
import type { FileSystem } from "./file-system.ts";
import { FORMAT_VERSION, newHeader } from "./format.ts";
import { acquireLock } from "./lock.ts";
import type { OpenLogOptions } from "./log-options.ts";
import { convertedPath } from "./old-versions.ts";
import { readSession } from "./read-session.ts";
import type { ReadSession } from "./read-session.ts";
import type { Entry, LogDiagnostic, SessionHeader, SessionLog } from "./types.ts";

const READ = constants.O_RDONLY;
const APPEND = constants.O_RDWR | constants.O_APPEND;

export interface NewSessionOptions extends Omit<OpenLogOptions, "readOnly"> {
  /** The session's id; default a random UUID. */
  id?: string;
  /** Path or id of the session this one comes from. */
  parentSession?: string;
  /** Entries to start from, in the order in which they were written. */
  entries?: readonly Entry[];
}

/** What a session file begins with. */
interface StartingPoint {
  header: SessionHeader;
  entries?: readonly Entry[];
  diagnostics?: LogDiagnostic[];
}

type OpenFile = NonNullable<FileSinkOptions["file"]>;

/**
 * Opens a session file, or begins a new session when there is none at `path`. What is damaged in it is mended as far as can be,
 * and told in `diagnostics`: a record cut off at the end is removed, damaged lines in the middle are skipped and stay in the file,
 * and what follows them is attached to what came before.
 *
 * A file of version 1 or 2 is left as it is; the session goes on in a new file beside it, `<name>.v3.jsonl`.
 *
 * @throws NotASessionFileError for a file of another kind, which is left as it is
 * @throws LogLockedError when another writer has it open
 * @throws LogError `open`, `not_found` (read-only, and no file), `version`
 */
export async function openLog(path: string, options: OpenLogOptions = {}): Promise<SessionLog> {
  const target = realPath(path);
  if (options.readOnly === true) return openToRead(target, options);
  return openToWrite(target, options);
}

/**
 * Begins a new session in a file of its own in a directory, which is created if needed. The file's name has the time and the
 * session's id; the file comes into being with the first entry worth keeping (settings, labels and names alone are not).
 */
export async function createFileLog(directory: string, options: NewSessionOptions = {}): Promise<SessionLog> {
  const header = newSession(options);
  return beginLog(join(realPath(directory), fileName(header)), { header, entries: options.entries ?? [] }, options);
}

/** A new session's file name: sorts by time, and holds nothing a file system could refuse. */
function fileName(header: SessionHeader): string {
  return `${header.timestamp.replaceAll(/[:.]/g, "-")}_${header.id.replaceAll(/[^\w-]/g, "-")}.jsonl`;
}

function openToRead(path: string, options: OpenLogOptions): SessionLog {
  const fileSystem = options.fileSystem ?? realFileSystem;
  if (!existsSync(path)) throw new LogError("not_found", `There is no session file ${path}.`, { path });
  if (!hasContent(path)) throw new NotASessionFileError(path, "it is empty");
  const descriptor = openFile(fileSystem, path, READ);
  try {
    const session = readSession(fileSystem, descriptor, path);
    if (session === undefined) throw new NotASessionFileError(path, "it is empty");
    return new EntryLog({ ...session, path, sink: readOnlySink(path) });
  } finally {
    fileSystem.closeSync(descriptor);
  }
}

/** Begins a session file with a header and entries it starts from; they are written at once, if they are worth a file. */
function beginLog(path: string, session: StartingPoint, options: OpenLogOptions): SessionLog {
  return withLock(path, (unlock) => beginLocked(path, session, options, unlock));
}

function beginLocked(path: string, session: StartingPoint, options: OpenLogOptions, unlock: () => void): SessionLog {
  const sink = newSink(path, session.header, options, unlock);
  const entries = [...(session.entries ?? [])];
  if (entries.length > 0) sink.write([], entries);
  return new EntryLog({ ...session, entries, path, sink, newId: options.newId, now: options.now });
}

function openToWrite(path: string, options: OpenLogOptions, told: readonly LogDiagnostic[] = []): SessionLog {
  return withLock(path, (unlock) =>
    hasContent(path)
      ? openLocked(path, options, told, unlock)
      : beginLocked(path, { header: newSession(options) }, options, unlock),
  );
}

function openLocked(path: string, options: OpenLogOptions, told: readonly LogDiagnostic[], unlock: () => void): SessionLog {
  const fileSystem = options.fileSystem ?? realFileSystem;
  const descriptor = openFile(fileSystem, path, APPEND);
  let keepsOpen = false;
  try {
    const session = readSession(fileSystem, descriptor, path);
    if (session === undefined) throw new NotASessionFileError(path, "it is empty");
    if (session.version < FORMAT_VERSION) {
      const converted = openConverted(path, session, options);
      unlock();
      return converted;
    }
    const size = mendEnd(fileSystem, descriptor, session);
    const sink = newSink(path, session.header, options, unlock, { descriptor, size });
    keepsOpen = true;
    const diagnostics = [...told, ...session.diagnostics];
    return new EntryLog({ ...session, diagnostics, path, sink, newId: options.newId, now: options.now });
  } finally {
    if (!keepsOpen) fileSystem.closeSync(descriptor);
  }
}

/** The session of an older file, in the file that it goes on in: one of an earlier time, or a new one. */
function openConverted(path: string, session: ReadSession, options: OpenLogOptions): SessionLog {
  const target = convertedPath(path);
  const message = `${path} has version ${session.version} of the session format and was left as it is; the session goes on in ${target}.`;
  const told: LogDiagnostic = { kind: "converted", message };
  if (existsSync(target)) return openToWrite(target, options, [told]);
  const header = { ...session.header, parentSession: path };
  return beginLog(target, { ...session, header, diagnostics: [told, ...session.diagnostics] }, options);
}

/** Takes off a torn record, or ends the last one with its line break; all before it stays untouched. Returns the file's size. */
function mendEnd(fileSystem: FileSystem, descriptor: number, session: ReadSession): number {
  if (session.goodBytes < session.bytes) fileSystem.ftruncateSync(descriptor, session.goodBytes);
  return session.goodBytes + (session.endsWithLineBreak ? 0 : writeWhole(fileSystem, descriptor, "\n"));
}

function newSession(options: NewSessionOptions): SessionHeader {
  const { id = randomUUID(), cwd = process.cwd(), now = Date.now, parentSession } = options;
  return newHeader({ id, cwd, time: now(), parentSession });
}

function newSink(path: string, header: SessionHeader, options: OpenLogOptions, unlock: () => void, file?: OpenFile): FileSink {
  const { durability = "settle", fileSystem = realFileSystem } = options;
  return new FileSink({ path, header, durability, fileSystem, unlock, ...(file === undefined ? {} : { file }) });
}

function readOnlySink(path: string): EntrySink {
  return {
    durability: "none",
    write() {
      throw new LogError("read_only", `The session file ${path} was opened read-only.`, { path });
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function openFile(fileSystem: FileSystem, path: string, flags: number): number {
  try {
    return fileSystem.openSync(path, flags);
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

function cannotOpen(path: string, error: unknown): LogError {
  const reason = error instanceof Error ? error.message : String(error);
  return new LogError("open", `The session file ${path} cannot be opened: ${reason}`, { path, cause: error });
}

/** Locks the path for this process, and gives the lock back if what follows fails. The directory is created if needed. */
function withLock<T>(path: string, action: (unlock: () => void) => T): T {
  let unlock: (() => void) | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    unlock = acquireLock(path);
    return action(unlock);
  } catch (error) {
    unlock?.();
    throw error instanceof LogError || systemCode(error) === undefined ? error : cannotOpen(path, error);
  }
}

/** The one path of the file, so that one file has one lock. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** False for an empty file and for none. @throws NotASessionFileError for what is no file */
function hasContent(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new NotASessionFileError(path, "it is no ordinary file");
  return found !== undefined && found.size > 0;
}
