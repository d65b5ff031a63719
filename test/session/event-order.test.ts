import { expect, test } from "vitest";
import { order, overloaded, quiet, quota, scene, toRest, tool, tooLong } from "./harness.ts";

const userTurn = ["agent_start", "turn_start", "message_start user", "message_end user"];
const answer = ["message_start assistant", "message_end assistant"];
const failure = ["message_start assistant", "message_end error", "turn_end"];
const retryTurn = ["agent_start", "turn_start"];
const settledEnd = "agent_end retry:false continue:false";
const long = "long ".repeat(2_000);

/** Windows so small that the texts of these tests fill them; each reply states its usage. */
const small = { contextWindow: 10_000 };
const settings = { compaction: { reserveTokens: 2_000, keepRecentTokens: 10 } };
const usage = (totalTokens: number) => ({ input: totalTokens - 10, output: 10, totalTokens });

test("success", async () => {
  const s = scene(["hello"]);
  expect(await s.session.prompt("hi")).toMatchObject({ status: "completed", retries: 0, requests: 1 });
  expect(order(s.events)).toEqual([...userTurn, ...answer, "turn_end", settledEnd, "agent_settled completed"]);
});

test("two failures, then success", async () => {
  const s = scene([overloaded, overloaded, "hello"]);
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "completed", retries: 2, requests: 3 });
  expect(order(s.events)).toEqual([
    ...userTurn,
    ...failure,
    "agent_end retry:true continue:true",
    "auto_retry_start 1/3 2000",
    "entry_appended context_edit",
    ...retryTurn,
    ...failure,
    "agent_end retry:true continue:true",
    "auto_retry_start 2/3 4000",
    "entry_appended context_edit",
    ...retryTurn,
    ...answer,
    "auto_retry_end true 2",
    "turn_end",
    settledEnd,
    "agent_settled completed",
  ]);
});

test("exhaustion: three retries are four requests, and the streak is closed before the settle", async () => {
  const s = scene([overloaded, overloaded, overloaded, overloaded, "never asked"]);
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "failed", retries: 3, requests: 4, failure: { kind: "overloaded" } });
  expect(s.model.requestCount).toBe(4);
  expect(order(s.events).slice(-6)).toEqual([
    ...failure,
    settledEnd,
    "auto_retry_end false 3 529 Overloaded",
    "agent_settled failed",
  ]);
});

test("a permanent error: no retry event at all", async () => {
  const s = scene([quota]);
  expect(await s.session.prompt("hi")).toMatchObject({ status: "failed", retries: 0, failure: { kind: "quota_exhausted" } });
  expect(order(s.events)).toEqual([...userTurn, ...failure, settledEnd, "agent_settled failed"]);
});

test("a failure that turns permanent closes the streak with the new error", async () => {
  const s = scene([overloaded, quota]);
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "quota_exhausted" } });
  expect(order(s.events).at(-2)).toContain("auto_retry_end false 1 429 You exceeded your current quota");
});

test("abort in streaming", async () => {
  const s = scene([{ text: "partial", hang: true }]);
  const outcome = s.session.prompt("hi");
  await quiet();
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(order(s.events)).toEqual([
    ...userTurn,
    "message_start assistant",
    "message_end aborted",
    "turn_end",
    settledEnd,
    "agent_settled aborted",
  ]);
});

test("abort in a tool", async () => {
  const waiting = tool(
    "wait",
    (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const s = scene([{ toolCalls: [{ name: "wait" }] }], { tools: [waiting] });
  const outcome = s.session.prompt("hi");
  await quiet();
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(order(s.events)).toEqual([
    ...userTurn,
    ...answer,
    "tool_execution_start",
    "tool_execution_end",
    "message_start toolResult",
    "message_end toolResult",
    "turn_end",
    settledEnd,
    "agent_settled aborted",
  ]);
});

test("abort in backoff", async () => {
  const s = scene([overloaded, "never asked"]);
  const outcome = s.session.prompt("hi");
  await quiet();
  expect(s.session.state).toMatchObject({ state: "backoff", attempt: 1, retryAt: 2_000 });
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(order(s.events).slice(-2)).toEqual(["auto_retry_end false 1 Retry cancelled", "agent_settled aborted"]);
  expect(s.clock.pending).toBe(0);
});

test("abortRetry settles failed, with the failure that was being retried", async () => {
  const s = scene([overloaded, "never asked"]);
  const outcome = s.session.prompt("hi");
  await quiet();
  s.session.abortRetry();
  expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "overloaded" } });
  expect(order(s.events).slice(-2)).toEqual(["auto_retry_end false 1 Retry cancelled", "agent_settled failed"]);
});

