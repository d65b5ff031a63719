import { expect, test } from "vitest";
import { createMemoryLog, forkLog, type LogDiagnostic, type SessionLog } from "../../src/log/index.ts";
import { createSession } from "../../src/session/session.ts";
import type { SessionOptions } from "../../src/session/session-options.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { overloaded, quiet, quota, scene, tool, tooLong, type Replies } from "./harness.ts";

/** What a process that was killed leaves behind: the log's entries as they are now, in a log of their own. */
function afterKill(log: SessionLog): SessionLog {
  const copy = createMemoryLog({ id: `${log.header.id}-again` });
  for (const { parentId: _, timestamp: __, ...draft } of log.entries) copy.append(draft);
  return copy;
}

function reopen(log: SessionLog, replies: Replies, options: Partial<SessionOptions> = {}) {
  const clock = new ManualClock();
  const model = scriptedModel(replies, { clock, contextWindow: 200_000 });
  return { clock, model, session: createSession({ model, clock, log, random: () => 0, ...options }) };
}

test("a kill in backoff: the new session rests, and continue() waits the time that is left", async () => {
  const first = scene([overloaded, overloaded, "never asked"]);
  void first.session.prompt("hi");
  await quiet();
  first.clock.advance(2_000);
  await quiet();
  expect(first.session.state).toMatchObject({ state: "backoff", attempt: 2, retryAt: 6_000 });

  const second = reopen(afterKill(first.session.log), ["hello"]);
  expect(second.session.state).toMatchObject({ state: "settled", outcome: { status: "interrupted" } });
  second.clock.advance(5_000);
  expect(second.model.requestCount).toBe(0);
  const outcome = second.session.continue();
  expect(second.session.state).toMatchObject({ state: "backoff", attempt: 2, retryAt: 6_000 });
  second.clock.advance(999);
  await quiet();
  expect(second.model.requestCount).toBe(0);
  second.clock.advance(1);
  expect(await outcome).toMatchObject({ status: "completed" });
  expect(second.session.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("the streak's count survives too: after two of three retries one is left", async () => {
  const first = scene([overloaded, overloaded, overloaded]);
  void first.session.prompt("hi");
  await quiet();
  first.clock.advance(2_000);
  await quiet();
  first.clock.advance(4_000);
  await quiet();
  expect(first.session.state.attempt).toBe(3);
  const second = reopen(afterKill(first.session.log), [overloaded, "never asked"]);
  const outcome = second.session.continue();
  second.clock.advance(20_000);
  expect(await outcome).toMatchObject({ status: "failed" });
  expect(second.model.requestCount).toBe(1);
});

test("a new prompt drops the pending retry", async () => {
  const first = scene([overloaded]);
  void first.session.prompt("hi");
  await quiet();
  const second = reopen(afterKill(first.session.log), ["hello"]);
  expect(await second.session.prompt("instead")).toMatchObject({ status: "completed" });
  expect(second.clock.pending).toBe(0);
  const third = reopen(afterKill(second.session.log), []);
  await expect(third.session.continue()).rejects.toThrow(/nothing to continue/);
});

test("a wait that was pending belongs to its branch: whoever moves to another has nothing to continue there", async () => {
  const first = scene(["answered", overloaded]);
  await first.session.prompt("one");
  void first.session.prompt("two");
  await quiet();
  const second = reopen(afterKill(first.session.log), ["asked again"]);
  const answer = second.session.log.entries[1]?.id ?? "";
  await second.session.moveTo(answer);
  await expect(second.session.continue()).rejects.toThrow(/nothing to continue/);
  expect(await second.session.prompt("instead")).toMatchObject({ status: "completed" });
});

test("a wait that was aborted is not resumed as a wait", async () => {
  const first = scene([overloaded]);
  void first.session.prompt("hi");
  await quiet();
  await first.session.abort();
  const second = reopen(afterKill(first.session.log), ["hello"]);
  const outcome = second.session.continue();
  expect(second.session.state.state).toBe("running");
  expect(await outcome).toMatchObject({ status: "completed", retries: 0 });
});

test("a kill in streaming: the unanswered prompt is asked again by continue()", async () => {
  const first = scene([{ text: "half", hang: true }]);
  void first.session.prompt("hi");
  await quiet();
  const second = reopen(afterKill(first.session.log), ["hello"]);
  expect(second.session.state.outcome).toMatchObject({ status: "interrupted" });
  expect(await second.session.continue()).toMatchObject({ status: "completed" });
  expect(second.session.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("a kill in a tool: its call gets a truthful result, and the tool is not run again", async () => {
  let ran = 0;
  const pay = tool("pay", () => new Promise(() => void ran++));
  const first = scene([{ toolCalls: [{ name: "pay" }] }], { tools: [pay] });
  void first.session.prompt("hi");
  await quiet();
  const second = reopen(afterKill(first.session.log), ["understood"], { tools: [pay] });
  expect(await second.session.continue()).toMatchObject({ status: "completed" });
  expect(ran).toBe(1);
  expect(JSON.stringify(second.session.messages[2])).toContain("The process ended before this tool finished; it may have run.");
});

test("only a tool that declares itself idempotent is run again by continue()", async () => {
  const runs: string[] = [];
  const hanging = (name: string) => tool(name, () => new Promise<string>(() => {}), { idempotent: name === "read" });
  const first = scene([{ toolCalls: [{ name: "read" }, { name: "pay" }] }], { tools: [hanging("read"), hanging("pay")] });
  void first.session.prompt("hi");
  await quiet();
  const working = (name: string) =>
    tool(
      name,
      () => {
        runs.push(name);
        return `${name} done`;
      },
      { idempotent: name === "read" },
    );
  const second = reopen(afterKill(first.session.log), ["understood"], { tools: [working("read"), working("pay")] });
  expect(await second.session.continue()).toMatchObject({ status: "completed" });
  expect(runs).toEqual(["read"]);
  const results = second.session.messages.filter(({ role }) => role === "toolResult").map((message) => JSON.stringify(message));
  expect(results).toHaveLength(2);
  expect(results.some((result) => result.includes("read done"))).toBe(true);
  expect(results.some((result) => result.includes("it may have run"))).toBe(true);
});

test("a new prompt after a kill in an idempotent tool closes its call truthfully", async () => {
  const read = tool("read", () => new Promise<string>(() => {}), { idempotent: true });
  const first = scene([{ toolCalls: [{ name: "read" }] }], { tools: [read] });
  void first.session.prompt("hi");
  await quiet();
  const second = reopen(afterKill(first.session.log), ["ok"], { tools: [read] });
  await second.session.prompt("never mind");
  expect(second.session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "user", "assistant"]);
});

test("queued messages survive, in order", async () => {
  const first = scene([quota]);
  const outcome = first.session.prompt("hi");
  first.session.steer("s1");
  first.session.followUp("f1");
  first.session.steer("s2");
  await outcome;
  const second = reopen(afterKill(first.session.log), ["one", "two", "three", "four"]);
  expect(second.session.state.steering).toHaveLength(2);
  await second.session.prompt("next");
  const texts = second.session.messages.filter(({ role }) => role === "user").map(({ content }) => content);
  expect(texts).toEqual(["hi", "next", "s1", "s2", "f1"]);
  const third = reopen(afterKill(second.session.log), []);
  expect(third.session.state).toMatchObject({ steering: [], followUp: [] });
});

test("what the log mended when it was opened is told in events", async () => {
  const diagnostics: LogDiagnostic[] = [{ kind: "bad_line", line: 3, message: "Line 3 was skipped." }];
  const log = Object.assign(createMemoryLog(), { diagnostics });
  const s = scene(["hello"], { log });
  await s.session.prompt("hi");
  expect(s.events.filter(({ type }) => type === "log_diagnostic")).toMatchObject([{ diagnostic: { line: 3 } }]);
});

test("ids that come again after a restart cost no message", async () => {
  const first = scene([quota]);
  const outcome = first.session.prompt("hi");
  first.session.steer("s1");
  await outcome;
  const second = reopen(afterKill(first.session.log), ["one", "two", "three"]);
  const more = second.session.prompt("next");
  second.session.steer("s2");
  await more;
  expect(second.session.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "hi",
    "next",
    "s1",
    "s2",
  ]);
});

test("a source of ids that gives only one is refused at the second message, not believed", async () => {
  const s = scene(["one", "two"], { newId: () => "same" });
  const outcome = s.session.prompt("hi");
  s.session.followUp("first");
  expect(() => s.session.followUp("second")).toThrow(RangeError);
  await outcome;
  expect(s.session.messages.filter(({ role }) => role === "user")).toHaveLength(2);
});

test.each([
  null,
  "text",
  {},
  { op: "remove" },
  { op: "add", queue: "steering", id: "x" },
  { op: "add", queue: "other", id: "x", content: "hi" },
  { op: "add", queue: "steering", id: "x", content: [null] },
])("a queue record of another shape is passed over: %j", async (data) => {
  const log = createMemoryLog();
  log.append({ type: "message", message: { role: "user", content: "hi", timestamp: 0 } });
  log.append({ type: "custom", customType: "agent-session-machine/queue", data });
  const s = scene(["hello"], { log });
  expect(s.session.state).toMatchObject({ steering: [], followUp: [] });
  expect(await s.session.continue()).toMatchObject({ status: "completed" });
});

test("a kill between an overflow and its compaction: continue() compacts and repeats", async () => {
  const first = scene(
    [{ text: "long ".repeat(2_000) }, tooLong, { hang: true }],
    { settings: { compaction: { keepRecentTokens: 10 } } },
    { contextWindow: 200_000 },
  );
  await first.session.prompt("one");
  void first.session.prompt("two");
  await quiet();
  expect(first.session.state.state).toBe("compacting");
  const second = reopen(afterKill(first.session.log), ["the summary", "hello"], {
    settings: { compaction: { keepRecentTokens: 10 } },
  });
  const outcome = second.session.continue();
  expect(second.session.state.state).toBe("compacting");
  expect(await outcome).toMatchObject({ status: "completed", message: { content: [{ text: "hello" }] } });
});

test("a compaction that is taken up and fails settles with the overflow it was for", async () => {
  const first = scene(
    [{ text: "long ".repeat(2_000) }, tooLong, { hang: true }],
    { settings: { compaction: { keepRecentTokens: 10 } } },
    { contextWindow: 200_000 },
  );
  await first.session.prompt("one");
  void first.session.prompt("two");
  await quiet();
  const second = reopen(afterKill(first.session.log), [quota], { settings: { compaction: { keepRecentTokens: 10 } } });
  const outcome = await second.session.continue();
  expect(outcome.failure?.message).toMatch(/^Context overflow recovery failed: .*prompt is too long/);
});

test("the one recovery of a user message stays spent", async () => {
  const settings = { compaction: { keepRecentTokens: 10 } };
  const first = scene(
    [{ text: "long ".repeat(2_000) }, tooLong, "the summary", { hang: true }],
    { settings },
    { contextWindow: 200_000 },
  );
  await first.session.prompt("one");
  void first.session.prompt("two");
  await quiet();
  expect(first.session.state.state).toBe("running");
  const second = reopen(afterKill(first.session.log), [tooLong, "never asked"], { settings });
  const outcome = await second.session.continue();
  expect(outcome.failure?.message).toMatch(/^Context overflow recovery failed after one compact-and-retry attempt/);
});

test("a log that holds a name alone is a session in which nothing has run", async () => {
  const log = createMemoryLog();
  log.append({ type: "session_info", name: "nightly" });
  expect(reopen(log, []).session.state).toMatchObject({ state: "idle", outcome: null });
});

test("an answered session has nothing to continue, and goes on with a prompt", async () => {
  const first = scene(["hello"]);
  await first.session.prompt("hi");
  const second = reopen(afterKill(first.session.log), ["again"]);
  expect(second.session.state).toMatchObject({ state: "settled", outcome: { status: "completed" } });
  await expect(second.session.continue()).rejects.toThrow(/nothing to continue/);
  expect(await second.session.prompt("more")).toMatchObject({ status: "completed" });
});

test("a fork does not deliver once more what was queued in its source", async () => {
  const first = scene([{ toolCalls: [{ name: "a" }] }, "done"], { tools: [tool("a", () => first.session.steer("steered"))] });
  await first.session.prompt("hi");
  const { log } = first.session;
  const steered = log.entries.find((entry) => entry.type === "message" && entry.message.content === "steered");
  const fork = scene(["one", "two"], { log: await forkLog(log, steered?.parentId ?? "") });
  expect(fork.session.state.steering).toEqual([]);
  await fork.session.prompt("asked otherwise");
  expect(fork.session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "user", "assistant"]);
});
