import type { Writable } from "node:stream";

/** Bytes that may wait for a reader before lines that can be spared are left out. */
export const BACKLOG_LIMIT_BYTES = 4_000_000;

/**
 * Writes JSON, one LF-terminated line a value. A reader that is behind costs bounded memory: above the limit lines that can be
 * spared are left out, and `ready` tells a session to hold its next request back until what waits has been read.
 */
export class LineWriter {
  readonly #stream: Writable;
  #drained: Promise<void> | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", () => {
      // Whoever read has gone. What is written from now on goes nowhere; ending the process is the mode's decision.
    });
  }

  /** @param spare The line may be left out when the reader is behind. */
  write(value: unknown, spare = false): void {
    if (!this.#stream.writable) return;
    if (spare && this.#stream.writableLength > BACKLOG_LIMIT_BYTES) return;
    // JSON.stringify escapes every line feed; U+2028 and U+2029 stay as they are, and no reader may take them for an end of line.
    this.#stream.write(`${JSON.stringify(value)}\n`);
  }

  /** Undefined when the reader keeps up; else resolves when it has caught up, or is gone. */
  ready(): Promise<void> | undefined {
    const stream = this.#stream;
    if (!stream.writableNeedDrain || !stream.writable) return undefined;
    this.#drained ??= new Promise((resolve) => {
      const done = (): void => {
        stream.off("drain", done);
        stream.off("close", done);
        this.#drained = undefined;
        resolve();
      };
      stream.on("drain", done);
      stream.on("close", done);
    });
    return this.#drained;
  }
}
