import { gzipSync } from "node:zlib";
import { ENDINGS } from "../exchange.ts";
import type { Exchange } from "../exchange.ts";
import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import { piecesBefore, pointArgument } from "../point.ts";

/** Bytes that are no text in any encoding in use; the same each time. */
const GARBAGE = Uint8Array.from({ length: 64 }, (_, index) => (index * 37 + 128) % 256);

/** 0xC3 opens a sequence of two bytes, which "(" cannot end. */
const INVALID_UTF8 = Uint8Array.of(0xc3, 0x28);

const HTML = "<html><head><title>502 Bad Gateway</title></head><body>upstream closed</body></html>\n\n";

async function breakAt(exchange: Exchange, at: Parameters<typeof piecesBefore>[0], then: () => Promise<void>): Promise<void> {
  exchange.head();
  await exchange.sendUntil(at);
  await then();
}

/** The first event at or after the middle of what is said. */
function middleEvent(exchange: Exchange): string {
  const pieces = exchange.pieces();
  return pieces[piecesBefore("half", pieces)]?.bytes ?? "";
}

/** Faults that break the bytes of a stream. */
export const brokenStreamFaults: Record<string, Fault> = {
  cut: {
    title: "cut stream",
    description:
      "The reply stops at a point: by FIN without the last chunk, by RST, by a clean end of the chunks, or by the close of a " +
      "body without a length (eof). The last two look like a whole response to HTTP.",
    usage: "cut:<point>:<fin|rst|clean|eof>",
    formats: ALL_FORMATS,
    examples: examples(
      ["start", "half", "content", "finish"].flatMap((place) => ENDINGS.map((how) => `cut:${place}:${how}`)),
      "stream_interrupted",
    ),
    prepare: (words) => {
      const at = pointArgument(words, "half");
      const how = words.oneOf("the ending", ENDINGS, "fin");
      return respond(async (exchange) => {
        exchange.head({ untilClose: how === "eof" });
        await exchange.sendUntil(at);
        await exchange.end(how);
      });
    },
  },
  "cut-tool-call": {
    title: "cut tool call",
    description:
      "A reply that calls a tool stops while the arguments stream: before the first of them (nothing, which some clients read " +
      "as no arguments), in the middle, or when they are whole and would parse.",
    usage: "cut-tool-call:<none|middle|whole>:<fin|rst|clean|eof>",
    formats: ALL_FORMATS,
    examples: examples(
      ["none", "middle", "whole"].flatMap((place) => ENDINGS.map((how) => `cut-tool-call:${place}:${how}`)),
      "stream_interrupted",
    ),
    prepare: (words) => {
      const points = { none: "opening", middle: "half", whole: "content" } as const;
      const place = points[words.oneOf("the place", ["none", "middle", "whole"], "whole")];
      const how = words.oneOf("the ending", ENDINGS, "clean");
      return respond(async (exchange) => {
        const pieces = exchange.pieces({ toolCalls: [exchange.toolCall] });
        const opening = pieces.findLastIndex((piece) => piece.part === "opening") + 1;
        exchange.head({ untilClose: how === "eof" });
        await exchange.sendUntil(place === "opening" ? opening : place, pieces);
        await exchange.end(how);
      });
    },
  },
  "short-body": {
    title: "body shorter than its length",
    description: "The headers promise more bytes than come before a point; then FIN.",
    usage: "short-body:<point>",
    formats: ALL_FORMATS,
    examples: examples(["short-body:half", "short-body:finish"], "stream_interrupted"),
    prepare: (words) => {
      const at = pointArgument(words, "half");
      return respond(async (exchange) => {
        const pieces = exchange.pieces();
        const length = Buffer.byteLength(pieces.map((piece) => piece.bytes).join(""));
        exchange.head({ headers: { "content-length": String(length) } });
        await exchange.sendUntil(at, pieces);
        await exchange.end("fin");
      });
    },
  },
  "broken-chunking": {
    title: "broken chunking",
    description: "At a point the size of the next chunk is no number.",
    usage: "broken-chunking:<point>",
    formats: ALL_FORMATS,
    examples: examples(["broken-chunking:start", "broken-chunking:half"], "stream_interrupted"),
    prepare: (words) => {
      const at = pointArgument(words, "half");
      return respond((exchange) =>
        breakAt(exchange, at, async () => {
          await exchange.raw("ZZ\r\nno chunk\r\n");
          await exchange.end("fin");
        }),
      );
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
      return respond((exchange) =>
        breakAt(exchange, at, async () => {
          await exchange.send(GARBAGE);
          await exchange.send("\n\n");
          await exchange.end();
        }),
      );
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
      return respond((exchange) =>
        breakAt(exchange, "half", async () => {
          const pieces = exchange.pieces();
          const event = middleEvent(exchange);
          await exchange.send(event.slice(0, Math.floor(event.length * 0.6)));
          if (how === "blank") {
            await exchange.send("\n\n");
            for (const piece of pieces.slice(piecesBefore("half", pieces) + 1)) await exchange.send(piece.bytes);
          }
          await exchange.end();
        }),
      );
    },
  },
  "html-in-stream": {
    title: "HTML in the middle of a stream",
    description: "In the middle a gateway puts its error page, then a clean end.",
    usage: "html-in-stream",
    formats: ALL_FORMATS,
    examples: examples(["html-in-stream"], "stream_interrupted"),
    prepare: () =>
      respond((exchange) =>
        breakAt(exchange, "half", async () => {
          await exchange.send(HTML);
          await exchange.end();
        }),
      ),
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
  "gzip-cut": {
    title: "truncated gzip",
    description: "A gzip body that stops at a point, with a clean end of the chunks.",
    usage: "gzip-cut:<point>",
    formats: ALL_FORMATS,
    examples: examples(["gzip-cut:half", "gzip-cut:finish"], "stream_interrupted"),
    prepare: (words) => {
      const at = pointArgument(words, "half");
      return respond(async (exchange) => {
        const pieces = exchange.pieces();
        const body = pieces.slice(0, piecesBefore(at, pieces)).map((piece) => piece.bytes).join("");
        exchange.head({ headers: { "content-encoding": "gzip" } });
        // Without its last eight bytes, checksum and length, the body decodes whole and still is not.
        await exchange.send(gzipSync(body).subarray(0, -8));
        await exchange.end();
      });
    },
  },
  "reset-after-end": {
    title: "connection reset after the end",
    description: "A whole reply, terminal event included, then RST in place of the last chunk.",
    usage: "reset-after-end",
    formats: ALL_FORMATS,
    examples: examples(["reset-after-end"], "answer"),
    prepare: () => respond((exchange) => breakAt(exchange, "end", () => exchange.end("rst"))),
  },
};

/** The piece with bytes that are no UTF-8 in front of the last letter of what it says. */
function corrupted(bytes: string): Uint8Array {
  const at = bytes.search(/[a-zA-Z]\s*\\?"[^"a-zA-Z]*(?:[a-z_]+":|[}\]])/u);
  const place = at === -1 ? bytes.length - 1 : at;
  return Buffer.concat([Buffer.from(bytes.slice(0, place)), INVALID_UTF8, Buffer.from(bytes.slice(place))]);
}
