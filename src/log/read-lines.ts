import type { FileSystem } from "./file-system.ts";

/** Large enough that reading costs little, small enough that one character beyond Latin-1 makes little text take double space. */
const CHUNK_BYTES = 1 << 20;
const LINE_FEED = 10;

/** What comes after the last line break of a file. */
export interface FileTail {
  /** Empty when the file ends with a line break. */
  text: string;
  /** Bytes up to and including the last line break. */
  offset: number;
  bytes: number;
}

/**
 * Reads a file from its start and hands over each line that ends with a line feed, without it. Only line feeds end a line: text in
 * JSON may hold other separators such as U+2028. Lines may be of any length.
 *
 * @param onLine Gets the line and its number, from 1.
 */
export function readLines(fileSystem: FileSystem, descriptor: number, onLine: (line: string, number: number) => void): FileTail {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  /** Bytes at the start of the buffer that belong to a line whose end is not read yet. */
  let held = 0;
  let position = 0;
  let number = 0;
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const count = fileSystem.readSync(descriptor, buffer, held, buffer.length - held, position);
    if (count === 0) break;
    position += count;
    const end = buffer.subarray(held, held + count).lastIndexOf(LINE_FEED) + 1;
    held += count;
    if (end === 0) continue;
    const whole = held - count + end;
    const text = buffer.toString("utf8", 0, whole);
    for (let start = 0; start < text.length;) {
      const stop = text.indexOf("\n", start);
      number += 1;
      onLine(text.slice(start, stop), number);
      start = stop + 1;
    }
    buffer.copyWithin(0, whole, held);
    held -= whole;
  }
  return { text: buffer.toString("utf8", 0, held), offset: position - held, bytes: held };
}

/** Where the last lines before `end`, which is right behind a line feed, begin. */
export function startOfLastLines(fileSystem: FileSystem, descriptor: number, end: number, lines: number): number {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let missing = lines;
  /** Where to look for the line feed before the line; the one that ends it does not count. */
  let before = end - 1;
  while (missing > 0 && before > 0) {
    const from = Math.max(0, before - CHUNK_BYTES);
    const count = fileSystem.readSync(descriptor, buffer, 0, before - from, from);
    const found = buffer.subarray(0, count).lastIndexOf(LINE_FEED);
    before = found < 0 ? from : from + found;
    if (found >= 0) missing -= 1;
  }
  return lines === 0 ? end : before === 0 ? 0 : before + 1;
}
