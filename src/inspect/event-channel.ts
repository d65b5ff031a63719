import type { ServerResponse } from "node:http";

/** For how long messages are put together, in milliseconds. */
const INTERVAL_MS = 50;
/** Bytes that may wait for a reader; one that is further behind is let go, and may come back for all of it. */
const BACKLOG_LIMIT = 16 * 1024 * 1024;

export interface ChannelMessage {
  event: "hello" | "records";
  data: unknown;
}

/** Tells open pages, as server-sent events. What comes quickly goes out together. */
export class EventChannel {
  readonly #readers = new Set<ServerResponse>();
  #waiting = new Map<string, unknown[]>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  get readers(): number {
    return this.#readers.size;
  }

  /** @param first Told to this reader alone, before all else. */
  add(response: ServerResponse, first: readonly ChannelMessage[]): void {
    this.#flush();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("retry: 1000\n\n");
    for (const told of first) response.write(encode(told));
    this.#readers.add(response);
    response.on("close", () => this.#readers.delete(response));
  }

  /** Adds to the list that is sent next under this key. Without readers it costs nothing. */
  send(key: string, item: unknown): void {
    if (this.#readers.size === 0) return;
    const list = this.#waiting.get(key);
    if (list) list.push(item);
    else this.#waiting.set(key, [item]);
    this.#timer ??= setTimeout(() => this.#flush(), INTERVAL_MS).unref();
  }

  /** To all readers at once. */
  announce(told: ChannelMessage): void {
    this.#flush();
    this.#write(encode(told));
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const response of this.#readers) response.end();
    this.#readers.clear();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [key, records] of waiting) this.#write(encode({ event: "records", data: { session: key, records } }));
  }

  #write(text: string): void {
    for (const response of this.#readers) {
      response.write(text);
      if (response.writableLength > BACKLOG_LIMIT) response.destroy();
    }
  }
}

function encode({ event, data }: ChannelMessage): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
