import { expect, test } from "vitest";
import { SessionBusyError } from "../../src/session/errors.ts";
import { order, overloaded, quiet, scene, toRest, tool, tooLong } from "./harness.ts";

const settings = { compaction: { keepRecentTokens: 1 } };
const window = { contextWindow: 200_000 };
const long = "long ".repeat(2_000);

test("a summary request has the same retries as a turn, and says so", async () => {
  const s = scene([long, "short", tooLong, overloaded, "the summary", "hello"], { settings }, window);
  await s.session.prompt("one");
  await s.session.prompt("two");
  s.events.length = 0;
  const outcome = s.session.prompt("three");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "completed", retries: 0, requests: 4 });
  expect(order(s.events).filter((line) => /summar|compaction/.test(line))).toEqual([
    "compaction_start overflow",
    "summarization_retry_scheduled",
    "summarization_retry_attempt_start",
    "summarization_retry_finished",
    "compaction_end overflow retry:true aborted:false",
  ]);
});

test("an abort in the wait of a summary's retry closes that wait before the compaction, and nothing follows the settle", async () => {
  const s = scene([long, "short", tooLong, overloaded, "never asked"], { settings }, window);
  await s.session.prompt("one");
  await s.session.prompt("two");
  s.events.length = 0;
  const outcome = s.session.prompt("three");
  await quiet();
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
  await quiet();
  expect(order(s.events).slice(-5)).toEqual([
    "compaction_start overflow",
    "summarization_retry_scheduled",
    "summarization_retry_finished",
    "compaction_end overflow retry:false aborted:true",
    "agent_settled aborted",
  ]);
  expect(s.clock.pending).toBe(0);
});

test("a session can go on from an earlier entry; the branch that is left stays in the log", async () => {
  const s = scene(["first answer", "second answer", "other answer"]);
  await s.session.prompt("one");
  const fork = s.session.log.leafId;
  await s.session.prompt("two");
  await s.session.moveTo(fork);
  await s.session.prompt("another two");
  expect(JSON.stringify(s.session.messages)).not.toContain("second answer");
  expect(JSON.stringify(s.session.log.entries)).toContain("second answer");
});

test("a branch that begins between a call and its result gives the call a truthful one", async () => {
  const s = scene([{ toolCalls: [{ name: "a" }] }, "done", "other answer"], { tools: [tool("a", () => "result")] });
  await s.session.prompt("one");
  const reply = s.session.log.entries.find((entry) => entry.type === "message" && entry.message.role === "assistant");
  await s.session.moveTo(reply?.id ?? null);
  expect(await s.session.prompt("two")).toMatchObject({ status: "completed" });
  expect(s.session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "user", "assistant"]);
  expect(JSON.stringify(s.session.messages[2])).toContain("it may have run");
});

test("a summary of the branch that is left can be taken along", async () => {
  const s = scene(["first answer", "second answer", "what was tried", "other answer"]);
  await s.session.prompt("one");
  const fork = s.session.log.leafId;
  await s.session.prompt("two");
  await s.session.moveTo(fork, { summarize: true, instructions: "mind the dead end" });
  expect(JSON.stringify(s.model.requests.at(-1))).toContain("mind the dead end");
  expect(JSON.stringify(s.session.messages)).toContain("what was tried");
  expect(await s.session.prompt("another two")).toMatchObject({ status: "completed" });
});

test.each(["abort", "dispose"] as const)("%s() ends the summary of a branch, and nothing of it goes on", async (end) => {
  const s = scene(["first answer", "second answer", { hang: true }]);
  await s.session.prompt("one");
  const fork = s.session.log.leafId;
  await s.session.prompt("two");
  const moved = expect(s.session.moveTo(fork, { summarize: true })).rejects.toThrow(/aborted/);
  await quiet();
  await s.session[end]();
  await moved;
  expect(s.clock.pending).toBe(0);
  expect(JSON.stringify(s.session.messages)).toContain("second answer");
});

test("while a branch is summarised no message is taken: it would be left behind", async () => {
  const s = scene(["first answer", "second answer", { text: "what was tried", delayMs: 100 }, "third answer"]);
  await s.session.prompt("one");
  const fork = s.session.log.leafId;
  await s.session.prompt("two");
  const moved = s.session.moveTo(fork, { summarize: true });
  await quiet();
  await expect(s.session.prompt("three")).rejects.toThrow(SessionBusyError);
  await expect(s.session.prompt("three", { streamingBehavior: "steer" })).rejects.toThrow(/moving to another branch/);
  expect(() => s.session.followUp("three")).toThrow(SessionBusyError);
  s.clock.advance(100);
  await moved;
  expect(await s.session.prompt("three")).toMatchObject({ status: "completed" });
});

test("a follow-up that comes right after a branch summary goes out with it, not after a request of its own", async () => {
  const s = scene(["first answer", "what was tried", "second answer"]);
  await s.session.prompt("one");
  await s.session.moveTo(null, { summarize: true });
  s.session.followUp("two");
  await toRest(s);
  expect(s.model.requestCount).toBe(3);
});

test("without its summary the session stays where it is", async () => {
  const s = scene(["first answer", "second answer", { failure: { status: 401, message: "invalid x-api-key" } }]);
  await s.session.prompt("one");
  const fork = s.session.log.leafId;
  await s.session.prompt("two");
  await expect(s.session.moveTo(fork, { summarize: true })).rejects.toThrow(/x-api-key/);
  expect(JSON.stringify(s.session.messages)).toContain("second answer");
});

test("an application can write the summaries itself", async () => {
  const s = scene(
    [long, "short", tooLong, "hello"],
    { settings, compaction: { summarize: async ({ messages }) => `${messages.length} messages before` } },
    window,
  );
  await s.session.prompt("one");
  await s.session.prompt("two");
  expect(await s.session.prompt("three")).toMatchObject({ status: "completed", requests: 2 });
  expect(JSON.stringify(s.session.messages[0])).toContain("messages before");
});
