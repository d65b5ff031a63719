import { makeFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";
import type { Clock } from "../retry/clock.ts";
import type { StreamLimits } from "./read-reply.ts";
import type { ModelEvent } from "./types.ts";

type Limit = keyof StreamLimits;

/**
 * Watches the times of one model stream with a single timer. An event only notes the time; the timer, when it fires,
 * compares and is set again for what is left, so that a delta costs no timer.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #limits: StreamLimits;
  readonly #expired: (failure: Failure) => void;
  readonly #watching: boolean;
  #startedAt = 0;
  /** When the last event came; before the first one, when waiting for it began. */
  #lastAt = 0;
  #begun = false;
  /** No event has come since the timer was set. */
  #quiet = true;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, limits: StreamLimits, expired: (failure: Failure) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#expired = expired;
    this.#watching = limits.firstEventMs !== undefined || limits.idleMs !== undefined || limits.totalMs !== undefined;
  }

  start(): void {
    if (!this.#watching) return;
    this.#startedAt = this.#lastAt = this.#clock.now();
    this.#arm();
  }

  sawEvent(event: ModelEvent): void {
    if (!this.#watching) return;
    this.#lastAt = this.#clock.now();
    this.#quiet = false;
    if (this.#begun) return;
    if (event.type === "provider_retry") {
      // The model has not been asked again yet: its time begins when the wait is over.
      this.#lastAt += event.delayMs;
    } else {
      this.#begun = true;
    }
    this.#arm();
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #arm(): void {
    this.stop();
    const { due, limit } = this.#next();
    if (due === Infinity) return;
    this.#quiet = true;
    // A wall clock that was set back must not make a wait longer than its limit; only an announced wait may.
    const longest = this.#begun ? (this.#limits[limit] ?? Infinity) : Infinity;
    this.#cancelTimer = this.#clock.after(Math.min(due - this.#clock.now(), longest), () => this.#check());
  }

  #check(): void {
    const { due, limit } = this.#next();
    // Without an event the timer is right, whatever the clock on the wall says by now.
    if (!this.#quiet && this.#clock.now() < due) this.#arm();
    else this.#expired(timeout(limit, this.#limits[limit] ?? 0));
  }

  #next(): { due: number; limit: Limit } {
    const limit: Limit = this.#begun ? "idleMs" : "firstEventMs";
    const due = this.#lastAt + (this.#limits[limit] ?? Infinity);
    const end = this.#startedAt + (this.#limits.totalMs ?? Infinity);
    return end < due ? { due: end, limit: "totalMs" } : { due, limit };
  }
}

const WHAT: Record<Limit, (time: string) => string> = {
  firstEventMs: (time) => `The model sent nothing within ${time}`,
  idleMs: (time) => `The model's stream stalled: nothing came for ${time}`,
  totalMs: (time) => `The model's answer was not complete within ${time}`,
};

function timeout(limit: Limit, milliseconds: number): Failure {
  return makeFailure({
    action: "retry",
    kind: "timeout",
    rule: `stream.${limit}`,
    message: `${WHAT[limit](`${milliseconds / 1000} s`)} (stream.${limit})`,
    why: "A time limit of the stream was reached; a new request may be answered.",
    hint: `If this model needs longer, raise stream.${limit}.`,
  });
}
