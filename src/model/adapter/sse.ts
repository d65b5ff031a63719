/** One server-sent event: its name, if it has one, and its data. */
export interface SseEvent {
  event: string | undefined;
  data: string;
}

const FIELD = /^[A-Za-z][\w-]*(?::|$)/;

/**
 * Decodes the text of an event stream. Unlike the standard asks, a line that belongs to no event stream (HTML, a JSON body,
 * a gateway's plain text) is not passed over: decoding stops there, and `foreign` holds the text from that line on.
 */
export class SseDecoder {
  /** What was found instead of an event stream; undefined as long as it is one. */
  foreign: string | undefined;
  #rest = "";
  #event: string | undefined;
  #data: string | undefined;
  #seenEvents = false;

  /** The events that `text` completes. */
  push(text: string): SseEvent[] {
    if (this.foreign !== undefined) {
      this.foreign += text;
      return [];
    }
    const events: SseEvent[] = [];
    let buffer = this.#rest + text;
    let held = "";
    if (buffer.includes("\r")) {
      // A carriage return at the end may be half of a line break.
      if (buffer.endsWith("\r")) {
        held = "\r";
        buffer = buffer.slice(0, -1);
      }
      buffer = buffer.replace(/\r\n?/g, "\n");
    }
    let start = 0;
    for (let end = buffer.indexOf("\n"); end !== -1; end = buffer.indexOf("\n", start)) {
      if (!this.#line(buffer.slice(start, end), events)) {
        this.foreign = buffer.slice(start) + held;
        return events;
      }
      start = end + 1;
    }
    this.#rest = buffer.slice(start) + held;
    return events;
  }

  /** The end of the text: the events that only lacked their blank line. */
  end(): SseEvent[] {
    const events = this.foreign === undefined && this.#rest !== "" ? this.push("\n") : [];
    if (this.foreign === undefined) this.#dispatch(events);
    return events;
  }

  /** Returns false for a line of something that is no event stream. */
  #line(line: string, events: SseEvent[]): boolean {
    if (line.startsWith("data:")) {
      const value = line.slice(line.charCodeAt(5) === 0x20 ? 6 : 5);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (line === "") {
      this.#dispatch(events);
    } else if (line.startsWith("event:")) {
      this.#event = line.slice(line.charCodeAt(6) === 0x20 ? 7 : 6);
    } else if (line.startsWith("error:")) {
      // Not in the standard: so llama.cpp reports an error.
      this.#event = "error";
      this.#data = line.slice(6).trimStart();
      this.#dispatch(events);
    } else if (!line.startsWith(":") && !/^(?:data|event|id|retry)(?::|$)/.test(line)) {
      // Fields of other names are to be ignored, but a first line that looks like one is the beginning of a plain text.
      return this.#seenEvents && FIELD.test(line);
    }
    return true;
  }

  #dispatch(events: SseEvent[]): void {
    if (this.#data !== undefined) {
      events.push({ event: this.#event, data: this.#data });
      this.#seenEvents = true;
    }
    this.#event = undefined;
    this.#data = undefined;
  }
}