test("abort in a compaction", async () => {
  const s = scene([{ text: long, usage: usage(3_000) }, tooLong, { hang: true }], { settings }, small);
  await s.session.prompt("first");
  s.events.length = 0;
  const outcome = s.session.prompt("second");
  await quiet();
  expect(s.session.state.state).toBe("compacting");
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(order(s.events).slice(-3)).toEqual([
    "compaction_start overflow",
    "compaction_end overflow retry:false aborted:true",
    "agent_settled aborted",
  ]);
});

test("overflow, recovered", async () => {
  const s = scene([{ text: long, usage: usage(3_000) }, tooLong, "the summary", "hello"], { settings }, small);
  await s.session.prompt("first");
  s.events.length = 0;
  expect(await s.session.prompt("second")).toMatchObject({ status: "completed", retries: 0, requests: 3 });
  expect(order(s.events)).toEqual([
    ...userTurn,
    ...failure,
    "agent_end retry:true continue:true",
    "compaction_start overflow",
    "compaction_end overflow retry:true aborted:false",
    ...retryTurn,
    ...answer,
    "turn_end",
    settledEnd,
    "agent_settled completed",
  ]);
});

test("overflow again: no compaction event, and the outcome says what to do", async () => {
  const s = scene([{ text: long, usage: usage(3_000) }, tooLong, "the summary", tooLong], { settings }, small);
  await s.session.prompt("first");
  s.events.length = 0;
  const outcome = await s.session.prompt("second");
  expect(outcome.failure?.message).toMatch(/^Context overflow recovery failed after one compact-and-retry attempt\./);
  expect(order(s.events).slice(-6)).toEqual([...retryTurn, ...failure, settledEnd, "agent_settled failed"].slice(-6));
  expect(order(s.events).filter((line) => line.startsWith("compaction_start"))).toHaveLength(1);
});

test("paused between turns", async () => {
  const read = tool("read", () => long.repeat(2));
  const s = scene(
    [{ toolCalls: [{ name: "read" }], usage: usage(7_000) }, "the summary", "hello"],
    { settings, tools: [read] },
    small,
  );
  expect(await s.session.prompt("hi ".repeat(200))).toMatchObject({ status: "completed" });
  expect(order(s.events)).toEqual([
    ...userTurn,
    ...answer,
    "tool_execution_start",
    "tool_execution_end",
    "message_start toolResult",
    "message_end toolResult",
    "turn_end",
    "agent_end retry:false continue:true",
    "compaction_start threshold",
    "compaction_end threshold retry:false aborted:false",
    ...retryTurn,
    ...answer,
    "turn_end",
    settledEnd,
    "agent_settled completed",
  ]);
});

test("threshold after an answer", async () => {
  const s = scene([{ text: long, usage: usage(8_001) }, "the summary"], { settings }, small);
  expect(await s.session.prompt("hi")).toMatchObject({ status: "completed" });
  expect(order(s.events)).toEqual([
    ...userTurn,
    ...answer,
    "turn_end",
    "agent_end retry:false continue:true",
    "compaction_start threshold",
    "compaction_end threshold retry:false aborted:false",
    "agent_settled completed",
  ]);
});

test("threshold before a prompt", async () => {
  const s = scene([{ text: long, usage: usage(7_990) }, "the summary", "hello"], { settings }, small);
  await s.session.prompt("first");
  s.events.length = 0;
  expect(await s.session.prompt("this prompt takes the context over the threshold")).toMatchObject({ status: "completed" });
  expect(order(s.events)).toEqual([
    "compaction_start threshold",
    "compaction_end threshold retry:false aborted:false",
    ...userTurn,
    ...answer,
    "turn_end",
    settledEnd,
    "agent_settled completed",
  ]);
});

test("steering and follow-up in one prompt: the prompt, then steering one by one, then the follow-up", async () => {
  const s = scene(["one", "two", "three", "four"]);
  const outcome = s.session.prompt("x");
  s.session.followUp("f1");
  s.session.steer("s1");
  s.session.steer("s2");
  await outcome;
  const turn = (update: string) => ["turn_start", update, "message_start user", "message_end user", ...answer, "turn_end"];
  expect(order(s.events)).toEqual([
    "agent_start",
    "queue_update [] [f1]",
    "queue_update [s1] [f1]",
    "queue_update [s1,s2] [f1]",
    ...userTurn.slice(1),
    ...answer,
    "turn_end",
    ...turn("queue_update [s2] [f1]"),
    ...turn("queue_update [] [f1]"),
    ...turn("queue_update [] []"),
    settledEnd,
    "agent_settled completed",
  ]);
});
