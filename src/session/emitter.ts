/** A listener threw. It was reported, and changed nothing else. */
export type ListenerErrorHandler = (error: unknown, event: { type: string }) => void;

/**
 * Tells listeners of events, in order. A listener that throws is reported and isolated from the others. An event raised inside a
 * listener waits until the one under way has reached all listeners, so that all of them see the same order.
 */
export class Emitter<Event extends { type: string }> {
  readonly #onListenerError: ListenerErrorHandler;
  readonly #waiting: Event[] = [];
  #listeners: readonly ((event: Event) => void)[] = [];
  #dispatching = false;
  #onClose: readonly (() => void)[] = [];

  constructor(onListenerError: ListenerErrorHandler) {
    this.#onListenerError = onListenerError;
  }

  get listenerCount(): number {
    return this.#listeners.length;
  }

  /** @returns Ends the subscription. */
  subscribe(listener: (event: Event) => void): () => void {
    // A wrapper of its own, so that a function subscribed twice is two subscriptions.
    const own = (event: Event): void => listener(event);
    this.#listeners = [...this.#listeners, own];
    return () => {
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

  /** No event follows: every subscription ends. */
  close(): void {
    for (const callback of this.#onClose) callback();
    this.#listeners = [];
    this.#onClose = [];
  }

  #tellAll(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#report(error, event);
      }
    }
  }

  #report(error: unknown, event: Event): void {
    try {
      this.#onListenerError(error, event);
    } catch {
      // A handler of errors that throws itself has nobody left to tell.
    }
  }
}
