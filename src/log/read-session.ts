import { NotASessionFileError } from "./errors.ts";
import type { FileSystem } from "./file-system.ts";
import { readLines, startOfLastLines } from "./read-lines.ts";
import { SessionReader } from "./session-reader.ts";
import type { ReadEntries } from "./session-reader.ts";

/** Somewhere in its beginning every session file says what the type of something is. */
const PROBE_BYTES = 1 << 16;
const PROBE_TEXT = '"type"';

export interface ReadSession extends ReadEntries {
  /** Length of what is good, in bytes: a torn record at the end is behind it. */
  goodBytes: number;
  /** Bytes of the file. */
  bytes: number;
  /** False when the last record has no line break behind it. */
  endsWithLineBreak: boolean;
}

/**
 * Reads an open session file; undefined when it is empty. Nothing is written.
 *
 * @throws NotASessionFileError
 * @throws LogError `version` for a format newer than the one this program knows
 */
export function readSession(fileSystem: FileSystem, descriptor: number, path: string): ReadSession | undefined {
  const probe = Buffer.alloc(PROBE_BYTES);
  const probed = fileSystem.readSync(descriptor, probe, 0, probe.length, 0);
  if (probed === 0) return undefined;
  if (probe.indexOf(PROBE_TEXT) < 0) throw new NotASessionFileError(path, "it has no session header and no entries");

  const reader = new SessionReader(path);
  let lines = 0;
  const tail = readLines(fileSystem, descriptor, (line, number) => {
    lines = number;
    reader.line(line, number);
  });
  const bytes = tail.offset + tail.bytes;
  const tailIsKept = tail.bytes > 0 && reader.tail(tail.text, lines + 1);
  const dropped = reader.dropIncompleteBatch(tailIsKept ? lines + 1 : lines);
  if (dropped > 0) {
    const goodBytes = startOfLastLines(fileSystem, descriptor, tail.offset, tailIsKept ? dropped - 1 : dropped);
    return { ...reader.finish(), goodBytes, bytes, endsWithLineBreak: true };
  }
  return { ...reader.finish(), goodBytes: tailIsKept ? bytes : tail.offset, bytes, endsWithLineBreak: !tailIsKept };
}
