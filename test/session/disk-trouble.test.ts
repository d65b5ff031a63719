import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMemoryLog, LogError, openLog, type EntryDraft, type SessionLog } from "../../src/log/index.ts";
import { checkTrace } from "../../src/testing/check-trace.ts";
import { order, overloaded, quiet, scene, stubbornTool, toRest, tool, tooLong, type Scene } from "./harness.ts";

/** A log in memory whose appends fail while `full` says so. */
function failingLog(full: (drafts: readonly EntryDraft[]) => boolean, log: SessionLog = createMemoryLog()): SessionLog {
  const appendAll = log.appendAll.bind(log);
  const checked = (drafts: readonly EntryDraft[]) => {
    if (full(drafts)) throw new LogError("write", "no space left on device");
    return appendAll(drafts);
  };
  return Object.assign(log, {
    appendAll: checked,
    append: (draft: EntryDraft) => {
      const [entry] = checked([draft]);
      if (!entry) throw new Error("Nothing was appended.");
      return entry;
    },
  });
}

const isMessage = (role: string) => (drafts: readonly EntryDraft[]) =>
  drafts.some((draft) => draft.type === "message" && draft.message.role === role);

test.each([
  ["the user's message", isMessage("user"), 0],
  ["the reply", isMessage("assistant"), 1],
  ["a tool's result", isMessage("toolResult"), 1],
])(
  "when %s cannot be written the prompt fails, no further request is made, and later the session goes on",
  async (_, cannot, requests) => {
    let full = true;
    const log = failingLog((drafts) => full && cannot(drafts));
    const s = scene([{ toolCalls: [{ name: "a" }] }, "hello", "hello"], { log, tools: [tool("a", () => "")] });
    const outcome = await s.session.prompt("hi");
    expect(outcome).toMatchObject({ status: "failed", requests, failure: { kind: "log" } });
    expect(outcome.failure?.message).toContain("no space left on device");
    expect(outcome.failure?.hint).not.toBe("");
    expect(order(s.events).at(-1)).toBe("agent_settled failed");
    expect(checkTrace(s.events)).toEqual([]);
    const starts = order(s.events).filter((line) => /^(agent|turn|message)_start/.test(line)).length;
    const ends = order(s.events).filter((line) => /^(agent|turn|message)_end/.test(line)).length;
    expect(ends).toBe(starts);
    full = false;
    expect(await s.session.prompt("again")).toMatchObject({ status: "completed" });
  },
);

test("when the omission before a retry cannot be written the wait is given up", async () => {
  let full = true;
  const log = failingLog((drafts) => full && drafts.some(({ type }) => type === "context_edit"));
  const s = scene([overloaded, "hello"], { log });
  expect(await s.session.prompt("hi")).toMatchObject({ status: "failed", requests: 1, failure: { kind: "log" } });
  expect(order(s.events).slice(-2)).toEqual(["auto_retry_end false 1 Retry cancelled", "agent_settled failed"]);
  expect(s.clock.pending).toBe(0);
  full = false;
  expect(await s.session.continue()).toMatchObject({ status: "completed" });
});

test("when a compaction cannot be written the prompt fails, and nothing of it is in the log", async () => {
  const log = failingLog((drafts) => drafts.some(({ type }) => type === "compaction"));
  const s = scene(
    ["answer ".repeat(2_000), "short", tooLong, "the summary"],
    { log, settings: { compaction: { keepRecentTokens: 1 } } },
    { contextWindow: 200_000 },
  );
  await s.session.prompt("one");
  await s.session.prompt("two");
  expect(await s.session.prompt("three")).toMatchObject({ status: "failed", failure: { kind: "log" } });
  expect(log.entries.every(({ type }) => type === "message")).toBe(true);
});

test("a message that cannot be written is not accepted into a queue", async () => {
  let full = false;
  const s = scene([{ hang: true }], { log: failingLog(() => full) });
  const outcome = s.session.prompt("hi");
  await quiet();
  full = true;
  expect(() => s.session.steer("more")).toThrow(LogError);
  await expect(s.session.prompt("more", { streamingBehavior: "followUp" })).rejects.toThrow(LogError);
  expect(s.session.state.steering).toEqual([]);
  full = false;
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
});

