import { gzipSync } from "node:zlib";
import { ENDINGS } from "../exchange.ts";
import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import { piecesBefore, pointArgument } from "../point.ts";

/** Faults that end a reply before its end, or its connection right after. */
export const cutFaults: Record<string, Fault> = {
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
        const body = pieces
          .slice(0, piecesBefore(at, pieces))
          .map((piece) => piece.bytes)
          .join("");
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
    prepare: () =>
      respond(async (exchange) => {
        await exchange.begin("end");
        await exchange.end("rst");
      }),
  },
};
