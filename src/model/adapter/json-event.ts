import { malformed, StreamedError, StreamFault } from "../faults.ts";
import { errorIn } from "./not-a-stream.ts";
import type { SseEvent } from "./sse.ts";

/**
 * The JSON of an event. `isEvent` checks as much of its shape as is needed to tell events apart; the rest is the provider's word.
 * @throws StreamedError for an event that reports an error, by its name, its type or an error in it.
 * @throws StreamFault for anything else that is no such event.
 */
export function jsonEvent<Event extends object>(
  sse: SseEvent,
  headers: Headers,
  isEvent: (value: object) => value is Event,
): Event {
  let value: unknown;
  try {
    value = JSON.parse(sse.data);
  } catch {
    if (sse.event === "error") throw new StreamedError(sse.data, headers);
    throw new StreamFault(malformed(sse.data));
  }
  const error = errorIn(value);
  if (error !== undefined || sse.event === "error") throw new StreamedError(error ?? value, headers);
  if (typeof value !== "object" || value === null || !isEvent(value)) throw new StreamFault(malformed(sse.data));
  return value;
}

/** Reads an event; one whose shape breaks the provider's word is as garbled as half a one. */
export function readEvent(sse: SseEvent, accept: () => void): void {
  try {
    accept();
  } catch (error) {
    throw error instanceof TypeError ? new StreamFault(malformed(sse.data)) : error;
  }
}

/** For formats whose events name their type. */
export function hasType(value: object): value is { type: string } {
  return "type" in value && typeof value.type === "string";
}