test("a tool result too long for the context is kept whole beside the session file, and the result says where", async () => {
  const directory = mkdtempSync(join(tmpdir(), "agent-session-"));
  const path = join(directory, "session.jsonl");
  const text = `start ${"x".repeat(200_000)} end`;
  const s = scene([{ toolCalls: [{ name: "cat" }] }, "done"], { log: await openLog(path), tools: [tool("cat", () => text)] });
  await s.session.prompt("hi");
  const result = JSON.stringify(s.session.messages[2]);
  const file = /the full text is in (.+?\.txt)/.exec(result)?.[1];
  expect(file).toMatch(/session\.jsonl\.results/);
  await s.session.dispose();
  expect(readFileSync(file ?? "", "utf8")).toBe(text);
  rmSync(directory, { recursive: true });
});

test("the durability setting is the log's; without it the log keeps what it was opened with", async () => {
  const directory = mkdtempSync(join(tmpdir(), "agent-session-"));
  const log = await openLog(join(directory, "session.jsonl"), { durability: "entry" });
  const s = scene([], { log });
  expect(log.durability).toBe("entry");
  s.session.setSettings({ durability: "none" });
  expect(log.durability).toBe("none");
  await s.session.dispose();
  rmSync(directory, { recursive: true });
});

test.each([
  ["a prompt", (s: Scene) => s.session.prompt("again")],
  ["continue()", (s: Scene) => s.session.continue()],
  ["a message at rest", (s: Scene) => (s.session.steer("again"), s.session.whenIdle())],
])("results that could not be written are made good before the model is asked again, by %s", async (_, goOn) => {
  let full = true;
  const log = failingLog((drafts) => full && isMessage("toolResult")(drafts));
  let runs = 0;
  const counted = tool("a", () => `run ${++runs}`, { idempotent: true });
  const s = scene([{ toolCalls: [{ name: "a" }, { name: "a" }] }, "hello", "hello"], { log, tools: [counted] });
  expect(await s.session.prompt("hi")).toMatchObject({ status: "failed", failure: { kind: "log" } });
  full = false;
  await goOn(s);
  const shown = s.model.requests.at(-1)?.messages ?? [];
  expect(shown.slice(0, 4).map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "toolResult"]);
  expect(JSON.stringify(shown[2])).toContain("is not in the session's log; it may have run");
  expect(runs).toBe(2);
});

test("calls a process left open stay open while the disk is full, and get their results with the next prompt", async () => {
  const first = scene([{ toolCalls: [{ name: "a" }] }], { tools: [tool("a", () => new Promise(() => {}))] });
  void first.session.prompt("hi");
  await quiet();
  let full = true;
  const log = failingLog(() => full, createMemoryLog({ entries: first.session.log.entries }));
  const s = scene(["hello"], { log, tools: [tool("a", () => "", { idempotent: true })] });
  expect(await s.session.prompt("one")).toMatchObject({ status: "failed", failure: { kind: "log" } });
  full = false;
  expect(await s.session.prompt("two")).toMatchObject({ status: "completed" });
  expect(s.session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "user", "assistant"]);
});

test("what cannot be written at the end of the grace time fails the prompt, which settles once; a late answer is void", async () => {
  let full = false;
  const { tool: stubborn, finish } = stubbornTool();
  const s = scene([{ toolCalls: [{ name: "stubborn" }] }, "hello"], { log: failingLog(() => full), tools: [stubborn] });
  const outcome = s.session.prompt("hi");
  await quiet();
  full = true;
  void s.session.abort();
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "log" } });
  expect(order(s.events).slice(-3)).toEqual(["turn_end", "agent_end retry:false continue:false", "agent_settled aborted"]);
  expect(order(s.events).filter((line) => line.startsWith("agent_settled"))).toHaveLength(1);
  full = false;
  const events = s.events.length;
  finish();
  await quiet();
  expect(s.events).toHaveLength(events);
  expect(await s.session.prompt("again")).toMatchObject({ status: "completed" });
  expect(s.session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "user", "assistant"]);
});

test("an abort in backoff that cannot be written fails the prompt, which settles once", async () => {
  let full = false;
  const log = failingLog(() => full);
  const s = scene([overloaded, "hello"], { log });
  const outcome = s.session.prompt("hi");
  await quiet();
  full = true;
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "log" } });
  expect(order(s.events).slice(-2)).toEqual(["auto_retry_end false 1 Retry cancelled", "agent_settled aborted"]);
  full = false;
  await s.session.dispose();
  const again = scene(["hello"], { log: createMemoryLog({ entries: log.entries }) });
  // The log ends with the wait: what could not be written is not there.
  expect(again.session.state.outcome).toMatchObject({ status: "interrupted" });
});
