import { createBrowserInspector, createBrowserReceiver, type StatelyInspectionEvent } from "@statelyai/inspect";
import { describe, expect, test } from "vitest";
import { connectStately } from "../../src/inspect/index.ts";
import { ALL_REPLIES, liveThroughAll, liveThroughRetry, OVERLOADED, stage } from "./sessions.ts";

type Listener = (event: { data: unknown }) => void;

/** The two ends of a browser's `postMessage`: the page with the inspector, and the one with the receiver. */
function windows(): { page: Window; receiverPage: Window } {
  const make = () => {
    const listeners: Listener[] = [];
    return {
      listeners,
      addEventListener: (_type: string, listener: Listener) => void listeners.push(listener),
      postMessage: (data: unknown) => {
        for (const listener of listeners) listener({ data: structuredClone(data) });
      },
    };
  };
  const [page, other] = [make(), make()];
  const receiverPage = Object.assign(other, { opener: page });
  Object.assign(receiverPage, { self: receiverPage, top: receiverPage });
  Object.assign(page, { open: () => receiverPage });
  return { page: page as unknown as Window, receiverPage: receiverPage as unknown as Window };
}

/** A session that is told to the package's own inspector, and what the package's own receiver makes of it. */
function connected(staged: ReturnType<typeof stage>): { received: StatelyInspectionEvent[]; disconnect: () => void } {
  const { page, receiverPage } = windows();
  const inspector = createBrowserInspector({ window: page });
  const received: StatelyInspectionEvent[] = [];
  createBrowserReceiver({ window: receiverPage }).subscribe((event) => received.push(event));
  return { received, disconnect: connectStately(staged.session, inspector) };
}

describe("the Stately inspector", () => {
  test("is told of the session as an actor with its statechart, and of its subscribers", async () => {
    const { received } = connected(stage([]));
    const [session, subscribers] = received;
    expect(session).toMatchObject({ type: "@xstate.actor", name: "session", snapshot: { status: "active", value: "idle" } });
    expect(subscribers).toMatchObject({ type: "@xstate.actor", name: "subscribers", parentId: session?.sessionId });
    const definition = JSON.parse(session?.type === "@xstate.actor" ? (session.definition ?? "") : "") as {
      id: string;
      states: object;
    };
    expect(definition.id).toBe("session");
    expect(Object.keys(definition.states)).toEqual(["idle", "running", "deciding", "backoff", "compacting", "settled"]);
  });

  test("is told of each step as an event and a snapshot, in the shape XState gives them", async () => {
    const staged = stage([OVERLOADED, "It is built."]);
    const { received } = connected(staged);
    await liveThroughRetry(staged);
    const snapshots = received.flatMap((event) => (event.type === "@xstate.snapshot" ? [event] : []));
    expect(snapshots.map(({ snapshot, event }) => [event.type, "value" in snapshot ? snapshot.value : undefined])).toEqual([
      ["PROMPT", { running: "live" }],
      ["xstate.done.actor.agentRun", "backoff"],
      ["xstate.done.actor.retryWait", { running: "live" }],
      ["GOOD_MESSAGE", { running: "live" }],
      ["xstate.done.actor.agentRun", "settled"],
    ]);
    const events = received.filter((event) => event.type === "@xstate.event");
    expect(events.map(({ event }) => event.type)).toEqual(
      expect.arrayContaining(["PROMPT", "agent_start", "auto_retry_start", "agent_settled"]),
    );
    for (const event of received)
      expect(event).toMatchObject({
        rootId: staged.session.id,
        _version: expect.stringMatching(/^\d/),
        createdAt: expect.stringMatching(/^\d+$/),
      });
  });

  test("is told nothing that was said, and little at a time", async () => {
    const staged = stage(ALL_REPLIES);
    const { received } = connected(staged);
    await liveThroughAll(staged);
    const [, , ...steps] = received;
    const text = JSON.stringify(steps);
    for (const said of ["Hello", "built", "everything", "summary.", "overloaded_error", "too long", "other file"])
      expect(text).not.toContain(said);
    expect(Math.max(...steps.map((event) => JSON.stringify(event).length))).toBeLessThan(1500);
  });

  test("is told no more once it is disconnected", async () => {
    const staged = stage(["Hello."]);
    const { received, disconnect } = connected(staged);
    disconnect();
    const { length } = received;
    await staged.session.prompt("Hello");
    expect(received).toHaveLength(length);
  });

  test("sees the session stop", async () => {
    const staged = stage([]);
    const { received } = connected(staged);
    await staged.session.dispose();
    expect(received.at(-1)).toMatchObject({ type: "@xstate.snapshot", snapshot: { status: "stopped" } });
  });
});
