import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { rpcCommands } from "../../../src/cli/rpc/commands.ts";
import { LineReader } from "../../../src/cli/wire/line-reader.ts";
import { overloaded, quiet, quota, tooLong, tool } from "../../session/harness.ts";
import { RpcScene } from "./harness.ts";

const settled = (line: { type: string }) => line.type === "agent_settled";

test("a prompt is answered at acceptance; how it ends is told by events alone", async () => {
  const s = new RpcScene([quota]);
  expect(await s.send({ type: "prompt", message: "hi" })).toMatchObject({ success: true, data: { disposition: "started" } });
  expect(await s.until(settled)).toMatchObject({ outcome: { status: "failed", failure: { kind: "quota_exhausted" } } });
});

test("deltas carry no copy of the message so far", async () => {
  const s = new RpcScene([{ text: "hello there", deltas: 3 }]);
  await s.send({ type: "prompt", message: "hi" });
  await s.until(settled);
  const updates = s.lines.filter(({ type }) => type === "message_update");
  expect(updates.length).toBeGreaterThan(2);
  for (const update of updates) expect(Object.keys(update)).toEqual(["type", "assistantMessageEvent"]);
});

test("get_state tells of a retry: state, attempt, and when it comes", async () => {
  const s = new RpcScene([overloaded, "hello"]);
  await s.send({ type: "prompt", message: "hi" });
  await s.until(({ type }) => type === "auto_retry_start");
  expect((await s.send({ type: "get_state" }))["data"]).toMatchObject({
    state: "backoff",
    attempt: 1,
    maxAttempts: 3,
    retryAt: 2_000,
    isStreaming: true,
  });
  s.clock.advance(2_000);
  await s.until(settled);
  expect((await s.send({ type: "get_state" }))["data"]).toMatchObject({
    state: "settled",
    attempt: 0,
    retryAt: null,
    isStreaming: false,
  });
});

test("abort answers when the session rests", async () => {
  const s = new RpcScene([{ text: "a", hang: true }]);
  await s.send({ type: "prompt", message: "hi" });
  expect(await s.send({ type: "abort" })).toMatchObject({ success: true });
  expect(s.lines.at(-2)).toMatchObject({ type: "agent_settled", aborted: true });
});

test("abort_retry ends the wait as failed", async () => {
  const s = new RpcScene([overloaded]);
  await s.send({ type: "prompt", message: "hi" });
  await s.until(({ type }) => type === "auto_retry_start");
  await s.send({ type: "abort_retry" });
  expect(await s.until(settled)).toMatchObject({ outcome: { status: "failed" } });
});

test("steer, follow_up and clear_queue", async () => {
  const s = new RpcScene([{ text: "a", hang: true }]);
  await s.send({ type: "prompt", message: "hi" });
  expect(await s.send({ type: "steer", message: "s" })).toMatchObject({ data: { disposition: "queued" } });
  expect(await s.send({ type: "follow_up", message: "f" })).toMatchObject({ data: { disposition: "queued" } });
  expect(await s.send({ type: "prompt", message: "p", streamingBehavior: "steer" })).toMatchObject({
    data: { disposition: "queued" },
  });
  expect((await s.send({ type: "get_state" }))["data"]).toMatchObject({ pendingMessageCount: 3 });
  expect((await s.send({ type: "clear_queue" }))["data"]).toEqual({ steering: ["s", "p"], followUp: ["f"] });
});

test("continue goes on with a failed reply, and says when there is nothing", async () => {
  const s = new RpcScene([quota, "hello"]);
  expect(await s.send({ type: "continue" })).toMatchObject({
    success: false,
    error: expect.stringContaining("nothing to continue"),
  });
  await s.send({ type: "prompt", message: "hi" });
  await s.until(settled);
  expect(await s.send({ type: "continue" })).toMatchObject({ success: true });
  await s.until((line) => settled(line) && JSON.stringify(line).includes("completed"));
});

test("compact answers when it is done, with its result or with why not", async () => {
  const s = new RpcScene(["long ".repeat(500), "short", "the summary"], { settings: { compaction: { keepRecentTokens: 1 } } });
  expect(await s.send({ type: "compact" })).toMatchObject({ success: false });
  for (const message of ["one", "two"]) {
    s.lines.length = 0;
    await s.send({ type: "prompt", message });
    await s.until(settled);
  }
  expect(await s.send({ type: "compact", customInstructions: "short" })).toMatchObject({
    success: true,
    data: { summary: expect.stringContaining("the summary") },
  });
});

test("an overflow is recovered under way, and shown", async () => {
  const s = new RpcScene(["long ".repeat(500), "short", tooLong, "the summary", "hello"], {
    settings: { compaction: { keepRecentTokens: 1 } },
  });
  for (const message of ["one", "two", "three"]) {
    s.lines.length = 0;
    await s.send({ type: "prompt", message });
    await s.until(settled);
  }
  expect(s.types()).toContain("compaction_start");
  expect((await s.send({ type: "get_last_assistant_text" }))["data"]).toEqual({ text: "hello" });
});

