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
export interface StartingPoint {
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
  return hasContent(target) ? openToAppend(target, options) : beginLog(target, { header: newSession(options) }, options);
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
export function fileName(header: SessionHeader): string {
  return `${header.timestamp.replaceAll(/[:.]/g, "-")}_${header.id.replaceAll(/[^\w-]/g, "-")}.jsonl`;
}

/**
 * Begins a session file at `path` with a header and entries it starts from. They are written at once, if they are worth a file.
 *
 * @throws LogError `changed` when there is a file already
 */
export function beginLog(path: string, session: StartingPoint, options: OpenLogOptions = {}): SessionLog {
  const unlock = lock(path);
  try {
    const sink = newSink(path, session.header, options, unlock);
    const entries = [...(session.entries ?? [])];
    if (entries.length > 0) sink.write([], entries);
    return new EntryLog({ ...session, entries, path, sink, newId: options.newId, now: options.now });
  } catch (error) {
    unlock();
    throw error;
  }
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

function openToAppend(path: string, options: OpenLogOptions, told: readonly LogDiagnostic[] = []): SessionLog {
  const fileSystem = options.fileSystem ?? realFileSystem;
  const unlock = lock(path);
  let descriptor: number | undefined;
  try {
    descriptor = openFile(fileSystem, path, APPEND);
    const session = readSession(fileSystem, descriptor, path);
    if (session === undefined) throw new NotASessionFileError(path, "it is empty");
    if (session.version < FORMAT_VERSION) {
      const converted = openConverted(path, session, options);
      fileSystem.closeSync(descriptor);
      unlock();
      return converted;
    }
    const size = mendEnd(fileSystem, descriptor, session);
    const sink = newSink(path, session.header, options, unlock, { descriptor, size });
    const diagnostics = [...told, ...session.diagnostics];
    return new EntryLog({ ...session, diagnostics, path, sink, newId: options.newId, now: options.now });
  } catch (error) {
    if (descriptor !== undefined) fileSystem.closeSync(descriptor);
    unlock();
    throw error instanceof Error && systemCode(error) !== undefined ? cannotOpen(path, error) : error;
  }
}

/** The session of an older file, in the file that it goes on in: one of an earlier time, or a new one. */
function openConverted(path: string, session: ReadSession, options: OpenLogOptions): SessionLog {
  const target = convertedPath(path);
  const message = `${path} has version ${session.version} of the session format and was left as it is; the session goes on in ${target}.`;
  const told: LogDiagnostic = { kind: "converted", message };
  if (existsSync(target)) return openToAppend(target, options, [told]);
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
  return new LogError(
    "open",
    `The session file ${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
    {
      path,
      cause: error,
    },
  );
}

/** Locks the path for this process; its directory is created if needed. */
function lock(path: string): () => void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw cannotOpen(path, error);
  }
  return acquireLock(path);
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
