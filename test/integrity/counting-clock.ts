import { systemClock } from "../../src/retry/clock.ts";
import type { Clock } from "../../src/retry/clock.ts";

/** The system's time, and how many timers are set and have neither fired nor been cancelled. */
export class CountingClock implements Clock {
  readonly #pending = new Set<symbol>();

  get pending(): number {
    return this.#pending.size;
  }

  now(): number {
    return systemClock.now();
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = Symbol("timer");
    this.#pending.add(timer);
    const cancel = systemClock.after(milliseconds, () => {
      this.#pending.delete(timer);
      callback();
    });
    return () => {
      this.#pending.delete(timer);
      cancel();
    };
  }
}
