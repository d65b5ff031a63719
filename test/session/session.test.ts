import { expect, test, vi } from "vitest";
import { createMemoryLog, LogError } from "../../src/log/index.ts";
import { CompactionError, NothingToContinueError, SessionDisposedError } from "../../src/session/errors.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { createSession } from "../../src/session/session.ts";
import { InvalidSettingError } from "../../src/session/merge-settings.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { order, overloaded, quiet, quota, scene, toRest, tool, tooLong } from "./harness.ts";

test("an exception in a listener is reported and changes nothing else", async () => {
  const reported: unknown[] = [];
  const s = scene(["hello"], { onListenerError: (error, { type }) => reported.push([String(error), type]) });
  s.session.subscribe(({ type }) => {
    throw new Error(`bug at ${type}`);
  });
  const later: string[] = [];
  s.session.subscribe(({ type }) => later.push(type));
  expect(await s.session.prompt("hi")).toMatchObject({ status: "completed" });
  expect(later).toEqual(s.events.map(({ type }) => type));
  expect(reported).toHaveLength(s.events.length);
  expect(reported[0]).toEqual(["Error: bug at agent_start", "agent_start"]);
});

test("an async listener that fails is reported like one that throws, and ends no process", async () => {
  const reported: string[] = [];
  const s = scene(["hello"], { onListenerError: (error, { type }) => void reported.push(`${String(error)} at ${type}`) });
  const failing: (event: SessionEvent) => unknown = async ({ type }) => {
    if (type === "agent_start") throw new Error("later bug");
  };
  s.session.subscribe(failing);
  expect(await s.session.prompt("hi")).toMatchObject({ status: "completed" });
  expect(reported).toEqual(["Error: later bug at agent_start"]);
});

test("a listener that another takes away is not told of the event under way", async () => {
  const s = scene(["hello"]);
  const told: string[] = [];
  let stop = (): void => {};
  s.session.subscribe(() => stop());
  stop = s.session.subscribe(({ type }) => told.push(type));
  await s.session.prompt("hi");
  expect(told).toEqual([]);
});

test("several readers of one stream that wait at the same time get an event each", async () => {
  const s = scene(["hello"]);
  const events = s.session.events();
  const first = events.next();
  const second = events.next();
  await s.session.prompt("hi");
  expect([(await first).value, (await second).value]).toMatchObject([{ type: "agent_start" }, { type: "turn_start" }]);
  const waiting = [...Array(s.events.length).keys()].map(() => events.next());
  await s.session.dispose();
  expect((await Promise.all(waiting)).at(-1)).toMatchObject({ done: true });
});

test("without onListenerError a listener's exception becomes a process warning", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const session = createSession({ model: scriptedModel(["hello"]) });
  session.subscribe(({ type }) => {
    if (type === "agent_start") throw new Error("bug");
  });
  await session.prompt("hi");
  expect(warn.mock.calls[0]?.[0]).toContain("agent_start");
  warn.mockRestore();
});

test("all listeners see events in one order, also those raised inside a listener", async () => {
  const s = scene([{ text: "one", delayMs: 5 }, "two"]);
  const before: string[] = [];
  const after: string[] = [];
  s.session.subscribe(({ type }) => before.push(type));
  let steered = false;
  s.session.subscribe(({ type }) => {
    if (type === "turn_start" && !steered) {
      steered = true;
      s.session.steer("more");
    }
  });
  s.session.subscribe(({ type }) => after.push(type));
  const outcome = s.session.prompt("hi");
  await toRest(s);
  await outcome;
  expect(after).toEqual(before);
  expect(before.slice(0, 3)).toEqual(["agent_start", "turn_start", "queue_update"]);
});

test("the state is one object until something in it changes", async () => {
  const s = scene([overloaded, "hello"]);
  const outcome = s.session.prompt("hi");
  await quiet();
  const { state } = s.session;
  expect(state).toMatchObject({ state: "backoff", busy: true, attempt: 1, maxAttempts: 3, retryAt: 2_000 });
  expect(s.session.state).toBe(state);
  await toRest(s);
  await outcome;
  expect(s.session.state).not.toBe(state);
  expect(s.session.state).toMatchObject({
    state: "settled",
    busy: false,
    attempt: 0,
    retryAt: null,
    outcome: { status: "completed" },
  });
});

