import { constants } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";
import { writeWhole } from "./file-system.ts";
import type { FileSystem } from "./file-system.ts";

const CREATE = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_TRUNC;

/** Lines are put together up to this many characters for one write. */
const BATCH_CHARACTERS = 1 << 20;

/** Systems that cannot sync a directory answer with one of these; they keep its list of files for good by themselves. */
const CANNOT_SYNC_DIRECTORY: ReadonlySet<string | undefined> = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"]);

export interface NewFile {
  /** Open to append. */
  descriptor: number;
  /** Bytes. */
  size: number;
}

/**
 * Writes a file whole before it gets its name: nothing ever finds the half of it. Only its owner can read it.
 *
 * @param options.sync Waits until the disk has its content; default false. For its name there is `syncDirectory`.
 * @param options.beforeNaming Is called when all is written. A file that has the name is replaced right after.
 * @throws the system's error; nothing is left behind then
 */
export function writeNewFile(
  fileSystem: FileSystem,
  path: string,
  lines: Iterable<string>,
  options: { sync?: boolean; beforeNaming?: () => void } = {},
): NewFile {
  const unnamed = `${path}.new`;
  const descriptor = fileSystem.openSync(unnamed, CREATE, 0o600);
  try {
    const size = writeLines(fileSystem, descriptor, lines);
    if (options.sync === true) fileSystem.fdatasyncSync(descriptor);
    options.beforeNaming?.();
    fileSystem.renameSync(unnamed, path);
    return { descriptor, size };
  } catch (error) {
    fileSystem.closeSync(descriptor);
    discard(fileSystem, unnamed);
    throw error;
  }
}

/** Waits until the directory of a file knows for good that the file is in it. @throws the system's error */
export function syncDirectory(fileSystem: FileSystem, path: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = fileSystem.openSync(dirname(path), "r");
    fileSystem.fdatasyncSync(descriptor);
  } catch (error) {
    if (!CANNOT_SYNC_DIRECTORY.has(systemCode(error))) throw error;
  } finally {
    if (descriptor !== undefined) fileSystem.closeSync(descriptor);
  }
}

function writeLines(fileSystem: FileSystem, descriptor: number, lines: Iterable<string>): number {
  let size = 0;
  let batch = "";
  for (const line of lines) {
    batch += line;
    if (batch.length < BATCH_CHARACTERS) continue;
    size += writeWhole(fileSystem, descriptor, batch);
    batch = "";
  }
  return size + writeWhole(fileSystem, descriptor, batch);
}

function discard(fileSystem: FileSystem, path: string): void {
  try {
    fileSystem.unlinkSync(path);
  } catch {
    // The failure that led here says more; the next attempt overwrites what is left.
  }
}
