import { interrupted, StreamFault } from "../faults.ts";
import { letGo } from "./let-go.ts";
import { FOREIGN_LIMIT, notAStream } from "./not-a-stream.ts";
import type { Source } from "./reply-stream.ts";
import { SseDecoder, type SseEvent } from "./sse.ts";

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
  /** Bytes that are no UTF-8 have come: what was told before them counts, nothing after. */
  #garbled = false;

  constructor(response: Response) {
    this.#response = response;
    this.#reader = response.body?.getReader();
  }

  async next(): Promise<readonly SseEvent[] | undefined> {
    if (this.#decoder.foreign !== undefined) throw await this.#foreignError();
    if (this.#garbled) throw new StreamFault(invalidText());
    if (this.#ended) return undefined;
    const chunk = await this.#reader?.read();
    this.#ended = chunk === undefined || chunk.done;
    const text = this.#decode(chunk?.value);
    const complete = this.#ended && !this.#garbled;
    const events = complete ? [...this.#decoder.push(text), ...this.#decoder.end()] : this.#decoder.push(text);
    this.#some ||= events.length > 0;
    if (complete && !this.#some && this.#decoder.foreign === undefined) {
      throw notAStream("", this.#response);
    }
    return events;
  }

  close(complete: boolean): void {
    if (this.#reader !== undefined) letGo(this.#reader, complete && !this.#ended);
  }

  #decode(bytes: Uint8Array | undefined): string {
    try {
      return bytes === undefined ? this.#text.decode() : this.#text.decode(bytes, { stream: true });
    } catch {
      this.#garbled = true;
      return readablePart(bytes);
    }
  }

  async #foreignError(): Promise<Error> {
    if (this.#some) {
      return new StreamFault(
        interrupted(
          "foreign-text",
          `Something else broke into the stream: ${this.#foreign().trim().slice(0, 200)}`,
          "What follows in a garbled stream cannot be trusted.",
        ),
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
}

/** The whole lines before the first byte that is no UTF-8. */
function readablePart(bytes: Uint8Array | undefined): string {
  const text = new TextDecoder().decode(bytes);
  const readable = text.slice(0, Math.max(0, text.indexOf("\uFFFD")));
  return readable.slice(0, readable.lastIndexOf("\n") + 1);
}

const invalidText = () =>
  interrupted("invalid-utf8", "The stream carried bytes that are no UTF-8", "Garbled bytes mean that others are wrong too.");
