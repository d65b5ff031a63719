import { StringDecoder } from "node:string_decoder";

/** Characters of one line, at most. A longer one is skipped to its end. */
export const LINE_LIMIT = 64_000_000;

export interface LineListener {
  onLine(line: string): void;
  /** A line was longer than the limit, and was skipped. */
  onTooLong(): void;
}

/**
 * Cuts a byte stream into lines at LF, and at nothing else: U+2028 is text. A CR before the LF is taken off. Chunks may end
 * anywhere, in the middle of a character too.
 */
export class LineReader {
  readonly #listener: LineListener;
  readonly #decoder = new StringDecoder("utf8");
  #parts: string[] = [];
  #length = 0;
  #skipping = false;

  constructor(listener: LineListener) {
    this.#listener = listener;
  }

  push(chunk: Buffer | string): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#add(text.slice(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#add(text.slice(start));
  }

  /** The stream is over; a last line without its LF counts. */
  end(): void {
    this.#add(this.#decoder.end());
    if (this.#length > 0 || this.#skipping) this.#endLine();
  }

  #add(part: string): void {
    if (part === "" || this.#skipping) return;
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > LINE_LIMIT) {
      this.#skipping = true;
      this.#parts = [];
    }
  }

  #endLine(): void {
    const line = this.#parts.join("");
    const skipped = this.#skipping;
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    if (skipped) this.#listener.onTooLong();
    else this.#listener.onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
  }
}
