import { expect, test } from "vitest";
import { readTrace, recordTrace, sessionEvents } from "../../src/inspect/index.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { Session } from "../../src/session/session.ts";
import { createSession } from "../../src/session/session.ts";
import { checkTrace } from "../../src/testing/check-trace.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { ALL_REPLIES, liveThroughAll, stage } from "./sessions.ts";

/** Events as they were told, and as a trace that went through a file has them. */
async function toldAndTraced(
  session: Session,
  live: () => Promise<unknown>,
): Promise<{ told: SessionEvent[]; traced: SessionEvent[] }> {
  const told: SessionEvent[] = [];
  session.subscribe((event) => {
    // What is live is looked at now.
    if (event.type !== "message_update") told.push(structuredClone(event));
  });
  let text = "";
  recordTrace(session, (line) => (text += line));
  await live();
  return { told, traced: sessionEvents(readTrace(text).records) };
}

/** Where a message stands among the events shows when it started; what it was then does not matter. */
const asTraced = (events: readonly SessionEvent[]): unknown[] =>
  events.filter(({ type }) => type !== "message_start").map((event) => JSON.parse(JSON.stringify(event)) as unknown);

test("the events of a trace are those the subscribers were told, messages included", async () => {
  const staged = stage(ALL_REPLIES);
  const { told, traced } = await toldAndTraced(staged.session, () => liveThroughAll(staged));
  expect(asTraced(traced)).toEqual(asTraced(told));
});

test("those of tools, too", async () => {
  const session = createSession({
    model: scriptedModel([{ text: "I look.", toolCalls: [{ name: "look", arguments: { at: "it" } }] }, "Done."]),
    tools: [
      {
        name: "look",
        description: "Looks at a thing.",
        parameters: { type: "object" },
        execute: (_args, context) => {
          context.update("half");
          return "seen";
        },
      },
    ],
  });
  const { told, traced } = await toldAndTraced(session, () => session.prompt("Look"));
  expect(asTraced(traced)).toEqual(asTraced(told));
});

test("what is guaranteed of every session can be checked on a trace", async () => {
  const staged = stage(ALL_REPLIES);
  const { traced } = await toldAndTraced(staged.session, () => liveThroughAll(staged));
  expect(checkTrace(traced)).toEqual([]);
  const withoutEnd = traced.filter(({ type }) => type !== "auto_retry_end");
  expect(checkTrace(withoutEnd).map(({ invariant }) => invariant)).toContain("streak-closed");
});
