import { expect, test } from "vitest";
import { anthropic } from "../../src/model/anthropic/index.ts";
import { openaiChat, openaiResponses } from "../../src/model/openai/index.ts";
import { readReply } from "../../src/model/read-reply.ts";
import type { Model } from "../../src/model/types.ts";
import { systemClock } from "../../src/retry/clock.ts";
import { startFaultServer } from "../../src/testing/fault-server.ts";
import { collectUntil } from "./process-state.ts";

const REPLIES = 20;

interface Options {
  model: string;
  apiKey: string;
  baseURL: string;
  fetch: typeof fetch;
}

const MAKERS: readonly [name: string, make: (options: Options) => Model][] = [
  ["anthropic", anthropic],
  ["openaiChat", openaiChat],
  ["openaiResponses", openaiResponses],
];

test.each(MAKERS)("%s keeps no response of a reply that is over, however it ended", async (_name, make) => {
  const bodies: WeakRef<ReadableStream>[] = [];
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.body) bodies.push(new WeakRef(response.body));
    return response;
  };
  const steps = ["cut:half:clean", "cut:half:rst", "error-event:overloaded", "invalid-utf8", "reply"];
  await using server = await startFaultServer({ script: steps, afterScript: "repeat" });
  const model = make({ model: "test", apiKey: "test", baseURL: server.url, fetch: watched });
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
