import { describe, expect, test } from "vitest";
import { createInspector, readTrace, recordTrace } from "../../src/inspect/index.ts";
import { listen, recordsOf, send } from "./requests.ts";
import { liveThroughRetry, OVERLOADED, stage, untilState } from "./sessions.ts";

type Told = { event: string; data: unknown }[];
const hasSettled = (session: string) => (events: Told) =>
  recordsOf(events, session).some((record) => record.kind === "event" && record.event.type === "agent_settled");

describe("an inspector", () => {
  test("tells a page that is open what happens, and one that comes later the same", async () => {
    const staged = stage([OVERLOADED, "It is built."]);
    await using inspector = await createInspector();
    inspector.attach(staged.session);
    const watching = listen(`${inspector.url}events`, hasSettled("1"));
    await liveThroughRetry(staged);
    const live = recordsOf(await watching, "1");
    const later = recordsOf(await listen(`${inspector.url}events`, hasSettled("1")), "1");
    expect(later.slice(0, live.length)).toEqual(live);
    expect(later.filter(({ kind }) => kind === "session")).toHaveLength(1);
  });

  test("tells a page of sessions that are attached after it was opened, each once", async () => {
    const [one, other] = [stage(["One."]), stage(["Two."])];
    await using inspector = await createInspector();
    inspector.attach(one.session);
    const watching = listen(`${inspector.url}events`, hasSettled("2"));
    await one.session.prompt("Hello");
    inspector.attach(other.session);
    await other.session.prompt("Hello");
    const events = await watching;
    expect(recordsOf(events, "2").filter(({ kind }) => kind === "session")).toHaveLength(1);
    expect(events.filter(({ event }) => event === "hello").at(-1)?.data).toMatchObject({
      sessions: [{ key: "1" }, { key: "2" }],
    });
  });

  test("shows a trace as a session that is not live", async () => {
    const staged = stage(["Hello."]);
    let text = "";
    recordTrace(staged.session, (line) => (text += line));
    await staged.session.prompt("Hello");
    await using inspector = await createInspector();
    inspector.show("hello.trace", readTrace(text));
    const events = await listen(`${inspector.url}events`, hasSettled("1"));
    expect(events[0]?.data).toMatchObject({ sessions: [{ key: "1", title: "hello.trace", live: false }] });
  });

  test("of sessions that have ended it keeps the last 20: a server that attaches all of its sessions does not grow", async () => {
    await using inspector = await createInspector();
    for (let index = 0; index < 30; index += 1) {
      const { session } = stage([]);
      inspector.attach(session);
      if (index > 0) await session.dispose();
    }
    const [hello] = await listen(`${inspector.url}events`, (seen) => seen.length > 0);
    const keys = (hello?.data as { sessions: { key: string }[] } | undefined)?.sessions.map(({ key }) => Number(key));
    // The first still lives; the last had not ended yet when it was attached.
    expect(keys).toEqual([1, ...Array.from({ length: 21 }, (_, index) => index + 10)]);
  });

  test("with control, the page aborts, gives up a retry, compacts and steers", async () => {
    const staged = stage(["Hello.", OVERLOADED, { text: "Looking", hang: true }, "Steered."]);
    const { session } = staged;
    await using inspector = await createInspector({ control: true });
    inspector.attach(session);
    const ask = (action: object) =>
      send(`${inspector.url}control`, {
        method: "POST",
        headers: { origin: new URL(inspector.url).origin },
        body: JSON.stringify({ session: "1", ...action }),
      });

    await session.prompt("Hello");
    expect(await ask({ action: "compact" })).toMatchObject({ status: 409, body: expect.stringContaining("error") });
    const failed = session.prompt("Build it");
    await untilState(session, "backoff");
    expect((await ask({ action: "abortRetry" })).status).toBe(200);
    expect((await failed).status).toBe("failed");
    const aborted = session.prompt("Look");
    await untilState(session, "running");
    expect((await ask({ action: "abort" })).status).toBe(200);
    expect((await aborted).status).toBe("aborted");
    expect((await ask({ action: "steer", text: "Go on" })).status).toBe(200);
    await session.whenIdle();
    expect(session.messages.at(-1)).toMatchObject({ content: [{ text: "Steered." }] });
  });

  test("closed, it is gone, and the session goes on", async () => {
    const staged = stage(["Hello.", "Hello again."]);
    const inspector = await createInspector();
    inspector.attach(staged.session);
    await staged.session.prompt("Hello");
    await inspector.close();
    await expect(send(inspector.url)).rejects.toThrow("ECONNREFUSED");
    expect((await staged.session.prompt("Again")).status).toBe("completed");
  });

  test("on a port that is taken it says so", async () => {
    await using inspector = await createInspector();
    const port = Number(new URL(inspector.url).port);
    await expect(createInspector({ port })).rejects.toThrow("EADDRINUSE");
  });
});
