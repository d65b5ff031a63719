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
 * @param onLine Gets the line and its number, from 1; false ends the reading.
 */
export function readLines(fileSystem: FileSystem, descriptor: number, onLine: (line: string, number: number) => boolean | void): FileTail {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let rest: Buffer[] = [];
  let offset = 0;
  let position = 0;
  let number = 0;
  for (;;) {
    const count = fileSystem.readSync(descriptor, chunk, 0, chunk.length, position);
    if (count === 0) break;
    position += count;
    const data = chunk.subarray(0, count);
    const end = data.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const text = Buffer.concat([...rest, data.subarray(0, end)]).toString("utf8");
      for (let start = 0; start < text.length; ) {
        const stop = text.indexOf("\n", start);
        number += 1;
        if (onLine(text.slice(start, stop), number) === false) return { text: "", offset, bytes: 0 };
        start = stop + 1;
      }
      offset = position - count + end;
      rest = [];
    }
    if (end < count) rest.push(Buffer.from(data.subarray(end)));
  }
  return { text: Buffer.concat(rest).toString("utf8"), offset, bytes: position - offset };
}
