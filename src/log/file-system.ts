import fs from "node:fs";

type Unchanged =
  | "closeSync"
  | "fdatasyncSync"
  | "fstatSync"
  | "ftruncateSync"
  | "openSync"
  | "readSync"
  | "renameSync"
  | "statSync"
  | "unlinkSync";

/** What the file log uses of `node:fs`; tests put failures in its place. */
export interface FileSystem extends Pick<typeof fs, Unchanged> {
  writeSync(descriptor: number, bytes: Uint8Array, offset: number, length: number): number;
  fdatasync(descriptor: number, callback: (error: Error | null) => void): void;
}

export const realFileSystem: FileSystem = fs;

/** Writes all of the text; a short write is continued. @throws the system's error */
export function writeWhole(fileSystem: FileSystem, descriptor: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) {
    const count = fileSystem.writeSync(descriptor, bytes, written, bytes.length - written);
    if (count === 0) throw new Error(`only ${written} of ${bytes.length} bytes could be written`);
    written += count;
  }
  return bytes.length;
}
