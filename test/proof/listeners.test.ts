/** Faults that random interleavings found: listeners that call back while the statechart is still telling. */
import { expect, test } from "vitest";
import { SessionBusyError } from "../../src/session/errors.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { createSession, type Session } from "../../src/session/session.ts";
import { ManualClock, scriptedModel, type ScriptedReply } from "../../src/testing/index.ts";
import { failureOf } from "./failures.ts";

const overloaded: ScriptedReply = { failure: failureOf({ action: "retry", kind: "overloaded" }) };

function scene(
  replies: readonly (ScriptedReply | string)[],
  react: (event: SessionEvent) => void,
): { session: Session; events: SessionEvent[] } {
  const events: SessionEvent[] = [];
  const session = createSession({ model: scriptedModel(replies), clock: new ManualClock(), random: () => 0 });
  session.subscribe((event) => {
    events.push(event);
    react(event);
  });
  return { session, events };
}

test("of two prompts in one listener the second is refused, and none is left waiting", async () => {
  const outcomes: Promise<unknown>[] = [];
  const { session } = scene(["one", "two", "three"], ({ type }) => {
    if (type !== "agent_settled" || outcomes.length > 0) return;
    outcomes.push(session.prompt("second"), session.prompt("third"));
  });
  await session.prompt("first");
  const [second, third] = await Promise.allSettled(outcomes);
  expect(second).toMatchObject({ status: "fulfilled", value: { status: "completed" } });
  expect(third).toMatchObject({ status: "rejected", reason: expect.any(SessionBusyError) });
});

test("a prompt before the settling is told is one while the session is busy", async () => {
  let refused: Promise<unknown> | undefined;
  const { session } = scene([overloaded], ({ type }) => {
    if (type === "auto_retry_start") void session.abort();
    if (type === "auto_retry_end") refused = session.prompt("too early").catch((error: unknown) => error);
  });
  await expect(session.prompt("first")).resolves.toMatchObject({ status: "aborted", retries: 1 });
  await expect(refused).resolves.toBeInstanceOf(SessionBusyError);
});

test("a message that is queued in a listener is in the queue_update that follows", async () => {
  let steered = false;
  const { session, events } = scene(["one", "two"], ({ type }) => {
    if (type !== "agent_end" || steered) return;
    steered = true;
    session.followUp("and then");
  });
  await session.prompt("first");
  await session.whenIdle();
  expect(events).toContainEqual({ type: "queue_update", steering: [], followUp: ["and then"] });
});

test("a compaction that is asked for when one ends has an answer of its own, and so has the first", async () => {
  const answers: Promise<unknown>[] = [];
  const { session } = scene([], ({ type }) => {
    if (type === "compaction_end" && answers.length === 1) answers.push(session.compact().catch(() => "second"));
  });
  answers.push(session.compact().catch(() => "first"));
  await session.whenIdle();
  await session.whenIdle();
  expect(await Promise.all(answers)).toEqual(["first", "second"]);
});

test("nothing else is started by one who is told of the reply that continue() leaves out", async () => {
  let refused: Promise<unknown> | undefined;
  const { session } = scene([{ failure: failureOf({ action: "stop", kind: "auth" }) }, "fine"], ({ type }) => {
    if (type === "entry_appended") refused = session.compact().catch((error: unknown) => error);
  });
  await session.prompt("first");
  await expect(session.continue()).resolves.toMatchObject({ status: "completed" });
  await expect(refused).resolves.toBeInstanceOf(SessionBusyError);
});

test("nothing is started beside a message that was queued while the session's end was being told", async () => {
  let refused: Promise<unknown> | undefined;
  const overflow = { failure: failureOf({ action: "compact", kind: "context_overflow" }) };
  const { session } = scene([overflow, "fine"], ({ type }) => {
    if (type === "compaction_end") session.steer("wait");
    if (type === "agent_settled") refused ??= session.compact().catch((error: unknown) => error);
  });
  await session.prompt("first");
  await expect(refused).resolves.toBeInstanceOf(SessionBusyError);
});
