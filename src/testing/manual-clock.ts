import type { Clock } from "../retry/clock.ts";

interface Timer {
  due: number;
  callback: () => void;
}

/**
 * A clock that stands still until it is told to go on, for tests and replays.
 *
 * Timers fire in the order they are due, those due at the same time in the order they were set, and `now()` shows a
 * timer's own due time while it fires.
 */
export class ManualClock implements Clock {
  #now: number;
  /** Sorted by due time; timers of the same time in the order they were set. */
  readonly #timers: Timer[] = [];

  /** @param start What `now()` says at first, in milliseconds since the epoch; default 0. */
  constructor(start = 0) {
    this.#now = start;
  }

  /** Timers set and neither fired nor cancelled. */
  get pending(): number {
    return this.#timers.length;
  }

  /** When the earliest pending timer is due, in milliseconds since the epoch. */
  get nextDue(): number | undefined {
    return this.#timers[0]?.due;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#now + Math.max(0, milliseconds), callback };
    const place = this.#timers.findIndex((other) => other.due > timer.due);
    this.#timers.splice(place === -1 ? this.#timers.length : place, 0, timer);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index !== -1) this.#timers.splice(index, 1);
    };
  }

  /**
   * Lets `milliseconds` pass and fires what is due meanwhile, timers that are set while firing among them.
   * @throws RangeError when `milliseconds` is negative or no finite number.
   */
  advance(milliseconds: number): void {
    if (!Number.isFinite(milliseconds) || milliseconds < 0) {
      throw new RangeError(`advance takes a finite number of milliseconds from 0, got ${milliseconds}`);
    }
    const end = this.#now + milliseconds;
    while ((this.nextDue ?? Infinity) <= end) this.runNext();
    this.#now = end;
  }

  /** Goes on to the earliest pending timer and fires it. Returns false when there is none. */
  runNext(): boolean {
    const timer = this.#timers.shift();
    if (timer === undefined) return false;
    this.#now = Math.max(this.#now, timer.due);
    timer.callback();
    return true;
  }
}
