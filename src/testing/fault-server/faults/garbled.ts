import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import { piecesBefore, pointArgument } from "../point.ts";

/** Bytes that are no text in any encoding in use; the same each time. */
const GARBAGE = Uint8Array.from({ length: 64 }, (_, index) => (index * 37 + 128) % 256);

/** 0xC3 opens a sequence of two bytes, which "(" cannot end. */
const INVALID_UTF8 = Uint8Array.of(0xc3, 0x28);

const HTML = "<html><head><title>502 Bad Gateway</title></head><body>upstream closed</body></html>\n\n";

/** Faults that put into a stream what does not belong there. */
export const garbledFaults: Record<string, Fault> = {
  "broken-chunking": {
    title: "broken chunking",
    description: "At a point the size of the next chunk is no number.",
    usage: "broken-chunking:<point>",
    formats: ALL_FORMATS,
    examples: examples(["broken-chunking:start", "broken-chunking:half"], "stream_interrupted"),
    prepare: (words) => {
      const at = pointArgument(words, "half");
      return respond(async (exchange) => {
        await exchange.begin(at);
        await exchange.raw("ZZ\r\nno chunk\r\n");
        await exchange.end("fin");
      });
    },
  },
  garbage: {
    title: "garbage bytes",
    description: "At a point come 64 bytes that are no text, then a clean end.",
    usage: "garbage:<point>",
    formats: ALL_FORMATS,
    examples: examples(["garbage:start", "garbage:half"], "stream_interrupted"),
    prepare: (words) => {
      const at = pointArgument(words, "half");
      return respond(async (exchange) => {
        await exchange.begin(at);
        await exchange.send(GARBAGE);
        await exchange.send("\n\n");
        await exchange.end();
      });
    },
  },
  "invalid-utf8": {
    title: "invalid UTF-8",
    description: "One event in the middle has bytes that are no UTF-8 in what it says; the rest of the reply is good.",
    usage: "invalid-utf8",
    formats: ALL_FORMATS,
    examples: examples(["invalid-utf8"], "stream_interrupted"),
    prepare: () =>
      respond(async (exchange) => {
        const pieces = exchange.pieces();
        exchange.head();
        for (const [index, piece] of pieces.entries()) {
          const broken = index === piecesBefore("half", pieces) - 1;
          await exchange.send(broken ? corrupted(piece.bytes) : piece.bytes);
        }
        await exchange.end();
      }),
  },
  "half-event": {
    title: "half an event",
    description: "In the middle one event's JSON is cut: the stream ends there, or a blank line follows and the reply goes on.",
    usage: "half-event:<end|blank>",
    formats: ALL_FORMATS,
    examples: examples(["half-event:end", "half-event:blank"], "stream_interrupted"),
    prepare: (words) => {
      const how = words.oneOf("what follows", ["end", "blank"], "end");
      return respond(async (exchange) => {
        const pieces = exchange.pieces();
        const middle = piecesBefore("half", pieces);
        const event = pieces[middle]?.bytes ?? "";
        await exchange.begin("half");
        await exchange.send(event.slice(0, Math.floor(event.length * 0.6)));
        if (how === "blank") {
          await exchange.send("\n\n");
          for (const piece of pieces.slice(middle + 1)) await exchange.send(piece.bytes);
        }
        await exchange.end();
      });
    },
  },
  "html-in-stream": {
    title: "HTML in the middle of a stream",
    description: "In the middle a gateway puts its error page, then a clean end.",
    usage: "html-in-stream",
    formats: ALL_FORMATS,
    examples: examples(["html-in-stream"], "stream_interrupted"),
    prepare: () =>
      respond(async (exchange) => {
        await exchange.begin("half");
        await exchange.send(HTML);
        await exchange.end();
      }),
  },
  "gzip-garbage": {
    title: "garbage for gzip",
    description: "The headers say gzip, the body is no gzip.",
    usage: "gzip-garbage",
    formats: ALL_FORMATS,
    examples: examples(["gzip-garbage"], "stream_interrupted"),
    prepare: () =>
      respond(async (exchange) => {
        exchange.head({ headers: { "content-encoding": "gzip" } });
        await exchange.send(GARBAGE);
        await exchange.end();
      }),
  },
};

/** The piece with bytes that are no UTF-8 in front of the last letter of what it says. */
function corrupted(bytes: string): Uint8Array {
  const at = bytes.search(/[a-zA-Z]\s*\\?"[^"a-zA-Z]*(?:[a-z_]+":|[}\]])/u);
  const place = at === -1 ? bytes.length - 1 : at;
  return Buffer.concat([Buffer.from(bytes.slice(0, place)), INVALID_UTF8, Buffer.from(bytes.slice(place))]);
}