test("the state's context tokens are those of now: in the first run, and after a compaction", async () => {
  const s = scene(["long ".repeat(2_000), "short", "the summary"], { settings: { compaction: { keepRecentTokens: 1 } } });
  const sizes: number[] = [];
  s.session.subscribe(({ type }) => type === "turn_end" && sizes.push(s.session.state.contextTokens));
  await s.session.prompt("one");
  await s.session.prompt("two");
  expect(sizes[0]).toBeGreaterThan(2_000);
  const before = s.session.state;
  await s.session.compact();
  expect(s.session.state.contextTokens).toBeLessThan(before.contextTokens / 2);
});

test("usage counts failed attempts", async () => {
  const spent = { input: 10, output: 5 };
  const s = scene([
    { ...overloaded, text: "par", usage: spent },
    { text: "hello", usage: spent },
  ]);
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect((await outcome).usage).toMatchObject({ input: 20, output: 10, totalTokens: 30 });
});

test("a partial text that was shown is said to be void before it is repeated", async () => {
  const s = scene([{ text: "half an ans", cut: 1 }, "whole"]);
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "completed", retries: 1 });
  const lines = order(s.events);
  expect(lines.indexOf("partial_discarded")).toBeGreaterThan(lines.indexOf("auto_retry_start 1/3 2000"));
  expect(JSON.stringify(s.session.messages)).not.toContain("half an ans");
  expect(JSON.stringify(s.session.log.entries)).toContain("half an ans");
});

test("a cut answer is gone on with where that is wanted: nothing shown is repeated, and the answer is whole", async () => {
  const s = scene([{ text: "The sky is ", cut: 1 }, "blue."], { settings: { stream: { onInterrupted: "continue" } } });
  let shown = "";
  s.session.subscribe((event) => {
    if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
      shown += event.assistantMessageEvent.delta;
  });
  const outcome = s.session.prompt("What colour?");
  await toRest(s);
  expect((await outcome).message?.content).toEqual([{ type: "text", text: "The sky is blue." }]);
  expect(shown).toBe("The sky is blue.");
  expect(order(s.events)).not.toContain("partial_discarded");
  expect(JSON.stringify(s.model.requests[1]?.messages)).toContain("The sky is ");
});

test("a cut answer is started again when a new message came in between, and the partial text is said to be void", async () => {
  const s = scene([{ text: "The sky is ", cut: 1 }, "Grass is green."], { settings: { stream: { onInterrupted: "continue" } } });
  const outcome = s.session.prompt("What colour?");
  await quiet();
  s.session.steer("I mean grass");
  await toRest(s);
  expect((await outcome).message?.content).toEqual([{ type: "text", text: "Grass is green." }]);
  expect(order(s.events)).toContain("partial_discarded");
});

test("the demanded wait of a throttle is kept", async () => {
  const s = scene([{ failure: { status: 429, message: "Too many requests", headers: { "retry-after": "7" } } }, "hello"]);
  const outcome = s.session.prompt("hi");
  await quiet();
  expect(s.session.state.retryAt).toBe(7_000);
  s.clock.advance(6_999);
  await quiet();
  expect(s.model.requestCount).toBe(1);
  s.clock.advance(1);
  expect(await outcome).toMatchObject({ status: "completed" });
});

test("turning retry off in a backoff acts as abortRetry", async () => {
  const s = scene([overloaded]);
  const outcome = s.session.prompt("hi");
  await quiet();
  s.session.setSettings({ retry: { enabled: false } });
  expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "overloaded" } });
});

test("a changed model answers the next request, and is in the log", async () => {
  const s = scene([overloaded]);
  const other = scriptedModel(["from the other"], { id: "other" });
  const outcome = s.session.prompt("hi");
  await quiet();
  s.session.setModel(other);
  await toRest(s);
  expect(await outcome).toMatchObject({ message: { model: "other" } });
  expect(s.session.log.entries.map(({ type }) => type)).toContain("model_change");
});

