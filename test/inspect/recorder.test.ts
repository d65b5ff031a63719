import { describe, expect, test } from "vitest";
import { record } from "../../src/inspect/recorder.ts";
import type { TraceRecord } from "../../src/inspect/view/records.ts";
import { BranchProjection } from "../../src/log/projection.ts";
import { ALL_REPLIES, liveThroughAll, liveThroughRetry, OVERLOADED, stage, untilState } from "./sessions.ts";

function recorded(staged: ReturnType<typeof stage>): TraceRecord[] {
  const records: TraceRecord[] = [];
  record(staged.session, (added) => records.push(added), { now: () => staged.clock.now() });
  return records;
}

const eventTypes = (records: readonly TraceRecord[]): string[] =>
  records.flatMap((added) => (added.kind === "event" ? [added.event.type] : []));

describe("recording a session", () => {
  test("begins with the session as it is", () => {
    const staged = stage([]);
    const [first] = recorded(staged);
    expect(first).toMatchObject({
      kind: "session",
      version: 1,
      id: staged.session.id,
      facts: { state: "idle", attempt: 0, contextWindow: 8000, threshold: 7500 },
      machine: { value: "idle" },
    });
  });

  test("holds every event but deltas, in the order subscribers are told", async () => {
    const staged = stage(ALL_REPLIES);
    const told: string[] = [];
    staged.session.subscribe(({ type }) => type !== "message_update" && told.push(type));
    const records = recorded(staged);
    await liveThroughAll(staged);
    expect(eventTypes(records)).toEqual(told);
    expect(told).toEqual(expect.arrayContaining(["auto_retry_start", "compaction_end", "agent_settled", "queue_update"]));
  });

  test("names each step of the statechart, with the states it went through, before the events it raises", async () => {
    const staged = stage([OVERLOADED, "It is built."]);
    const records = recorded(staged);
    await liveThroughRetry(staged);
    const steps = records.flatMap((added) => (added.kind === "step" ? [`${added.input.type} ${added.path.join(" ")}`] : []));
    expect(steps).toEqual([
      "PROMPT idle>running.live",
      "xstate.done.actor.agentRun running.live>deciding deciding>backoff",
      "xstate.done.actor.retryWait backoff>running.live",
      "GOOD_MESSAGE ",
      "xstate.done.actor.agentRun running.live>deciding deciding>settled",
    ]);
    const decided = records.findIndex((added) => added.kind === "step" && added.path.includes("deciding>backoff"));
    expect(
      records.slice(decided + 1, decided + 3).map((added) => (added.kind === "event" ? added.event.type : added.kind)),
    ).toEqual(["agent_end", "auto_retry_start"]);
  });

  test("a step that led nowhere has no path, and one back into its own state has one", async () => {
    const staged = stage([]);
    const records = recorded(staged);
    staged.session.actor.send({ type: "ABORT_RETRY" });
    const failure = {
      action: "stop",
      kind: "log",
      message: "disk full",
      hint: "",
      why: "",
      rule: "log.write",
      causes: [],
    } as const;
    staged.session.actor.send({ type: "LOG_FAILED", failure: { ...failure, causes: [] } });
    staged.session.actor.send({ type: "LOG_FAILED", failure: { ...failure, causes: [] } });
    expect(records.flatMap((added) => (added.kind === "step" ? [added.path] : []))).toEqual([
      [],
      ["idle>settled"],
      ["settled>settled"],
    ]);
  });

  test("puts the pieces of a reply together", async () => {
    const staged = stage([{ deltas: Array.from({ length: 400 }, () => "piece ") }]);
    const records = recorded(staged);
    await staged.session.prompt("Go on");
    const deltas = records.filter((added) => added.kind === "delta");
    expect(deltas.length).toBeLessThan(40);
    expect(deltas.map(({ text }) => text).join("")).toBe("piece ".repeat(400));
  });

  test("holds each message once: its size grows with what is said, not with its square", async () => {
    const size = async (prompts: number): Promise<number> => {
      const staged = stage(
        Array.from({ length: prompts }, () => "An answer of some words."),
        { settings: { compaction: { enabled: false } } },
      );
      const records = recorded(staged);
      for (let index = 0; index < prompts; index += 1) await staged.session.prompt("A question of some words.");
      return JSON.stringify(records).length;
    };
    const [few, many] = [await size(20), await size(80)];
    expect(many / few).toBeLessThan(4.2);
  });

  test("holds all entries of the log, so that what the model is shown can be told", async () => {
    const staged = stage(ALL_REPLIES);
    const records = recorded(staged);
    await liveThroughAll(staged);
    const entries = records.flatMap((added) => (added.kind === "entries" ? added.entries : []));
    expect(entries.map(({ id }) => id)).toEqual(staged.session.log.entries.map(({ id }) => id));
    const projection = new BranchProjection((id) => entries.find((entry) => entry.id === id));
    projection.reset(entries);
    expect(projection.items.map(({ entryId }) => entryId)).toEqual(
      staged.session.log.projection.items.map(({ entryId }) => entryId),
    );
  });

  test("an image is told by its size", async () => {
    const staged = stage(["A cat."]);
    const records = recorded(staged);
    await staged.session.prompt([{ type: "image", data: "A".repeat(40_000), mimeType: "image/png" }]);
    expect(JSON.stringify(records)).not.toContain("AAAA");
    expect(JSON.stringify(records)).toContain("[image image/png, 29 KB]");
  });

  test("of a long log only the newest entries are held, and the others counted", async () => {
    const staged = stage(["one", "two", "three"]);
    for (const word of ["1", "2", "3"]) await staged.session.prompt(word);
    const records: TraceRecord[] = [];
    record(staged.session, (added) => records.push(added), { entryLimit: 2 });
    expect(records[0]).toMatchObject({ kind: "session", earlier: 4 });
    expect(records[1]).toMatchObject({
      kind: "entries",
      entries: [{ message: { role: "user" } }, { message: { role: "assistant" } }],
    });
  });

  test("ends with the session", async () => {
    const staged = stage([{ deltas: ["a", "b"], hang: true }]);
    const records = recorded(staged);
    const settled = staged.session.prompt("Hello");
    await untilState(staged.session, "running");
    await staged.session.dispose();
    await settled;
    expect(records.at(-1)).toMatchObject({ kind: "end" });
  });

  test("stopped, it writes nothing more", async () => {
    const staged = stage(["Hello.", "Hello again."]);
    const records: TraceRecord[] = [];
    const stop = record(staged.session, (added) => records.push(added));
    await staged.session.prompt("Hello");
    stop();
    const { length } = records;
    await staged.session.prompt("Hello again");
    expect(records).toHaveLength(length);
  });
});
