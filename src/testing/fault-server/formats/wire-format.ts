import type { ProviderError } from "../provider-errors.ts";
import type { FaultReply } from "../reply.ts";

export type WireFormatName = "anthropic-messages" | "openai-completions" | "openai-responses";

/**
 * Where in a reply an event belongs: `opening` comes before anything is said, `content` says something, `closing` ends a
 * block, `finish` gives the stop reason or the usage, `terminal` says that the reply is complete.
 */
export type Part = "opening" | "content" | "closing" | "finish" | "terminal";

/** One server-sent event. */
export interface WireEvent {
  /** The `event:` line; none when absent. */
  name?: string;
  /** The `data:` line. */
  data: string;
  part: Part;
}

/** What of the request shows in the reply. */
export interface ReplyContext {
  /** Counts the requests from 1; makes ids. */
  n: number;
  /** The model asked for; it answers under the same name. */
  model: string;
  /** Chat Completions tells the usage of a stream only when asked to. */
  includeUsage: boolean;
}

/** One wire format: how it says a reply and an error. */
export interface WireFormat {
  readonly name: WireFormatName;
  readonly title: string;
  /** The end of the path that requests of this format are posted to. */
  readonly path: string;
  /** The reply as a stream. */
  events(reply: FaultReply, context: ReplyContext): WireEvent[];
  /** The reply as one JSON value, for requests that ask for no stream. */
  whole(reply: FaultReply, context: ReplyContext): unknown;
  /** The body of a response that failed. */
  errorBody(error: ProviderError, requestId: string): unknown;
  /** The event that reports an error inside a stream. */
  errorEvent(error: ProviderError): WireEvent;
  /** The event the provider sends while nothing is said; none where it sends comments. */
  ping: WireEvent | undefined;
  /** The header that carries the request id. */
  requestIdHeader: string;
}

/** Seconds since the epoch that every reply says it was made at; fixed, so that replies are the same each time. */
export const CREATED_AT = 1_767_225_600;

export function wireEvent(part: Part, data: object, name?: string): WireEvent {
  return { ...(name === undefined ? {} : { name }), data: JSON.stringify(data), part };
}

/** The event as it goes over the wire. */
export function frame(event: WireEvent): string {
  return `${event.name === undefined ? "" : `event: ${event.name}\n`}data: ${event.data}\n\n`;
}