test.each([
  [{ retry: { maxRetries: -1 } }, /retry\.maxRetries is -1\. It takes a whole number, 0 or more\./],
  [{ retry: { baseDelayMs: Number.POSITIVE_INFINITY } }, /retry\.baseDelayMs is Infinity/],
  [{ retry: { policies: { billing: {} } } }, /retry\.policies\.billing names no kind of failure/],
  [{ steeringMode: "some" }, /steeringMode is "some"\. It takes "one-at-a-time" or "all"/],
  [{ compaction: { treshold: 1 } }, /There is no setting compaction\.treshold\. The settings are compaction\.enabled/],
  [{ retry: 3 }, /retry is 3\. It takes an object\./],
])("the settings %j are refused, and nothing changes", (settings, message) => {
  const s = scene([]);
  const before = s.session.settings;
  expect(() => s.session.setSettings(settings as never)).toThrow(InvalidSettingError);
  expect(() => s.session.setSettings(settings as never)).toThrow(message);
  expect(s.session.settings).toBe(before);
});

test("a setting that is given as undefined keeps its value; a limit is taken away by it", () => {
  const s = scene([], { settings: { limits: { maxTurns: 3 } } });
  s.session.setSettings({ retry: { maxRetries: undefined }, limits: { maxTurns: undefined } });
  expect(s.session.settings.retry.maxRetries).toBe(3);
  expect(s.session.settings.limits.maxTurns).toBeUndefined();
  expect(() => s.session.setSettings({ constructor: 1 } as never)).toThrow(/There is no setting constructor/);
});

test("a settled failure can be continued: the failed reply is left out, and the request repeated", async () => {
  const s = scene([quota, "hello"]);
  await s.session.prompt("hi");
  expect(await s.session.continue()).toMatchObject({ status: "completed" });
  expect(s.session.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(s.session.log.entries.map(({ type }) => type)).toEqual(["message", "message", "context_edit", "message"]);
});

test("with nothing unfinished there is nothing to continue", async () => {
  const s = scene(["hello"]);
  await expect(s.session.continue()).rejects.toThrow(NothingToContinueError);
  await s.session.prompt("hi");
  await expect(s.session.continue()).rejects.toThrow(/Send a prompt/);
});

test("queued messages alone are released by continue()", async () => {
  const s = scene([quota, "one", "two"]);
  const outcome = s.session.prompt("a");
  s.session.followUp("later");
  await outcome;
  await s.session.continue();
  expect(s.session.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(["a", "later"]);
});

test("compact() by hand gives the result, and rejects with the reason when there is nothing to do", async () => {
  const s = scene(["an answer ".repeat(500), "short", "the summary"], { settings: { compaction: { keepRecentTokens: 1 } } });
  await expect(s.session.compact()).rejects.toThrow(CompactionError);
  await s.session.prompt("a question ".repeat(100));
  await s.session.prompt("short");
  s.events.length = 0;
  expect(await s.session.compact("mind the numbers")).toMatchObject({ summary: expect.stringContaining("the summary") });
  expect(order(s.events)).toEqual(["compaction_start manual", "compaction_end manual retry:false aborted:false"]);
  expect(JSON.stringify(s.model.requests.at(-1))).toContain("mind the numbers");
});

test("an overflow with nothing to compact settles failed, with text for the person", async () => {
  const s = scene([tooLong], {}, { contextWindow: 200_000 });
  const outcome = await s.session.prompt("hi");
  expect(outcome.status).toBe("failed");
  expect(outcome.failure?.message).toMatch(/^Context overflow recovery failed: /);
  expect(outcome.failure?.hint).toContain('Most room is taken by the message "hi", about');
});

test("a failed summary after an overflow settles failed; the log is as it was", async () => {
  const s = scene(
    ["answer ".repeat(2_000), tooLong, quota],
    { settings: { compaction: { keepRecentTokens: 10 } } },
    { contextWindow: 200_000 },
  );
  await s.session.prompt("one");
  const outcome = await s.session.prompt("two");
  expect(outcome).toMatchObject({ status: "failed" });
  expect(outcome.failure?.message).toContain("quota");
  expect(s.session.log.entries.map(({ type }) => type)).toEqual(["message", "message", "message", "message"]);
});

test("an answer cut at its output limit completes as cut", async () => {
  const s = scene(
    [{ text: "half", stopReason: "length", usage: { input: 10, output: 100 } }],
    {},
    { maxOutputTokens: 100, contextWindow: 10_000 },
  );
  expect(await s.session.prompt("hi")).toMatchObject({ status: "completed", cut: true });
});

test("limits.maxTurns ends a prompt as failed, and continue() goes on with a new budget", async () => {
  const call = { toolCalls: [{ name: "again" }] };
  const s = scene([call, call, "done"], { tools: [tool("again", () => "ok")], settings: { limits: { maxTurns: 2 } } });
  expect(await s.session.prompt("hi")).toMatchObject({ status: "failed", failure: { kind: "limit" }, requests: 2 });
  expect(await s.session.continue()).toMatchObject({ status: "completed" });
});

test("limits.maxRequests counts retries", async () => {
  const s = scene([overloaded, overloaded, "never asked"], { settings: { limits: { maxRequests: 2 } } });
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "limit" }, requests: 2 });
});

