/** A listener threw. It was reported, and changed nothing else. */
export type ListenerErrorHandler = (error: unknown, event: { type: string }) => void;

/**
 * Tells listeners of events, in order. A listener that throws is reported and isolated from the others. An event raised inside a
 * listener waits until the one under way has reached all listeners, so that all of them see the same order.
 */
export class Emitter<Event extends { type: string }> {
  readonly #onListenerError: ListenerErrorHandler;
  readonly #waiting: Event[] = [];
  #listeners: readonly ((event: Event) => unknown)[] = [];
  #dispatching = false;
  #closed = false;
  #onClose: readonly (() => void)[] = [];

  constructor(onListenerError: ListenerErrorHandler) {
    this.#onListenerError = onListenerError;
  }

  get listenerCount(): number {
    return this.#listeners.length;
  }

  /** @returns Ends the subscription, at once: also for the event that is just being told. */
  subscribe(listener: (event: Event) => unknown): () => void {
    let ended = false;
    // A wrapper of its own, so that a function subscribed twice is two subscriptions.
    const own = (event: Event): unknown => (ended ? undefined : listener(event));
    this.#listeners = [...this.#listeners, own];
    return () => {
      ended = true;
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  emit(event: Event): void {
    if (this.#dispatching) {
      this.#waiting.push(event);
      return;
    }
    this.#dispatching = true;
    try {
      this.#tellAll(event);
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#tellAll(next);
    } finally {
      this.#dispatching = false;
    }
  }

  /** @returns Takes the callback back. */
  onClose(callback: () => void): () => void {
    this.#onClose = [...this.#onClose, callback];
    return () => {
      this.#onClose = this.#onClose.filter((other) => other !== callback);
    };
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** No event follows: every subscription ends. */
  close(): void {
    this.#closed = true;
    for (const callback of this.#onClose) callback();
    this.#listeners = [];
    this.#onClose = [];
  }

  #tellAll(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        const result = listener(event);
        // Not awaited; but an async listener that fails is one that throws, and must not end the process.
        if (result instanceof Promise) result.catch((error: unknown) => this.#report(error, event));
      } catch (error) {
        this.#report(error, event);
      }
    }
  }

  #report(error: unknown, event: Event): void {
    try {
      letFail(this.#onListenerError(error, event));
    } catch {
      // A handler of errors that throws itself has nobody left to tell.
    }
  }
}

/** A handler that is async may fail later. */
function letFail(result: unknown): void {
  if (result instanceof Promise) result.catch(() => {});
}
