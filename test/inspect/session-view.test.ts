import { describe, expect, test } from "vitest";
import { runAfterRules } from "../../machines/run-after.ts";
import { record } from "../../src/inspect/recorder.ts";
import { duration, tokens } from "../../src/inspect/view/format.ts";
import type { TraceRecord } from "../../src/inspect/view/records.ts";
import { apply, emptyView, viewAt } from "../../src/inspect/view/session-view.ts";
import { createSession } from "../../src/session/session.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { ALL_REPLIES, liveThroughAll, OVERLOADED, stage, untilState } from "./sessions.ts";

function watched(staged: Pick<ReturnType<typeof stage>, "session">): TraceRecord[] {
  const records: TraceRecord[] = [];
  record(staged.session, (added) => records.push(added));
  return records;
}

/** The view after the first record that `isMoment`. */
function viewWhen(records: readonly TraceRecord[], isMoment: (record: TraceRecord) => boolean) {
  const at = records.findIndex(isMoment);
  if (at === -1) return expect.fail("There was no such moment.");
  return viewAt(records, at + 1);
}

const isEvent = (type: string) => (added: TraceRecord) => added.kind === "event" && added.event.type === type;

describe("what is shown of a session at a moment", () => {
  test("is the same seen live and found again by going back", async () => {
    const staged = stage(ALL_REPLIES);
    const live = emptyView();
    const records: TraceRecord[] = [];
    const moments: string[] = [];
    record(staged.session, (added) => {
      records.push(added);
      apply(live, added);
      moments.push(JSON.stringify(live));
    });
    await liveThroughAll(staged);
    for (const [index, moment] of moments.entries()) expect(JSON.stringify(viewAt(records, index + 1))).toBe(moment);
  });

  test("in a backoff: state, retry, wait, the rule that decided, the failure with its verdict", async () => {
    const staged = stage([OVERLOADED, "It is built."]);
    const records = watched(staged);
    void staged.session.prompt("Please build it");
    await untilState(staged.session, "backoff");
    const view = viewAt(records, records.length);
    expect(view.facts).toMatchObject({ state: "backoff", attempt: 1, maxAttempts: 3 });
    expect(view.wait).toMatchObject({ delayMs: 2000 });
    expect(view.checked?.rule).toBe("retryFailure");
    expect(view.moved?.path).toEqual(["running.live>deciding", "deciding>backoff"]);
    expect(view.failure?.failure).toMatchObject({ action: "retry", kind: "overloaded" });
    await staged.session.dispose();
  });

  test("a failure is shown until a good reply", async () => {
    const staged = stage(ALL_REPLIES);
    const records = watched(staged);
    await liveThroughAll(staged);
    expect(viewWhen(records, isEvent("auto_retry_start")).failure).toBeDefined();
    expect(viewWhen(records, isEvent("auto_retry_end")).failure).toBeUndefined();
  });

  test("the reply that streams in, until its message ends", async () => {
    const staged = stage([{ thinking: "Hm.", deltas: ["One, ", "two"] }]);
    const records = watched(staged);
    await staged.session.prompt("Count");
    const lastDelta = records.findLastIndex(({ kind }) => kind === "delta");
    expect(viewAt(records, lastDelta + 1).streaming).toMatchObject({ thinking: "Hm.", text: "One, two" });
    expect(viewAt(records, records.length).streaming).toEqual({ text: "", thinking: "", toolCall: "" });
  });

  test("the texts that wait in a queue", async () => {
    const staged = stage([{ text: "Looking", hang: true }]);
    const records = watched(staged);
    void staged.session.prompt("Look");
    await untilState(staged.session, "running");
    staged.session.steer("in the other file");
    staged.session.followUp("then tell me");
    expect(viewAt(records, records.length).queue).toEqual({ steering: ["in the other file"], followUp: ["then tell me"] });
    await staged.session.abort();
  });

  test("every event has a line in the log, in one of its kinds, and the rules that fire are those of the table", async () => {
    const staged = stage(ALL_REPLIES);
    const records = watched(staged);
    await liveThroughAll(staged);
    const { rows } = viewAt(records, records.length);
    expect(rows).toHaveLength(records.filter(({ kind }) => kind === "event" || kind === "step").length);
    expect(rows.filter(({ group }) => group === undefined)).toEqual([]);
    expect(rows.find(({ name }) => name === "auto_retry_start")).toMatchObject({
      group: "retry",
      bad: true,
      detail: expect.stringContaining("retry 1 of 3 in 2.0 s"),
    });
    const fired = records.flatMap((added) =>
      added.kind === "event" && added.event.type === "agent_end" ? [added.event.rule] : [],
    );
    expect(new Set(fired)).toEqual(new Set(["completed", "retryFailure", "recoverOverflow", "aborted"]));
    expect(runAfterRules.map(({ name }) => name)).toEqual(expect.arrayContaining(fired));
  });

  test("of tools: what was called with what, and how it went", async () => {
    const session = createSession({
      model: scriptedModel([{ toolCalls: [{ name: "look", arguments: { at: "x".repeat(5000) } }] }, "Done."]),
      tools: [{ name: "look", description: "Looks at a place.", parameters: { type: "object" }, execute: () => "seen" }],
    });
    const records = watched({ session });
    await session.prompt("Look");
    const { rows } = viewAt(records, records.length);
    expect(rows.find(({ name }) => name === "tool_execution_start")?.detail).toMatch(/^look · .*… \(\d+ letters\)/);
    expect(rows.find(({ name }) => name === "tool_execution_end")).toMatchObject({ group: "tool", bad: false });
  });
});

test("numbers are short and readable", () => {
  expect([tokens(0), tokens(9999), tokens(128_000), tokens(1_048_576)]).toEqual(["0", "9,999", "128k", "1,048.6k"]);
  expect([duration(0), duration(1449), duration(61_000), duration(3_700_000)]).toEqual([
    "0.0 s",
    "1.4 s",
    "1 min 1 s",
    "1 h 1 min",
  ]);
});