test("the classify hook judges before our rules", async () => {
  const s = scene([{ failure: { status: 418, message: "I'm a teapot" } }, "hello"], {
    classify: ({ status }) =>
      status === 418 ? { action: "retry", kind: "overloaded", rule: "own.teapot", why: "it cools down" } : undefined,
  });
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "completed", retries: 1 });
  expect(s.events.find(({ type }) => type === "auto_retry_start")).toMatchObject({ failure: { rule: "own.teapot" } });
});

test("dispose ends everything: the open prompt, streams, timers; a pending retry stays resumable", async () => {
  const log = createMemoryLog();
  const s = scene([overloaded, "never asked"], { log });
  const seen: string[] = [];
  const reader = (async () => {
    for await (const { type } of s.session.events()) seen.push(type);
  })();
  const outcome = s.session.prompt("hi");
  await quiet();
  await s.session.dispose();
  await reader;
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(seen.at(-1)).toBe("agent_settled");
  expect(s.clock.pending).toBe(0);
  expect(log.entries.at(-1)).toMatchObject({ customType: "agent-session-machine/retry", data: { attempt: 1, retryAt: 2_000 } });
  await expect(s.session.prompt("hi")).rejects.toThrow(SessionDisposedError);
});

test("events() ends with its signal, and a reader that is far behind loses deltas before anything else", async () => {
  const s = scene([{ text: "x", deltas: 30_000 }]);
  const controller = new AbortController();
  const stream = s.session.events({ signal: controller.signal });
  await s.session.prompt("hi");
  const read: SessionEvent[] = [];
  controller.abort();
  for await (const event of stream) read.push(event);
  expect(read.length).toBeLessThanOrEqual(10_000);
  expect(read.filter(({ type }) => type !== "message_update").map(({ type }) => type)).toEqual(
    s.events.filter(({ type }) => type !== "message_update").map(({ type }) => type),
  );
});

test("an estimator or a random source that throws in a run ends it as failed, and hangs nothing", async () => {
  let broken = false;
  const throwing = (value: number) => (): number => {
    if (broken) throw new Error("a bug of the application's");
    return value;
  };
  for (const ports of [{ random: throwing(0) }, { estimate: throwing(1) }]) {
    const s = scene(() => ({ text: "hello", delayMs: 1, usage: { totalTokens: 0 } }), ports);
    broken = false;
    const outcome = s.session.prompt("hi");
    await quiet();
    broken = true;
    await toRest(s);
    expect(await outcome).toMatchObject({ status: "failed", failure: { kind: "internal" } });
    broken = false;
    const next = s.session.prompt("again");
    await toRest(s);
    expect(await next).toMatchObject({ status: "completed" });
  }
});

