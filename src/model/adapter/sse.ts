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
  /** The beginning of a line that has not ended yet. */
  #rest = "";
  #heldBreak = "";
  #event: string | undefined;
  #data: string | undefined;
  #seenEvents = false;

  /** The events that `text` completes. */
  push(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    if (this.foreign !== undefined) {
      this.foreign += text;
      return events;
    }
    const lines = this.#withPlainBreaks(text);
    let start = 0;
    for (let end = lines.indexOf("\n"); end !== -1; end = lines.indexOf("\n", start)) {
      const line = this.#rest + lines.slice(start, end);
      if (!this.#line(line, events)) {
        this.foreign = line + lines.slice(end);
        return events;
      }
      this.#rest = "";
      start = end + 1;
    }
    // Only appended to, never looked through: a line of many pieces would take the square of its length.
    this.#rest += lines.slice(start);
    return events;
  }

  /** The end of the text: the events that only lacked their blank line. */
  end(): SseEvent[] {
    const events = this.foreign === undefined && (this.#rest !== "" || this.#heldBreak !== "") ? this.push("\n") : [];
    if (this.foreign === undefined) this.#dispatch(events);
    return events;
  }

  /** Makes each line break a line feed. A carriage return at the end is held back, for it may be half of one. */
  #withPlainBreaks(text: string): string {
    const whole = this.#heldBreak + text;
    if (!whole.includes("\r")) return whole;
    this.#heldBreak = whole.endsWith("\r") ? "\r" : "";
    return (this.#heldBreak === "" ? whole : whole.slice(0, -1)).replace(/\r\n?/g, "\n");
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
