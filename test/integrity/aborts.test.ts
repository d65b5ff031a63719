import { describe, expect, test } from "vitest";
import { readReply } from "../../src/model/read-reply.ts";
import type { AssistantMessage } from "../../src/model/types.ts";
import { startFaultServer } from "../../src/testing/fault-server.ts";
import { adapters } from "./adapters.ts";
import type { Case } from "./cases.ts";
import { casesOf, modes } from "./cases.ts";
import { CountingClock } from "./counting-clock.ts";
import { connectionsAllowed, requestOf } from "./observe.ts";

const LET_GO_WITHIN_MS = 3000;

/** Steps that have no end of their own, and are no answer by then: the user's signal is all that ends them. */
function endless(played: Case): boolean {
  return played.example.endless === true && !played.means.includes("answer");
}

interface Aborted {
  message: AssistantMessage;
  timersLeft: number;
  connectionsLeft: number;
}

/** Reads a reply and aborts it when the step is on: its request or, where there is none, its connection has come. */
async function abortIn(played: Case, reason: unknown): Promise<Aborted> {
  await using server = await startFaultServer({ script: [played.step], reply: played.mode.reply });
  const user = new AbortController();
  const clock = new CountingClock();
  const reading = readReply(played.adapter.model(server.url), requestOf(played), {
    signal: user.signal,
    clock,
    limits: { firstEventMs: 60_000, idleMs: 60_000, totalMs: 60_000 },
  });
  while (server.connections === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  user.abort(reason);
  const message = await reading;
  const timersLeft = clock.pending;
  const giveUpAt = performance.now() + LET_GO_WITHIN_MS;
  while (server.connections > connectionsAllowed(played) && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, 2));
  return { message, timersLeft, connectionsLeft: server.connections };
}

describe.each(adapters)("$name", (adapter) => {
  const cases = modes
    .slice(0, 1)
    .flatMap((mode) => casesOf(adapter, mode))
    .filter(endless);

  test.each(cases)("$step is ended by the user's signal, whatever its reason says", async (played) => {
    for (const reason of [
      undefined,
      "429 rate limit",
      new Error("fetch failed: ECONNRESET"),
      new DOMException("timed out", "TimeoutError"),
    ]) {
      const { message, timersLeft, connectionsLeft } = await abortIn(played, reason);
      expect(message).toMatchObject({ stopReason: "aborted", errorMessage: "Request was aborted" });
      expect(message).not.toHaveProperty("failure");
      expect([timersLeft, connectionsLeft <= connectionsAllowed(played)]).toEqual([0, true]);
    }
  });

  test("a reply whose signal has aborted before is never asked for", async () => {
    await using server = await startFaultServer();
    const messages = [{ role: "user", content: "hi", timestamp: 0 }] as const;
    const options = { signal: AbortSignal.abort(), clock: new CountingClock() };
    expect(await readReply(adapter.model(server.url), { messages }, options)).toMatchObject({ stopReason: "aborted" });
    expect(server.requests).toHaveLength(0);
  });
});
