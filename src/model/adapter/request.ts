import { makeFailure } from "../../errors/index.ts";
import type { Failure } from "../../errors/types.ts";
import { sleep, systemClock } from "../../retry/clock.ts";
import { StreamFault } from "../faults.ts";
import type { ModelCallOptions, ProviderRetryEvent } from "../types.ts";
import { afterFailedRequest } from "./request-retry.ts";

type Closable = { close(complete: boolean): void };

/** Sends one request of a reply, and says after each failure whether it is to be sent again. */
export class Request {
  readonly #options: ModelCallOptions;
  readonly #sleep: NonNullable<ModelCallOptions["sleep"]>;
  #controller = new AbortController();
  #retries = 0;
  #waitMs = 0;

  constructor(options: ModelCallOptions) {
    this.#options = options;
    this.#sleep = options.sleep ?? ((milliseconds, signal) => sleep(systemClock, milliseconds, signal));
  }

  /** Ends the request that is under way. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /** Waits as long as the last failure asks, and sends. Rejects with what the client throws, or when the wait is aborted. */
  async send<Source extends Closable>(open: (signal: AbortSignal) => Promise<Source>): Promise<Source> {
    if (this.#waitMs > 0) await this.#sleep(this.#waitMs, this.#options.signal);
    this.#controller = new AbortController();
    return this.#withinTimeout(open(this.#controller.signal));
  }

  /** What follows a failed request: a wait, told as an event, or the failure. */
  afterFailure(failure: Failure, error: unknown): ProviderRetryEvent | Failure {
    const settings = this.#options.requestRetry ?? { maxRetries: 0, maxRetryDelayMs: 0 };
    const random = (this.#options.random ?? Math.random)();
    const verdict = afterFailedRequest(failure, this.#retries, settings, random, shouldRetryHeader(error));
    if ("failure" in verdict) return verdict.failure;
    this.#retries++;
    this.#waitMs = verdict.wait;
    return {
      type: "provider_retry",
      attempt: this.#retries,
      maxAttempts: settings.maxRetries,
      delayMs: verdict.wait,
      errorMessage: failure.message,
    };
  }

  /** Holds a request to its time limit up to the headers, if it has one. */
  async #withinTimeout<Source extends Closable>(opening: Promise<Source>): Promise<Source> {
    const milliseconds = this.#options.requestRetry?.timeoutMs;
    if (milliseconds === undefined) return opening;
    const controller = this.#controller;
    const answered = new AbortController();
    const late = this.#sleep(milliseconds, answered.signal).then(() => {
      throw new StreamFault(requestTimeout(milliseconds));
    });
    // It rejects when the answer comes in time, too.
    late.catch(() => undefined);
    try {
      return await Promise.race([opening, late]);
    } catch (error) {
      controller.abort();
      // The client may still hand over a response, or reject, when nobody waits for it any more.
      opening.then((source) => source.close(false)).catch(() => undefined);
      throw error;
    } finally {
      answered.abort();
    }
  }
}

const requestTimeout = (milliseconds: number): Failure =>
  makeFailure({
    action: "retry",
    kind: "timeout",
    rule: "request.timeout",
    message: `The server did not answer within ${milliseconds / 1000} s (retry.provider.timeoutMs)`,
    why: "A time limit of the request was reached; a new one may be answered.",
    hint: "If this server needs longer, raise retry.provider.timeoutMs.",
  });

/** The `x-should-retry` header of the response behind a refused request. */
function shouldRetryHeader(error: unknown): string | null {
  const headers = typeof error === "object" && error !== null && "headers" in error ? error.headers : undefined;
  return headers instanceof Headers ? headers.get("x-should-retry") : null;
}
