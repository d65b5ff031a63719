import { createActor, type EventFrom } from "xstate";
import { expect, test } from "vitest";
import { sessionMachine } from "../../machines/session.ts";
import type { SessionMachineEmitted } from "../../machines/types.ts";
import { failedRun, failure, input, outcome, overflow, OVER } from "./facts.ts";
import { PureHost } from "./host.ts";

type Event = EventFrom<typeof sessionMachine>;

/** Two failures and a good reply, a threshold compaction, an overflow that is recovered, and an abort. */
const story: Event[] = [
  { type: "PROMPT", contextTokens: 100 },
  { type: "xstate.done.actor.agentRun", output: failedRun(failure(), { token: 1 }) },
  { type: "xstate.done.actor.retryWait", output: { token: 2 } },
  { type: "xstate.done.actor.agentRun", output: failedRun(failure(), { token: 3, endedAt: 5_000 }) },
  { type: "FOLLOW_UP", id: "f1", contextTokens: 100 },
  { type: "xstate.done.actor.retryWait", output: { token: 4 } },
  { type: "GOOD_MESSAGE", token: 5 },
  { type: "DELIVERED", token: 5, ids: ["f1"] },
  { type: "xstate.done.actor.agentRun", output: outcome({ token: 5, contextTokens: OVER }) },
  { type: "xstate.done.actor.compaction", output: { token: 6, status: "done", contextTokens: 50, entryId: "c1" } },
  { type: "PROMPT", contextTokens: 100 },
  { type: "xstate.done.actor.agentRun", output: failedRun(overflow, { token: 7 }) },
  { type: "xstate.done.actor.compaction", output: { token: 8, status: "done", contextTokens: 50, entryId: "c2" } },
  { type: "xstate.done.actor.agentRun", output: outcome({ token: 9 }) },
  { type: "PROMPT", contextTokens: 100 },
  { type: "ABORT", at: 9_000 },
  { type: "xstate.done.actor.abortGrace", output: { token: 10 } },
];

test("one story gives the same states and says the same under createActor and under transition()", () => {
  const pure = new PureHost(input);
  const actor = createActor(sessionMachine, { input });
  const said: SessionMachineEmitted[] = [];
  actor.on("*", (event) => said.push(event));
  actor.start();
  const states: unknown[] = [];
  for (const event of story) {
    said.length = 0;
    pure.send(event);
    actor.send(event);
    const { value, context } = actor.getSnapshot();
    expect({ value, context, said }).toEqual({ value: pure.state, context: pure.snapshot.context, said: pure.said });
    states.push(value);
  }
  expect(states).toEqual([
    { running: "live" },
    "backoff",
    { running: "live" },
    "backoff",
    "backoff",
    { running: "live" },
    { running: "live" },
    { running: "live" },
    "compacting",
    "settled",
    { running: "live" },
    "compacting",
    { running: "live" },
    "settled",
    { running: "live" },
    { running: "aborting" },
    "settled",
  ]);
});

test("context, events and what is said are plain JSON", () => {
  const pure = new PureHost(input);
  for (const event of story) {
    pure.send(event);
    expect(JSON.parse(JSON.stringify(pure.snapshot.context))).toEqual(pure.snapshot.context);
    expect(JSON.parse(JSON.stringify(pure.said))).toEqual(pure.said);
  }
});

test("a snapshot survives JSON in the middle of the story, and the story goes on from it", () => {
  const whole = new PureHost(input);
  for (const event of story) whole.send(event);
  const half = new PureHost(input);
  for (const event of story.slice(0, 9)) half.send(event);
  const snapshot = JSON.parse(JSON.stringify(sessionMachine.getPersistedSnapshot(half.snapshot)));
  const actor = createActor(sessionMachine, { input, snapshot }).start();
  for (const event of story.slice(9)) actor.send(event);
  expect(actor.getSnapshot().value).toEqual(whole.state);
  expect(actor.getSnapshot().context).toEqual(whole.snapshot.context);
});
