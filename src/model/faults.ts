import { makeFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";

/** A fault of a stream whose failure is known: thrown by those who read, caught where the reply is written. */
export class StreamFault extends Error {
  override readonly name = "StreamFault";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** An error that a provider reported inside a stream, in the shape in which the clients throw refused requests. */
export class StreamedError extends Error {
  override readonly name = "StreamedError";
  /** The provider's error object, or its text. */
  readonly error: unknown;
  readonly headers: Headers | undefined;

  constructor(error: unknown, headers?: Headers) {
    super(messageOf(error));
    this.error = error;
    this.headers = headers;
  }
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error === "object" && error !== null && "message" in error && typeof error.message === "string")
    return error.message;
  return JSON.stringify(error);
}

/** A stream that broke: `rule` says where it was noticed. */
export function interrupted(rule: string, message: string, why: string): Failure {
  return makeFailure({
    action: "retry",
    kind: "stream_interrupted",
    rule: `stream.${rule}`,
    message,
    why,
    hint: "The same request usually works when it is sent again.",
  });
}

const REFUSALS: ReadonlySet<string> = new Set([
  "content_filter",
  "content-filter",
  "refusal",
  "sensitive",
  "safety",
  "prohibited_content",
  "guardrail_intervened",
]);

/**
 * The failure behind a stop reason that is none of the good ones. A reason nobody knows is a failure too: taking it for an
 * answer would pass half of one off as whole.
 *
 * @param explanation The provider's own words about it.
 */
export function badStop(reason: string, explanation?: string): Failure {
  const detail = explanation === undefined || explanation === "" ? "" : `: ${explanation}`;
  if (REFUSALS.has(reason.toLowerCase())) {
    return makeFailure({
      action: "stop",
      kind: "content_policy",
      rule: "stream.refusal",
      message: `The model's answer was refused or filtered (stop reason ${reason})${detail}`,
      why: "The provider's moderation or the model itself refused; the same request would be refused again.",
      hint: "Change what was asked, or use another model.",
    });
  }
  if (reason === "error") {
    return makeFailure({
      action: "retry",
      kind: "server_error",
      rule: "stream.stop-reason-error",
      message: `The provider ended its answer with an error${detail}`,
      why: "The provider says that it failed, without saying why.",
      hint: "The same request usually works when it is sent again.",
    });
  }
  return interrupted(
    "unknown-stop-reason",
    `The model stopped for an unknown reason: ${reason}${detail}`,
    "Only a known stop reason makes a reply an answer.",
  );
}

export const noTerminalEvent = (name: string): Failure =>
  interrupted(
    "no-terminal-event",
    `The stream ended before its terminal event (${name})`,
    "A stream without its terminal event is never an answer.",
  );

/** @param what The event, or what is wrong with it. */
export const malformed = (what: string): Failure =>
  interrupted(
    "malformed-event",
    `An event of the stream could not be read: ${what.slice(0, 200)}`,
    "Half an event is a stream that was cut or garbled.",
  );
