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
};
