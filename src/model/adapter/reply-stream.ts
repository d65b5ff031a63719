import { proxyFor } from "./proxy.ts";
import type { Failure } from "../../errors/types.ts";
import type { Model, ModelCallOptions, ModelEvent } from "../types.ts";
import { noTerminalEvent, StreamFault } from "../faults.ts";
import { ReplyWriter } from "./reply-writer.ts";
import { Request } from "./request.ts";

/** What streams in, in batches as it comes. */
export interface Source<Item> {
  /** The next items, perhaps none; undefined at the end. */
  next(): Promise<readonly Item[] | undefined>;
  /** No more is wanted. `complete`: the terminal event has come, so that the connection may be used again. */
  close(complete: boolean): void;
}

/** What one wire format knows of one call. */
export interface Exchange<Item> {
  /** Sends the request. Rejects with what the client throws. */
  open(signal: AbortSignal): Promise<Source<Item>>;
  /** Reads one item. Throws a `StreamFault`, or what the provider reported. */
  accept(item: Item, reply: ReplyWriter): void;
  /** The source has ended, or its connection has broken, without a terminal event; default: that is a failure. */
  end?(reply: ReplyWriter): void;
  /** What has to come for a reply to be complete, for people. */
  readonly terminalEvent: string;
  /** For hints in failures. */
  readonly baseUrl?: string;
  readonly keyVariable?: string;
}

/** Streams one reply: sends the request, again where request-level retry says so, and writes down what comes. */
export function replyStream<Item>(
  model: Model,
  options: ModelCallOptions,
  exchange: () => Exchange<Item>,
): AsyncIterable<ModelEvent> {
  return { [Symbol.asyncIterator]: () => new ReplyStream(model, options, exchange) };
}

const END: IteratorResult<ModelEvent> = { done: true, value: undefined };

/** Hand-written, because an async generator costs several turns of the microtask queue per event. */
class ReplyStream<Item> implements AsyncIterator<ModelEvent> {
  readonly #options: ModelCallOptions;
  readonly #writer: ReplyWriter;
  readonly #makeExchange: () => Exchange<Item>;
  readonly #request: Request;
  readonly #onAbort = (): void => {
    this.#request.abort(this.#options.signal.reason);
    this.#source?.close(false);
  };
  #exchange: Exchange<Item> | undefined;
  #source: Source<Item> | undefined;
  #sending = false;
  /** Ends the wait for news of the request. */
  #wake: () => void = () => undefined;
  /** What has come and has not been read yet. */
  #items: Iterator<Item> | undefined;
  #events: ModelEvent[] = [];
  #eventAt = 0;
  #closed = false;

  constructor(model: Model, options: ModelCallOptions, exchange: () => Exchange<Item>) {
    this.#options = options;
    this.#makeExchange = exchange;
    this.#request = new Request(
      options,
      (error) => this.#describe(error),
      (event) => {
        this.#writer.events.push(event);
        this.#wake();
      },
    );
    this.#writer = new ReplyWriter(model, options.now ?? Date.now);
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    return this.#closed ? Promise.resolve(END) : this.#pull();
  }

  return(): Promise<IteratorResult<ModelEvent>> {
    if (!this.#closed) this.#close(false);
    this.#events = [];
    this.#writer.events = [];
    this.#items = undefined;
    return Promise.resolve(END);
  }

  /** The next event of what has come already. Items are read one at a time, so that the live message is not ahead of it. */
  #take(): ModelEvent | undefined {
    for (;;) {
      if (this.#eventAt < this.#events.length) return this.#events[this.#eventAt++];
      if (this.#writer.events.length > 0) {
        this.#events = this.#writer.events;
        this.#eventAt = 0;
        this.#writer.events = [];
      } else if (!this.#acceptNext()) {
        return undefined;
      }
    }
  }

  async #pull(): Promise<IteratorResult<ModelEvent>> {
    for (;;) {
      const event = this.#take();
      if (event !== undefined) return { done: false, value: event };
      if (this.#closed) return END;
      if (this.#options.signal.aborted) this.#abort();
      else await this.#advance();
    }
  }

  async #advance(): Promise<void> {
    if (this.#source === undefined) return this.#newsOfRequest();
    try {
      await this.#read(this.#source);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Until the request is answered, has failed, or waits to be sent again, which is told while it waits. */
  #newsOfRequest(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (!this.#sending) void this.#send();
    });
  }

  async #send(): Promise<void> {
    this.#sending = true;
    try {
      // The request is built here, so that what cannot be built is a failed reply as well.
      const exchange = (this.#exchange = this.#makeExchange());
      const source = await this.#request.send((ended) => exchange.open(ended));
      if (this.#closed || this.#options.signal.aborted) source.close(false);
      this.#source = source;
    } catch (error) {
      if (!this.#closed) this.#fail(error);
    }
    this.#wake();
  }

  async #read(source: Source<Item>): Promise<void> {
    let items: readonly Item[] | undefined;
    try {
      items = await source.next();
    } catch (error) {
      if (!this.#closed && !this.#options.signal.aborted) this.#exchange?.end?.(this.#writer);
      if (!this.#writer.ended) throw error;
    }
    if (this.#closed || this.#options.signal.aborted) return;
    if (items === undefined) {
      if (!this.#writer.ended) this.#exchange?.end?.(this.#writer);
      if (!this.#writer.ended) this.#writer.fail(noTerminalEvent(this.#exchange?.terminalEvent ?? "done"));
      this.#close(false);
    } else {
      this.#items = items.values();
    }
  }

  /** Reads one item of those that have come; false when there is none left to read. */
  #acceptNext(): boolean {
    if (this.#writer.ended || this.#options.signal.aborted) return false;
    const step = this.#items?.next();
    if (step === undefined || step.done === true) return false;
    try {
      this.#exchange?.accept(step.value, this.#writer);
      if (this.#writer.ended) this.#close(true);
    } catch (error) {
      this.#fail(error);
    }
    return true;
  }

  #fail(error: unknown): void {
    // An abort surfaces as whatever the transport makes of it; only the signal tells.
    if (this.#options.signal.aborted) this.#writer.abort();
    else this.#writer.fail(this.#describe(error));
    this.#close(false);
  }

  #abort(): void {
    this.#writer.abort();
    this.#close(false);
  }

  #close(complete: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#source?.close(complete);
    // The error that an abort makes remembers who was calling, this stream among them, and a client may keep that error until
    // the response body is collected: which it never is while it can be reached from here.
    this.#source = undefined;
    if (!complete) this.#request.abort();
  }

  #describe(error: unknown): Failure {
    if (error instanceof StreamFault) return error.failure;
    const { baseUrl, keyVariable } = this.#exchange ?? {};
    const { classify } = this.#options;
    const proxy = baseUrl === undefined ? undefined : proxyFor(baseUrl, process.env);
    return this.#writer.describe(error, {
      // A connection that broke in its stream has cut an answer, whether or not content had come.
      partial: this.#source !== undefined,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(keyVariable === undefined ? {} : { keyVariable }),
      ...(proxy === undefined ? {} : { proxy }),
      ...(classify === undefined ? {} : { classify }),
    });
  }
}
