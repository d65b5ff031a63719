import type { Emitter } from "./emitter.ts";
import type { SessionEvent } from "./events.ts";

/** Events kept for a reader that is behind. */
export const EVENT_STREAM_LIMIT = 10_000;

/** A reader of `events()` fell too far behind to be given all events that matter. */
export class EventStreamOverflowError extends Error {
  override readonly name = "EventStreamOverflowError";

  constructor() {
    super(`The reader of the event stream fell ${EVENT_STREAM_LIMIT} events behind. Read faster, or use subscribe().`);
  }
}

/**
 * Events as an async iterable, from this call on. A reader that is behind costs bounded memory: above the limit the oldest waiting
 * `message_update` events are dropped (the message at `message_end` is whole), and if nothing can be dropped the stream ends with
 * an EventStreamOverflowError.
 */
export function eventStream(emitter: Emitter<SessionEvent>, signal?: AbortSignal): AsyncIterableIterator<SessionEvent> {
  let waiting: SessionEvent[] = [];
  /** Calls of `next()` that wait for an event, first come, first served. */
  let readers: ((event?: SessionEvent) => void)[] = [];
  let ended = emitter.closed || (signal?.aborted ?? false);
  let overflow: EventStreamOverflowError | undefined;

  const end = (): void => {
    ended = true;
    unsubscribe();
    offClose();
    signal?.removeEventListener("abort", end);
    for (const reader of readers) reader();
    readers = [];
  };
  const unsubscribe = emitter.subscribe((event) => {
    if (ended) return;
    const reader = readers.shift();
    if (reader) {
      reader(event);
      return;
    }
    if (waiting.length >= EVENT_STREAM_LIMIT) {
      waiting = waiting.filter(({ type }) => type !== "message_update");
      if (waiting.length >= EVENT_STREAM_LIMIT) {
        overflow = new EventStreamOverflowError();
        end();
        return;
      }
    }
    waiting.push(event);
  });
  const offClose = emitter.onClose(end);
  signal?.addEventListener("abort", end, { once: true });
  if (ended) end();

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      let value = waiting.shift();
      if (!value && !ended) value = await new Promise<SessionEvent | undefined>((resolve) => readers.push(resolve));
      if (value) return { done: false, value };
      if (overflow) {
        const error = overflow;
        overflow = undefined;
        throw error;
      }
      return { done: true, value: undefined };
    },
    async return() {
      waiting = [];
      end();
      return { done: true, value: undefined };
    },
  };
}
