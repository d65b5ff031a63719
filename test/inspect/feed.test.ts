import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { assign, createActor, setup } from "xstate";
import { EventChannel } from "../../src/inspect/event-channel.ts";
import { liveFeed } from "../../src/inspect/feed.ts";
import { hostedMachine } from "../../src/session/hosted-machine.ts";
import { createSession, type Session } from "../../src/session/session.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";

test("of a long session the newest records are kept, and the first, which says where it began", async () => {
  const session = createSession({ model: scriptedModel(() => "Hello.", { record: false }) });
  const feed = liveFeed("1", session, () => undefined, {});
  for (let prompt = 0; prompt < 3500; prompt += 1) await session.prompt("Hello");
  expect(feed.records.length).toBeLessThanOrEqual(25_000);
  expect(feed.records[0]).toMatchObject({ kind: "session" });
  expect(feed.records.at(-1)).toMatchObject({ kind: "event", event: { type: "agent_settled" } });
});

test("a reader that does not read is let go, and costs bounded memory", async () => {
  const channel = new EventChannel();
  const server = createServer((_request, response) => channel.add(response, []));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const request = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.pause();
  expect(channel.readers).toBe(1);
  const gone = once(response, "error");
  const data = "x".repeat(1024 * 1024);
  for (let sent = 0; channel.readers > 0 && sent < 200; sent += 1) {
    channel.announce({ event: "records", data });
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  expect(channel.readers).toBe(0);
  response.resume();
  await gone;
  server.close();
});

test("of a session that a machine of one's own spawned, its own steps alone are told", async () => {
  const sessions: Session[] = [];
  const parent = setup({ actors: { session: hostedMachine } }).createMachine({
    entry: assign(({ spawn }) => {
      for (const id of ["one", "other"]) {
        const model = scriptedModel(["Hello."]);
        sessions.push(createSession({ model, spawn: (_machine, input) => spawn("session", { id, input }) }));
      }
      return {};
    }),
  });
  createActor(parent).start();
  const [one, other] = sessions;
  if (!one || !other) return expect.fail("The parent spawned no sessions.");
  const feed = liveFeed("1", one, () => undefined, {});
  const steps = () => feed.records.filter(({ kind }) => kind === "step").length;
  await other.prompt("Hello");
  expect(steps()).toBe(0);
  await one.prompt("Hello");
  expect(steps()).toBe(2);
});