test("what a session holds can be read: messages, entries, tree, statistics", async () => {
  const s = new RpcScene([{ text: "let me see", toolCalls: [{ name: "look" }] }, "hello"], {
    tools: [tool("look", () => "seen")],
  });
  await s.send({ type: "prompt", message: "hi" });
  await s.until(settled);
  const entries = Object((await s.send({ type: "get_entries" }))["data"]).entries;
  expect(entries).toHaveLength(4);
  expect(Object((await s.send({ type: "get_entries", since: entries[2].id }))["data"]).entries).toHaveLength(1);
  expect(Object((await s.send({ type: "get_messages" }))["data"]).messages).toHaveLength(4);
  expect(Object((await s.send({ type: "get_tree" }))["data"]).tree[0].children[0].children).toHaveLength(1);
  expect((await s.send({ type: "get_session_stats" }))["data"]).toMatchObject({
    userMessages: 1,
    assistantMessages: 2,
    toolCalls: 1,
    toolResults: 1,
    totalMessages: 4,
  });
});

test("sessions can be begun anew and forked before a user message", async () => {
  const s = new RpcScene(["one", "two", "three"]);
  await s.send({ type: "prompt", message: "first" });
  await s.until(settled);
  s.lines.length = 0;
  await s.send({ type: "prompt", message: "second" });
  await s.until(settled);
  const entries = Object((await s.send({ type: "get_entries" }))["data"]).entries;
  expect((await s.send({ type: "fork", entryId: entries[2].id }))["data"]).toEqual({ text: "second", cancelled: false });
  expect(Object((await s.send({ type: "get_messages" }))["data"]).messages).toHaveLength(2);
  expect(await s.send({ type: "new_session" })).toMatchObject({ data: { cancelled: false } });
  expect(Object((await s.send({ type: "get_messages" }))["data"]).messages).toHaveLength(0);
  s.lines.length = 0;
  await s.send({ type: "prompt", message: "anew" });
  await s.until(settled);
});

test("settings, model and name", async () => {
  const s = new RpcScene([]);
  await s.send({ type: "set_auto_retry", enabled: false });
  await s.send({ type: "set_auto_compaction", enabled: false });
  await s.send({ type: "set_steering_mode", mode: "all" });
  await s.send({ type: "set_follow_up_mode", mode: "all" });
  await s.send({ type: "set_thinking_level", level: "high" });
  await s.send({ type: "set_session_name", name: "nightly" });
  expect(await s.send({ type: "set_model", provider: "other", modelId: "m" })).toMatchObject({
    data: { provider: "other", id: "m" },
  });
  expect((await s.send({ type: "get_state" }))["data"]).toMatchObject({
    autoRetryEnabled: false,
    autoCompactionEnabled: false,
    steeringMode: "all",
    followUpMode: "all",
    thinkingLevel: "high",
    sessionName: "nightly",
    model: { provider: "other", id: "m" },
  });
  expect((await s.send({ type: "get_available_models" }))["data"]).toMatchObject({ models: [{ provider: "scripted" }] });
  expect((await s.send({ type: "get_commands" }))["data"]).toEqual({ commands: [] });
});

test("explain says what a session makes of an error text", async () => {
  const s = new RpcScene([]);
  expect((await s.send({ type: "explain", text: "429 insufficient_quota" }))["data"]).toMatchObject({
    failure: { action: "stop", kind: "quota_exhausted" },
  });
});

describe("what cannot be taken is an error response that names the field", () => {
  test.each([
    ["nonsense", { command: "parse", error: expect.stringContaining("no JSON") }],
    ["[1]", { command: "parse", error: expect.stringContaining("no JSON object") }],
    ["{}", { command: "parse", field: "type" }],
    ['{"type":7}', { command: "parse", field: "type" }],
    ['{"type":"prompt","id":7,"message":"hi"}', { field: "id" }],
    ['{"type":"promt"}', { command: "promt", field: "type", error: expect.stringContaining("Did you mean prompt?") }],
    ['{"type":"prompt"}', { field: "message", error: expect.stringContaining("message is missing") }],
    ['{"type":"prompt","message":"  "}', { field: "message" }],
    ['{"type":"prompt","message":"hi","images":[{"data":1}]}', { field: "images" }],
    ['{"type":"prompt","message":"hi","streamingBehavior":"later"}', { field: "streamingBehavior" }],
    ['{"type":"set_auto_retry","enabled":"yes"}', { field: "enabled", error: 'enabled is "yes". It takes true or false.' }],
    ['{"type":"set_thinking_level","level":"max"}', { field: "level" }],
    ['{"type":"get_entries","since":"nowhere"}', { field: "since" }],
    ['{"type":"switch_session","sessionPath":"/nowhere.jsonl"}', { field: "sessionPath" }],
    ['{"type":"fork","entryId":"nowhere"}', { field: "entryId" }],
    ['{"type":"__proto__"}', { field: "type" }],
  ])("%s", async (line, response) => {
    const s = new RpcScene([]);
    s.write(`${line}\n`);
    expect(await s.until(({ type }) => type === "response")).toMatchObject({ success: false, ...response });
  });

  test("a prompt while the session works, without streamingBehavior", async () => {
    const s = new RpcScene([{ hang: true }]);
    await s.send({ type: "prompt", message: "one" });
    expect(await s.send({ type: "prompt", message: "two" })).toMatchObject({ success: false, field: "streamingBehavior" });
  });
});

