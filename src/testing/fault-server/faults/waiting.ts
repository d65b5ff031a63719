import type { Exchange } from "../exchange.ts";
import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import { frame } from "../formats/wire-format.ts";
import { pointArgument } from "../point.ts";

const LONGEST_WAIT_MS = 3_600_000;

async function sendForEver(exchange: Exchange, bytes: string, everyMs: number): Promise<void> {
  while (!exchange.left.aborted) {
    await exchange.send(bytes);
    await exchange.pause(everyMs);
  }
}

/** Faults of time: nothing comes, or too slowly, or the end does not. */
export const waitingFaults: Record<string, Fault> = {
  "no-answer": {
    title: "no answer",
    description: "The request arrives and nothing comes back, not even headers.",
    usage: "no-answer",
    formats: ALL_FORMATS,
    examples: [{ step: "no-answer", means: ["timeout"], endless: true }],
    prepare: () => respond((exchange) => exchange.stall()),
  },
  stall: {
    title: "stalled stream",
    description: "The reply comes up to a point, then nothing more.",
    usage: "stall:<point>",
    formats: ALL_FORMATS,
    examples: ["start", "half", "content", "finish"].map((point) => {
      return { step: `stall:${point}`, means: ["timeout"], endless: true } as const;
    }),
    prepare: (words) => {
      const point = pointArgument(words, "half");
      return respond(async (exchange) => {
        await exchange.begin(point);
        await exchange.stall();
      });
    },
  },
  "keep-alive": {
    title: "endless keep-alives",
    description: "The reply comes up to a point, then comments for ever.",
    usage: "keep-alive:<point>:<ms between>",
    formats: ALL_FORMATS,
    examples: ["start", "half"].map((point) => {
      return { step: `keep-alive:${point}:10`, means: ["timeout"], endless: true } as const;
    }),
    prepare: (words) => {
      const point = pointArgument(words, "start");
      const everyMs = words.integer("the time between", 1000, 1, LONGEST_WAIT_MS);
      return respond(async (exchange) => {
        await exchange.begin(point);
        await sendForEver(exchange, ": keep-alive\n\n", everyMs);
      });
    },
  },
  ping: {
    title: "endless pings",
    description: "The reply comes up to a point, then the provider's own ping events for ever.",
    usage: "ping:<point>:<ms between>",
    formats: ["anthropic-messages"],
    examples: ["start", "half"].map((point) => {
      return { step: `ping:${point}:10`, means: ["timeout"], endless: true } as const;
    }),
    prepare: (words) => {
      const point = pointArgument(words, "start");
      const everyMs = words.integer("the time between", 1000, 1, LONGEST_WAIT_MS);
      return respond(async (exchange) => {
        await exchange.begin(point);
        const { ping } = exchange.format;
        await sendForEver(exchange, ping === undefined ? ": ping\n\n" : frame(ping), everyMs);
      });
    },
  },
  drip: {
    title: "slow drip",
    description: "A good reply with a wait before each event.",
    usage: "drip:<ms between>",
    formats: ALL_FORMATS,
    examples: examples(["drip:5"], "answer"),
    prepare: (words) => {
      const everyMs = words.integer("the time between", 100, 1, LONGEST_WAIT_MS);
      return respond(async (exchange) => {
        exchange.head();
        for (const piece of exchange.pieces()) {
          await exchange.pause(everyMs);
          await exchange.send(piece.bytes);
        }
        await exchange.end();
      });
    },
  },
  "never-close": {
    title: "no close after the end",
    description: "A whole reply, terminal event included, on a connection that is never closed.",
    usage: "never-close",
    formats: ALL_FORMATS,
    examples: [{ step: "never-close", means: ["answer"], endless: true }],
    prepare: () =>
      respond(async (exchange) => {
        await exchange.begin("end");
        await exchange.stall();
      }),
  },
};
