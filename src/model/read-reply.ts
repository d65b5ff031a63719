import { toFailure } from "../errors/index.ts";
import type { Classification, Failure, FailureFacts } from "../errors/types.ts";
import type { Clock } from "../retry/clock.ts";
import { sleep } from "../retry/clock.ts";
import { continuationOf, withBeginning } from "./continuation.ts";
import { interrupted, noTerminalEvent } from "./faults.ts";
import { faultOf, malformation } from "./judge.ts";
import { emptyReply, failedReply } from "./reply.ts";
import type { AssistantMessage, Model, ModelCallOptions, ModelEvent, ModelRequest, RequestRetrySettings } from "./types.ts";
import { Watchdog } from "./watchdog.ts";

/** Time limits of one model stream, in milliseconds; an absent one is none. Keep-alives are no model events, thinking is. */
export interface StreamLimits {
  firstEventMs?: number;
  idleMs?: number;
  totalMs?: number;
}

export interface ReadReplyOptions {
  /** The user's abort. The only thing that makes a reply `aborted`. */
  signal: AbortSignal;
  clock: Clock;
  random?: () => number;
  limits?: StreamLimits;
  requestRetry?: RequestRetrySettings;
  /** Judges a failure before our rules do. */
  classify?: (facts: FailureFacts) => Classification | undefined;
  /**
   * A reply that was cut, to go on with (`stream.onInterrupted: "continue"`). The model is shown it and asked for the rest;
   * events and their live message bring the rest alone, the final message is the whole. A reply that cannot be gone on with
   * is passed over, and the request sent as it is.
   */
  continues?: AssistantMessage;
  /** Called for each event as it comes, with the message as it stands; `done` and `error` included. */
  onEvent?: (event: ModelEvent, message: AssistantMessage) => void;
}

/**
 * Reads one reply of a model to its end. It never rejects: whatever the model does, the result is one final message, and
 * exactly one `done` or `error` event reached `onEvent` before it.
 *
 * - A stream that ends without `done` or `error`, or that throws, is an error with the content that had arrived.
 * - Reading stops at the terminal event; what a model does afterwards is void.
 * - The user's abort and a broken time limit end the reply at once, without waiting for the model to obey its signal.
 * - Only the user's signal makes a reply `aborted`; only a known stop reason and an answer make it good.
 */
export function readReply(model: Model, request: ModelRequest, options: ReadReplyOptions): Promise<AssistantMessage> {
  return new Promise((resolve) => {
    new Reading(model, request, options, resolve).begin();
  });
}

class Reading {
  readonly #model: Model;
  readonly #request: ModelRequest;
  /** The text the reply goes on from. */
  readonly #begun: string | undefined;
  readonly #options: ReadReplyOptions;
  readonly #resolve: (message: AssistantMessage) => void;
  readonly #ours = new AbortController();
  readonly #watchdog: Watchdog;
  /** Indexes of the tool calls whose arguments are complete. */
  readonly #endedCalls = new Set<number>();
  readonly #onAbort = (): void => this.#finish(this.#whole(failedReply(this.#message, "aborted", undefined, this.#endedCalls)));
  #iterator: AsyncIterator<ModelEvent> | undefined;
  /** The model's live message, or an empty one as long as there is none. */
  #message: AssistantMessage;
  #finished = false;
  /** The model has ended its stream, one way or the other. */
  #lastWord = false;

  constructor(model: Model, request: ModelRequest, options: ReadReplyOptions, resolve: (message: AssistantMessage) => void) {
    const continuation = options.continues === undefined ? undefined : continuationOf(options.continues, model);
    this.#model = model;
    this.#request =
      continuation === undefined ? request : { ...request, messages: [...request.messages, ...continuation.messages] };
    this.#begun = continuation?.text;
    this.#options = options;
    this.#resolve = resolve;
    this.#message = emptyReply(model, options.clock.now());
    this.#watchdog = new Watchdog(options.clock, options.limits ?? {}, (failure) => this.#fail(failure));
  }

  begin(): void {
    const { signal } = this.#options;
    if (signal.aborted) {
      this.#onAbort();
      return;
    }
    signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#watchdog.start();
    void this.#pump();
  }