test("a parent machine that stops the session's actor ends the session: open prompts are aborted, and no more are taken", async () => {
  const s = scene([{ hang: true }]);
  const outcome = s.session.prompt("hi");
  const queued = s.session.prompt("later", { streamingBehavior: "followUp" });
  await quiet();
  s.session.actor.stop();
  expect(await outcome).toMatchObject({ status: "aborted", requests: 1 });
  expect(await queued).toMatchObject({ status: "queued" });
  await expect(s.session.prompt("again")).rejects.toThrow(SessionDisposedError);
  await s.session.dispose();
  expect(s.clock.pending).toBe(0);
});

test.each(["abort", "dispose"] as const)(
  "a prompt queued during a compaction by hand is told by %s() that it still waits",
  async (end) => {
    const s = scene(["answer ".repeat(2_000), "short", { hang: true }], { settings: { compaction: { keepRecentTokens: 1 } } });
    await s.session.prompt("one");
    await s.session.prompt("two");
    const compacted = expect(s.session.compact()).rejects.toThrow(CompactionError);
    const queued = s.session.prompt("later", { streamingBehavior: "followUp" });
    await quiet();
    await s.session[end]();
    await compacted;
    expect(await queued).toMatchObject({ status: "queued" });
    expect(s.session.state.followUp).toHaveLength(1);
  },
);

test("a signal that takes back a queued prompt while the log cannot be written leaves it queued, and harms no one", async () => {
  const log = createMemoryLog();
  const append = log.append.bind(log);
  let full = false;
  log.append = (draft) => {
    if (full) throw new LogError("write", "no space left on device");
    return append(draft);
  };
  const s = scene([{ text: "hello", delayMs: 1 }, "later answer"], { log });
  const outcome = s.session.prompt("hi");
  const caller = new AbortController();
  const queued = s.session.prompt("later", { streamingBehavior: "followUp", signal: caller.signal });
  await quiet();
  full = true;
  caller.abort();
  full = false;
  await toRest(s);
  expect([await outcome, await queued]).toMatchObject([{ status: "completed" }, { status: "completed" }]);
});

test("clearQueue finds what the same listener queued just before", async () => {
  const s = scene(["one", "two"]);
  let removed: unknown;
  s.session.subscribe(({ type }) => {
    if (type !== "agent_start" || removed) return;
    s.session.steer("steer");
    s.session.followUp("follow");
    removed = s.session.clearQueue();
  });
  await s.session.prompt("hi");
  expect(removed).toMatchObject({ steering: [{ content: "steer" }], followUp: [{ content: "follow" }] });
  expect(s.session.messages).toHaveLength(2);
});

test.each([5, "text", [], null])("settings that are no object are refused: %j", (settings) => {
  expect(() => createSession({ model: scriptedModel([]), settings: settings as never })).toThrow(InvalidSettingError);
});

test.each([undefined, {}, { provider: "p", id: "m" }])("what is no model is refused, with what to give instead: %j", (model) => {
  expect(() => createSession({ model: model as never })).toThrow(/needs a model/);
});

test("the event stream of a disposed session is over", async () => {
  const s = scene([]);
  await s.session.dispose();
  expect(await s.session.events().next()).toEqual({ done: true, value: undefined });
});

test("two sessions on one id in one process are refused", () => {
  const first = createMemoryLog({ id: "same" });
  const second = createMemoryLog({ id: "same" });
  const session = createSession({ model: scriptedModel([]), log: first });
  expect(() => createSession({ model: scriptedModel([]), log: second })).toThrow(/"same" is open in this process already/);
  return session.dispose();
});

test("a second session on the log of one at work is refused, and writes nothing into it", async () => {
  const s = scene([{ toolCalls: [{ name: "slow" }] }], { tools: [tool("slow", () => new Promise(() => {}))] });
  void s.session.prompt("hi");
  await quiet();
  const { log } = s.session;
  const entries = log.entries.length;
  expect(() => createSession({ model: s.model, log })).toThrow(RangeError);
  expect(log.entries).toHaveLength(entries);
});
