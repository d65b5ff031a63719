import { expect, test } from "vitest";
import { readReply } from "../../src/model/read-reply.ts";
import { systemClock } from "../../src/retry/clock.ts";
import { startFaultServer } from "../../src/testing/fault-server.ts";
import { adapters } from "./adapters.ts";
import { collectUntil } from "./process-state.ts";

const REPLIES = 20;

test.each(adapters)("$name keeps no response of a reply that is over, however it ended", async (adapter) => {
  const bodies: WeakRef<ReadableStream>[] = [];
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.body) bodies.push(new WeakRef(response.body));
    return response;
  };
  const steps = ["cut:half:clean", "cut:half:rst", "error-event:overloaded", "invalid-utf8", "reply"];
  await using server = await startFaultServer({ script: steps, afterScript: "repeat" });
  const model = adapter.model(server.url, watched);
  for (let n = 0; n < REPLIES; n += 1) {
    await readReply(
      model,
      { messages: [{ role: "user", content: "hi", timestamp: 0 }] },
      { signal: new AbortController().signal, clock: systemClock },
    );
  }
  expect(bodies).toHaveLength(REPLIES);
  const kept = (): number => bodies.filter((body) => body.deref() !== undefined).length;
  await collectUntil(() => kept() === 0);
  expect(kept()).toBe(0);
});