  async #pump(): Promise<void> {
    try {
      const iterator = this.#model.stream(this.#request, this.#callOptions())[Symbol.asyncIterator]();
      this.#iterator = iterator;
      while (!this.#finished) {
        const step = await iterator.next();
        if (this.#finished) return;
        if (step.done === true) {
          this.#lastWord = true;
          this.#fail(noTerminalEvent("done"));
          return;
        }
        this.#accept(step.value);
      }
    } catch (error) {
      if (!this.#finished) this.#fail(this.#describe(error));
    }
  }

  #accept(event: ModelEvent): void {
    this.#watchdog.sawEvent(event);
    switch (event.type) {
      case "done":
        this.#lastWord = true;
        this.#finish(this.#judge(event.message));
        return;
      case "error":
        this.#lastWord = true;
        this.#finish(this.#judgeFailed(event.message));
        return;
      case "start":
        this.#message = event.message;
        break;
      case "toolcall_end":
        this.#endedCalls.add(event.index);
        break;
    }
    this.#options.onEvent?.(event, this.#message);
  }

  #judge(message: AssistantMessage): AssistantMessage {
    const malformed = malformation(message);
    if (malformed) return this.#failed(this.#message, malformed);
    if (message.stopReason === "error" || message.stopReason === "aborted") return this.#judgeFailed(message);
    const whole = this.#whole(message);
    const fault = faultOf(whole, this.#request);
    return fault === undefined ? whole : this.#failed(message, fault);
  }

  /** A reply its model calls failed: only the user's own signal, which ends a reading by itself, makes one `aborted`. */
  #judgeFailed(message: AssistantMessage): AssistantMessage {
    if (message.stopReason === "error" && message.failure !== undefined) {
      return this.#failed(message, message.failure);
    }
    return this.#failed(
      message,
      message.stopReason === "aborted" ? abortedByNobody() : this.#describe(message.errorMessage ?? ""),
    );
  }

  #whole(message: AssistantMessage): AssistantMessage {
    return this.#begun === undefined ? message : withBeginning(this.#begun, message);
  }

  #failed(message: AssistantMessage, failure: Failure): AssistantMessage {
    return this.#whole(failedReply(message, "error", failure, this.#endedCalls));
  }

  #fail(failure: Failure): void {
    this.#finish(this.#failed(this.#message, failure));
  }

  #describe(error: unknown): Failure {
    return toFailure(error, {
      provider: this.#model.provider,
      partial: this.#message.content.length > 0,
      now: this.#options.clock.now(),
      ...withClassify(this.#options),
    });
  }

  #finish(message: AssistantMessage): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#watchdog.stop();
    // A model that has said its last word needs no telling; any other may still hold a connection.
    if (!this.#lastWord) this.#ours.abort(this.#options.signal.aborted ? this.#options.signal.reason : undefined);
    this.#letGo();
    this.#resolve(this.#report(message));
  }

  /** Tells the caller; a caller that throws here has made the reply useless, which is its message's to say. */
  #report(message: AssistantMessage): AssistantMessage {
    const good = message.stopReason !== "error" && message.stopReason !== "aborted";
    try {
      this.#options.onEvent?.({ type: good ? "done" : "error", message }, message);
      return message;
    } catch (error) {
      return failedReply(message, "error", this.#describe(error), this.#endedCalls);
    }
  }

  /** Ends the model's iterator. It is not waited for: a model that ignores its signal may never answer. */
  #letGo(): void {
    try {
      this.#iterator?.return?.()?.then(undefined, () => undefined);
    } catch {
      // What a model does after its reply is over is void.
    }
  }

  #callOptions(): ModelCallOptions {
    const { clock, random, requestRetry } = this.#options;
    return {
      signal: this.#ours.signal,
      now: () => clock.now(),
      sleep: (milliseconds, signal) => sleep(clock, milliseconds, signal),
      ...(random === undefined ? {} : { random }),
      ...(requestRetry === undefined ? {} : { requestRetry }),
      ...withClassify(this.#options),
    };
  }
}

const abortedByNobody = (): Failure =>
  interrupted(
    "aborted-by-nobody",
    "The request was aborted, but not by its caller",
    "Only the user's own signal makes a reply aborted.",
  );

function withClassify({ classify }: Pick<ReadReplyOptions, "classify">): Pick<ReadReplyOptions, "classify"> {
  return classify === undefined ? {} : { classify };
}
