import { interrupted, StreamedError, StreamFault } from "../faults.ts";
import { errorIn } from "./not-a-stream.ts";
import type { SseEvent } from "./sse.ts";

/**
 * The JSON of an event. What the provider promises of its shape is taken at its word; that it is an object is checked.
 * @throws StreamedError for an event that reports an error, by its name, its type or an error in it.
 * @throws StreamFault for an event that is no JSON object.
 */
export function jsonEvent<Event extends object>(sse: SseEvent, headers: Headers): Event {
  let value: unknown;
  try {
    value = JSON.parse(sse.data);
  } catch {
    if (sse.event === "error") throw new StreamedError(sse.data, headers);
    throw new StreamFault(malformed(sse.data));
  }
  const error = errorIn(value);
  if (error !== undefined || sse.event === "error") throw new StreamedError(error ?? value, headers);
  if (typeof value !== "object" || value === null) throw new StreamFault(malformed(sse.data));
  return value as Event;
}

const malformed = (data: string) =>
  interrupted("malformed-event", `An event of the stream is no whole JSON object: ${data.slice(0, 200)}`, "Half an event is a stream that was cut or garbled.");