test("the end of stdin ends the process in order, aborting what runs", async () => {
  const s = new RpcScene([{ hang: true }]);
  await s.send({ type: "prompt", message: "hi" });
  s.stdin.end();
  expect(await s.exit).toBe(0);
  expect(s.lines.at(-1)).toMatchObject({ type: "agent_settled", aborted: true });
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends it in order with exit code %i, a second signal at once", async (signal, code) => {
  const s = new RpcScene([{ hang: true }]);
  await s.send({ type: "prompt", message: "hi" });
  s.signal(signal);
  s.signal(signal);
  expect(s.exits).toEqual([code]);
  expect(await s.exit).toBe(code);
});

test("lines end at LF alone: CRLF, U+2028 and a missing last LF are no trouble", async () => {
  const s = new RpcScene(["a"]);
  s.write('{"id":"a","type":"get_state"}\r\n{"id":"b","type":"prompt","message":"one\u2028two"}\n{"id":"c","type":"get_state"}');
  s.stdin.end();
  await s.exit;
  for (const id of ["a", "b", "c"]) expect(await s.response(id)).toMatchObject({ success: true });
});

test("a reader that stops reading bounds our memory, holds the next request back, and abort still works", async () => {
  const call = { toolCalls: [{ name: "talk" }], text: "x".repeat(3_000_000), deltas: 3_000 };
  const s = new RpcScene([call, call, call, call, "done"], { tools: [tool("talk", () => "y".repeat(10_000))] });
  s.stdout.pause();
  s.write('{"id":"p","type":"prompt","message":"hi"}\n');
  await quiet();
  await quiet();
  expect(s.model.requestCount).toBe(1);
  expect(s.stdout.writableLength + s.stdout.readableLength).toBeLessThan(40_000_000);
  s.write('{"id":"stop","type":"abort"}\n');
  await quiet();
  s.stdout.resume();
  expect(await s.response("stop")).toMatchObject({ success: true });
  expect(s.model.requestCount).toBe(1);
});

test("any bytes cut anywhere give the same lines", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat(50)), (texts, cuts) => {
      const lines = texts.map((text) => JSON.stringify(text));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      const read: string[] = [];
      const reader = new LineReader({ onLine: (line) => read.push(line), onTooLong: () => {} });
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        reader.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      reader.end();
      expect(read).toEqual(lines);
    }),
  );
});

test("whatever comes in, in any order and at any time: nothing dies, nothing hangs, every id is answered", async () => {
  const names = Object.keys(rpcCommands);
  const value = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.integer(),
    fc.constant(null),
    fc.constantFrom("steer", "followUp", "all", "high", "scripted"),
  );
  const command = fc.record(
    {
      type: fc.constantFrom(...names, "prompt", "abort", "continue"),
      message: value,
      streamingBehavior: value,
      enabled: value,
      mode: value,
      level: value,
      entryId: value,
      since: value,
      text: value,
      name: value,
      images: value,
      provider: value,
      modelId: value,
      customInstructions: value,
    },
    { requiredKeys: ["type"] },
  );
  const step = fc.oneof(
    { weight: 6, arbitrary: command },
    { weight: 1, arbitrary: fc.string().filter((text) => !text.includes("\n")) },
    { weight: 2, arbitrary: fc.constant("wait" as const) },
  );
  const replies = fc.array(
    fc.constantFrom("hello", overloaded, quota, tooLong, { text: "part", hang: true as const }, { text: "half", cut: 1 }),
    { minLength: 30, maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), replies, async (steps, script) => {
      const s = new RpcScene((_, index) => script[index % script.length] ?? "hello");
      const ids: string[] = [];
      for (const [index, given] of steps.entries()) {
        if (given === "wait") {
          s.clock.advance(2_000);
          await quiet();
        } else if (typeof given === "string") s.write(`${given}\n`);
        else {
          ids.push(`id-${index}`);
          s.write(`${JSON.stringify({ ...given, id: `id-${index}` })}\n`);
        }
      }
      await quiet();
      s.stdin.end();
      while (!(await Promise.race([s.exit.then(() => true), quiet().then(() => false)]))) s.clock.advance(10_000);
      expect(await s.exit).toBe(0);
      await quiet();
      const answered = s.lines.filter(({ type }) => type === "response").map(({ id }) => id);
      for (const id of ids) expect(answered.filter((other) => other === id)).toHaveLength(1);
    }),
    { numRuns: 150 },
  );
});
