import { interrupted, StreamFault } from "../faults.ts";
import { FOREIGN_LIMIT, notAStream } from "./not-a-stream.ts";
import type { Source } from "./reply-stream.ts";
import { SseDecoder, type SseEvent } from "./sse.ts";

/** How long a body may take to end after the terminal event, in milliseconds, so that its connection can be used again. */
const DRAIN_MS = 250;

/**
 * The events of a streamed HTTP response, batch by batch as the bytes come.
 *
 * The clients' own decoders are passed by: they swallow aborts, events without a name, lines that are no events, and the
 * `[DONE]` that tells a finished stream from a cut one.
 */
export class ResponseEvents implements Source<SseEvent> {
  readonly #response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #text = new TextDecoder("utf-8", { fatal: true });
  readonly #decoder = new SseDecoder();
  #ended = false;
  #some = false;

  constructor(response: Response) {
    this.#response = response;
    this.#reader = response.body?.getReader();
  }

  async next(): Promise<readonly SseEvent[] | undefined> {
    if (this.#decoder.foreign !== undefined) throw await this.#foreignError();
    if (this.#ended) return undefined;
    const chunk = await this.#reader?.read();
    this.#ended = chunk === undefined || chunk.done;
    const text = this.#decode(chunk?.value);
    const events = this.#ended ? [...this.#decoder.push(text), ...this.#decoder.end()] : this.#decoder.push(text);
    this.#some ||= events.length > 0;
    if (this.#ended && !this.#some && this.#decoder.foreign === undefined) {
      throw notAStream("", this.#response);
    }
    return events;
  }

  close(complete: boolean): void {
    if (complete && !this.#ended) void this.#drain();
    else this.#cancel();
  }

  #decode(bytes: Uint8Array | undefined): string {
    try {
      return bytes === undefined ? this.#text.decode() : this.#text.decode(bytes, { stream: true });
    } catch {
      throw new StreamFault(interrupted("invalid-utf8", "The stream carried bytes that are no UTF-8", "Garbled bytes mean that others are wrong too."));
    }
  }

  async #foreignError(): Promise<Error> {
    if (this.#some) {
      return new StreamFault(
        interrupted("foreign-text", `Something else broke into the stream: ${this.#foreign().trim().slice(0, 200)}`, "What follows in a garbled stream cannot be trusted."),
      );
    }
    while (!this.#ended && this.#foreign().length < FOREIGN_LIMIT) {
      const chunk = await this.#reader?.read();
      this.#ended = chunk === undefined || chunk.done;
      this.#decoder.push(this.#decode(chunk?.value));
    }
    return notAStream(this.#foreign(), this.#response);
  }

  #foreign(): string {
    return this.#decoder.foreign ?? "";
  }

  /** Reads the rest, which should be nothing, and gives up on a connection that stays open. */
  async #drain(): Promise<void> {
    const timer = setTimeout(() => this.#cancel(), DRAIN_MS);
    timer.unref();
    try {
      while ((await this.#reader?.read())?.done === false);
    } catch {
      // After the terminal event the answer is complete, whatever becomes of the connection.
    } finally {
      clearTimeout(timer);
    }
  }

  #cancel(): void {
    // It rejects for a stream that has failed already, which those who read it have been told.
    this.#reader?.cancel().catch(() => undefined);
  }
}
