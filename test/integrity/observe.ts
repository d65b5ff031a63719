import { readReply } from "../../src/model/read-reply.ts";
import type { AssistantMessage, ModelEvent, ModelRequest } from "../../src/model/types.ts";
import { startFaultServer } from "../../src/testing/fault-server.ts";
import type { Case } from "./cases.ts";
import { CountingClock } from "./counting-clock.ts";

/** What came of one case. */
export interface Observed {
  message: AssistantMessage;
  events: ModelEvent["type"][];
  elapsedMs: number;
  /** Of the time limits, when it was over. */
  timersLeft: number;
  /** To the server, as soon as the client can have let go of them. */
  connectionsLeft: number;
}

/** The time limit in a case that only a time limit ends, and in one that has to end by itself. */
const ENDLESS_LIMIT_MS = 300;
const AMPLE_LIMIT_MS = 20_000;

/**
 * Connections that outlive the reply. Node's fetch does not end a TLS handshake that is under way when its request is aborted;
 * its own limit for connecting does, ten seconds long.
 */
export function connectionsAllowed({ step }: Case): number {
  return step === "not-tls:silent" ? 1 : 0;
}

/** How long a connection may live on after the reply: adapters wait a little for its end, to use it again. */
const LET_GO_WITHIN_MS = 3000;

const DELETE_FILES = {
  name: "delete_files",
  description: "Deletes files.",
  parameters: { type: "object", properties: { path: { type: "string" }, recursive: { type: "boolean" } } },
};

export function requestOf({ mode }: Case): ModelRequest {
  const messages = [{ role: "user", content: "Delete the old files.", timestamp: 0 }] as const;
  return mode.name === "raw" ? { messages } : { messages, tools: [DELETE_FILES] };
}

/** Plays the case's step to its adapter, and reads the reply to its end. */
export async function observe(played: Case): Promise<Observed> {
  const { adapter, mode, example } = played;
  const clock = new CountingClock();
  const onlyLimitEnds = example.endless === true && !played.means.includes("answer");
  const limit = onlyLimitEnds ? ENDLESS_LIMIT_MS : AMPLE_LIMIT_MS;
  const toolCall = mode.reply.toolCalls?.[0];
  await using server = await startFaultServer({
    script: [played.step],
    afterScript: "repeat",
    reply: mode.reply,
    ...(toolCall === undefined ? {} : { toolCall }),
  });
  const events: ModelEvent["type"][] = [];
  const startedAt = performance.now();
  const message = await readReply(adapter.model(server.url), requestOf(played), {
    signal: new AbortController().signal,
    clock,
    limits: { firstEventMs: limit, idleMs: limit },
    onEvent: (event) => events.push(event.type),
  });
  const elapsedMs = performance.now() - startedAt;
  const timersLeft = clock.pending;
  const giveUpAt = performance.now() + LET_GO_WITHIN_MS;
  while (server.connections > connectionsAllowed(played) && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, 2));
  return { message, events, elapsedMs, timersLeft, connectionsLeft: server.connections };
}
