import type { Exchange } from "../exchange.ts";
import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import { frame } from "../formats/wire-format.ts";

/** What is sent of a reply's pieces, in this order. */
type Reframe = (pieces: readonly string[], exchange: Exchange) => Iterable<string | Uint8Array>;

const FRAMINGS = [
  "bytes",
  "crlf",
  "bom",
  "no-space",
  "comments",
  "fields",
  "unknown-events",
  "early-hints",
  "mislabelled",
] as const;

const unchanged: Reframe = (pieces) => pieces;

const REFRAMES: Readonly<Record<(typeof FRAMINGS)[number], Reframe>> = {
  bytes: (pieces) => Array.from(Buffer.from(pieces.join("")), (byte) => Uint8Array.of(byte)),
  crlf: (pieces) => pieces.map((event) => event.replaceAll("\n", "\r\n")),
  bom: (pieces) => ["\uFEFF", ...pieces],
  "no-space": (pieces) => pieces.map((event) => event.replaceAll(/^(event|data): /gmu, "$1:")),
  comments: (pieces) => pieces.flatMap((event) => [": comment\n\n", event]),
  fields: (pieces) => pieces.map((event, index) => `id: ${index}\nretry: 3000\n${event}`),
  "unknown-events": (pieces, exchange) => {
    const name = "fault_server.note";
    const named = exchange.format.name === "openai-completions" ? {} : { name };
    const note = frame({ ...named, data: JSON.stringify({ type: name, object: name, note: "nothing" }), part: "content" });
    return pieces.flatMap((event) => [note, event]).slice(1);
  },
  "early-hints": unchanged,
  mislabelled: unchanged,
};

/** Good replies in a form that not every client expects. */
export const framingFaults: Record<string, Fault> = {
  framing: {
    title: "a good reply in unusual bytes",
    description:
      "A whole reply, framed in a way a client has to take: every byte by itself, CRLF at line ends, a byte order mark at the " +
      "start, no space after the colon, comments between events, the fields id and retry, events of an unknown type, a 103 before " +
      "the 200, the content type of plain text.",
    usage: `framing:<${FRAMINGS.join("|")}>`,
    formats: ALL_FORMATS,
    examples: examples(
      FRAMINGS.map((how) => `framing:${how}`),
      "answer",
    ),
    prepare: (words) => {
      const how = words.oneOf("the framing", FRAMINGS, "bytes");
      return respond(async (exchange) => {
        const pieces = exchange.pieces().map((piece) => piece.bytes);
        if (how === "early-hints") await exchange.raw("HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n");
        exchange.head(how === "mislabelled" ? { headers: { "content-type": "text/plain" } } : {});
        for (const bytes of exchange.request.stream ? REFRAMES[how](pieces, exchange) : pieces) await exchange.send(bytes);
        await exchange.end();
      });
    },
  },
};
