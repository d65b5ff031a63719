import { makeFailure } from "../../errors/index.ts";
import type { Failure } from "../../errors/types.ts";
import { sleep, systemClock } from "../../retry/clock.ts";
import { retry } from "../../retry/index.ts";
import { StreamFault } from "../faults.ts";
import type { ModelCallOptions, ProviderRetryEvent, RequestRetrySettings } from "../types.ts";
import { FailedRequest, failedRequest, REQUEST_BACKOFF } from "./request-retry.ts";

type Closable = { close(complete: boolean): void };
type Open<Source> = (signal: AbortSignal) => Promise<Source>;

const NO_RETRY: RequestRetrySettings = { maxRetries: 0, maxRetryDelayMs: 0 };

/** The request of one reply, which is sent again where request-level retry says so. */
export class Request {
  readonly #settings: RequestRetrySettings;
  readonly #random: () => number;
  readonly #describe: (error: unknown) => Failure;
  readonly #onWait: (event: ProviderRetryEvent) => void;
  readonly #sleep: NonNullable<ModelCallOptions["sleep"]>;
  readonly #ended = new AbortController();
  /** Ends the try that is under way. */
  #current: AbortController | undefined;

  /** @param onWait Told of each wait before it begins. */
  constructor(options: ModelCallOptions, describe: (error: unknown) => Failure, onWait: (event: ProviderRetryEvent) => void) {
    this.#settings = options.requestRetry ?? NO_RETRY;
    this.#random = options.random ?? Math.random;
    this.#describe = describe;
    this.#onWait = onWait;
    this.#sleep = options.sleep ?? ((milliseconds, signal) => sleep(systemClock, milliseconds, signal));
  }

  /** Ends the try or the wait that is under way; no further try is made. */
  abort(reason?: unknown): void {
    this.#ended.abort(reason);
    this.#current?.abort(this.#ended.signal.reason);
  }

  /**
   * Sends it until it is answered, or not to be sent again.
   *
   * @throws FailedRequest with the failure of the last try.
   * @throws The reason of `abort`, when that was called.
   */
  async send<Source extends Closable>(open: Open<Source>): Promise<Source> {
    const { signal } = this.#ended;
    const { value } = await retry((attempt) => this.#try(open, attempt), {
      ...REQUEST_BACKOFF,
      attempts: 1 + this.#settings.maxRetries,
      signal,
      sleep: (milliseconds) => this.#sleep(milliseconds, signal),
      random: this.#random,
      shouldRetry: (error) => error instanceof FailedRequest && error.again,
      retryAfter: (error) => (error instanceof FailedRequest ? error.failure.retryAfterMs : undefined),
      onRetry: ({ error, ...wait }) => {
        if (error instanceof FailedRequest) this.#onWait({ type: "provider_retry", ...wait, errorMessage: error.message });
      },
    });
    return value;
  }

  async #try<Source extends Closable>(open: Open<Source>, attempt: number): Promise<Source> {
    const controller = (this.#current = new AbortController());
    try {
      return await this.#withinTimeout(open(controller.signal), controller);
    } catch (error) {
      // An abort surfaces as whatever the client makes of it, and is no failure to be described.
      if (this.#ended.signal.aborted) throw error;
      throw failedRequest(this.#describe(error), attempt - 1, this.#settings, shouldRetryHeader(error));
    }
  }

  /** Holds a request to its time limit up to the headers, if it has one. */
  async #withinTimeout<Source extends Closable>(opening: Promise<Source>, controller: AbortController): Promise<Source> {
    const milliseconds = this.#settings.timeoutMs;
    if (milliseconds === undefined) return opening;
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
