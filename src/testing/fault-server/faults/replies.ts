import type { Exchange } from "../exchange.ts";
import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import type { FaultReply } from "../reply.ts";

/** Plays a good reply. */
export async function sendReply(exchange: Exchange, reply: FaultReply = exchange.reply): Promise<void> {
  exchange.head();
  await exchange.sendUntil("end", exchange.pieces(reply));
  await exchange.end();
}

/** The steps with no fault in them. */
export const replies: Record<string, Fault> = {
  reply: {
    title: "a good reply",
    description: "The whole reply, as the server's options or the step have it.",
    usage: "reply[:<text>]",
    formats: ALL_FORMATS,
    examples: examples(["reply"], "answer"),
    prepare: (words) => {
      const text = words.text("");
      return respond((exchange) => sendReply(exchange, text === "" ? exchange.reply : { text }));
    },
  },
  "tool-call": {
    title: "a good tool call",
    description: "A reply that calls one tool: the one of the server's options.",
    usage: "tool-call",
    formats: ALL_FORMATS,
    examples: examples(["tool-call"], "answer"),
    prepare: () => respond((exchange) => sendReply(exchange, { toolCalls: [exchange.toolCall] })),
  },
  framing: {
    title: "a good reply in unusual bytes",
    description:
      "A whole reply, framed in a way the event-stream format allows: every byte by itself, CRLF at line ends, a byte order " +
      "mark at the start, no space after the colon, comments between events.",
    usage: "framing:<bytes|crlf|bom|no-space|comments>",
    formats: ALL_FORMATS,
    examples: examples(["framing:bytes", "framing:crlf", "framing:bom", "framing:no-space", "framing:comments"], "answer"),
    prepare: (words) => {
      const how = words.oneOf("the framing", ["bytes", "crlf", "bom", "no-space", "comments"], "bytes");
      return respond(async (exchange) => {
        exchange.head();
        const body = exchange.pieces().map((piece) => piece.bytes);
        if (how === "bytes") for (const byte of Buffer.from(body.join(""))) await exchange.send(Uint8Array.of(byte));
        else for (const piece of reframed(how, body, exchange.request.stream)) await exchange.send(piece);
        await exchange.end();
      });
    },
  },
};

function reframed(how: "crlf" | "bom" | "no-space" | "comments", body: readonly string[], stream: boolean): string[] {
  if (!stream) return [...body];
  if (how === "crlf") return body.map((event) => event.replaceAll("\n", "\r\n"));
  if (how === "bom") return ["\uFEFF", ...body];
  if (how === "comments") return body.flatMap((event) => [": comment\n\n", event]);
  return body.map((event) => event.replaceAll(/^(event|data): /gmu, "$1:"));
}
