import { systemClock } from "../../src/retry/clock.ts";
import type { Clock } from "../../src/retry/clock.ts";

/** A clock on which time passes faster than it does, so that long waits are short and still in order. */
export class FastClock implements Clock {
  readonly #factor: number;
  readonly #start = systemClock.now();

  constructor(factor: number) {
    this.#factor = factor;
  }

  now(): number {
    return this.#start + (systemClock.now() - this.#start) * this.#factor;
  }

  after(milliseconds: number, callback: () => void): () => void {
    return systemClock.after(milliseconds / this.#factor, callback);
  }
}
