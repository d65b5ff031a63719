import type { Failure } from "../errors/types.ts";
import type { PromptOutcome } from "./events.ts";
import { PromptCycle } from "./prompt-cycle.ts";

type Resolve = (outcome: PromptOutcome) => void;

/** The promises of `prompt()` and `continue()` that wait for the session to settle. */
export class OpenPrompts {
  #delivered: Resolve[] = [];
  #queued: { id: string; resolve: Resolve }[] = [];

  /** For a prompt that is under way. */
  open(): Promise<PromptOutcome> {
    return new Promise((resolve) => this.#delivered.push(resolve));
  }

  /** For a prompt that waits in a queue under `id`. */
  openQueued(id: string): Promise<PromptOutcome> {
    return new Promise((resolve) => this.#queued.push({ id, resolve }));
  }

  isQueued(id: string): boolean {
    return this.#queued.some((prompt) => prompt.id === id);
  }

  deliver(ids: readonly string[]): void {
    this.#delivered.push(...this.#take(ids));
  }

  /** Prompts whose messages were taken back out of their queue end as aborted. */
  remove(ids: readonly string[]): void {
    for (const resolve of this.#take(ids)) resolve(nothingDone());
  }

  /**
   * The session settled: takes the prompts that are open now, and returns what tells them. Delivered ones get the outcome once the
   * log is on the disk, those still queued end as `queued`.
   */
  take(): (outcome: PromptOutcome, flushed: Promise<Failure | undefined> | undefined) => void {
    const delivered = this.#delivered;
    const queued = this.#queued;
    this.#delivered = [];
    this.#queued = [];
    return (outcome, flushed) => {
      const tell = (failure?: Failure): void => {
        for (const resolve of delivered) resolve(failure ? { ...outcome, status: "failed", failure } : outcome);
        for (const { resolve } of queued) resolve({ ...nothingDone(), status: "queued" });
      };
      if (flushed) void flushed.then(tell);
      else tell();
    };
  }

  #take(ids: readonly string[]): Resolve[] {
    const taken = this.#queued.filter(({ id }) => ids.includes(id));
    this.#queued = this.#queued.filter(({ id }) => !ids.includes(id));
    return taken.map(({ resolve }) => resolve);
  }
}

/** The outcome of a prompt that ended before anything was done for it. */
export function nothingDone(): PromptOutcome {
  return new PromptCycle().outcome({ status: "aborted", cut: false, failure: null });
}
