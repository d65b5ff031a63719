import { expect, test } from "vitest";
import { createMemoryLog } from "../../src/log/index.ts";
import { InvalidPromptError, SessionBusyError } from "../../src/session/errors.ts";
import { order, overloaded, quiet, quota, scene, stubbornTool, toRest, tool, tooLong } from "./harness.ts";

test("abort inside an auto_retry_start listener settles, and no further request leaves", async () => {
  const s = scene([overloaded, "never asked"]);
  s.session.subscribe(({ type }) => {
    if (type === "auto_retry_start") void s.session.abort();
  });
  expect(await s.session.prompt("hi")).toMatchObject({ status: "aborted" });
  expect(s.model.requestCount).toBe(1);
  expect(order(s.events).slice(-4)).toEqual([
    "auto_retry_start 1/3 2000",
    "entry_appended context_edit",
    "auto_retry_end false 1 Retry cancelled",
    "agent_settled aborted",
  ]);
});

test("abortRetry inside an auto_retry_start listener settles failed", async () => {
  const s = scene([overloaded, "never asked"]);
  s.session.subscribe(({ type }) => {
    if (type === "auto_retry_start") s.session.abortRetry();
  });
  expect(await s.session.prompt("hi")).toMatchObject({ status: "failed" });
  expect(s.model.requestCount).toBe(1);
});

test.each(["agent_end", "compaction_start"])(
  "abort inside a listener of the %s before a compaction asks for no summary",
  async (at) => {
    const s = scene(
      ["long ".repeat(2_000), tooLong, "never asked"],
      { settings: { compaction: { keepRecentTokens: 1 } } },
      { contextWindow: 200_000 },
    );
    await s.session.prompt("one");
    s.session.subscribe(({ type }) => {
      if (type === at) void s.session.abort();
    });
    expect(await s.session.prompt("two")).toMatchObject({ status: "aborted" });
    await quiet();
    expect(s.model.requestCount).toBe(2);
  },
);

test("an abort right after a compaction was written finds it done, and is not told as having prevented it", async () => {
  const log = createMemoryLog();
  const appendAll = log.appendAll.bind(log);
  log.appendAll = (drafts) => {
    if (drafts.some(({ type }) => type === "compaction")) queueMicrotask(() => void s.session.abort());
    return appendAll(drafts);
  };
  const settings = { compaction: { keepRecentTokens: 1 } };
  const s = scene(["long ".repeat(2_000), tooLong, "the summary", "hello"], { log, settings }, { contextWindow: 200_000 });
  await s.session.prompt("one");
  expect(await s.session.prompt("two")).toMatchObject({ status: "aborted" });
  expect(order(s.events)).toContain("compaction_end overflow retry:true aborted:false");
  expect(s.model.requestCount).toBe(3);
});

test("abort in the same tick as prompt() settles without a request", async () => {
  const s = scene(["never asked"]);
  const outcome = s.session.prompt("hi");
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted", requests: 0 });
  expect(s.model.requestCount).toBe(0);
  expect(order(s.events)).toEqual(["agent_start", "agent_end retry:false continue:false", "agent_settled aborted"]);
});

test.each([
  "agent_start",
  "turn_start",
  "message_start",
  "message_update",
  "message_end",
  "turn_end",
  "tool_execution_start",
  "tool_execution_end",
])("abort inside a %s listener settles, and nothing starts after it", async (type) => {
  let ran = 0;
  const s = scene([{ text: "a", toolCalls: [{ name: "count" }, { name: "count" }] }, "never asked"], {
    tools: [tool("count", () => `${++ran}`)],
  });
  const first = s.session.subscribe((event) => {
    if (event.type !== type) return;
    first();
    void s.session.abort();
  });
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(s.model.requestCount).toBeLessThanOrEqual(1);
  if (type === "tool_execution_start") expect(ran).toBe(0);
  expect(s.events.filter((event) => event.type === "agent_settled")).toHaveLength(1);
  expect(s.clock.pending).toBe(0);
});

test("a tool that ignores its signal is left behind after the grace time, and its late answer changes nothing", async () => {
  const { tool: stubborn, finish } = stubbornTool();
  const s = scene([{ toolCalls: [{ name: "stubborn" }] }, "next"], { tools: [stubborn] });
  const outcome = s.session.prompt("hi");
  await quiet();
  const aborted = s.session.abort();
  await quiet();
  expect(s.session.state.state).toBe("aborting");
  s.clock.advance(4_999);
  await quiet();
  expect(s.session.state.state).toBe("aborting");
  s.clock.advance(1);
  await aborted;
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(JSON.stringify(s.session.messages.at(-1))).toContain("may still be running");
  expect(s.clock.pending).toBe(0);
  expect(order(s.events).slice(-6)).toEqual([
    "tool_execution_end",
    "message_start toolResult",
    "message_end toolResult",
    "turn_end",
    "agent_end retry:false continue:false",
    "agent_settled aborted",
  ]);
  const events = s.events.length;
  const entries = s.session.log.entries.length;
  finish();
  await quiet();
  expect(s.events).toHaveLength(events);
  expect(s.session.log.entries).toHaveLength(entries);
  expect(await s.session.prompt("go on")).toMatchObject({ status: "completed" });
});

test("a call whose turn had not come when the grace time ended is said not to have run", async () => {
  const { tool: stubborn } = stubbornTool();
  const tools = [{ ...stubborn, sequential: true }, tool("other", () => "never")];
  const s = scene([{ toolCalls: [{ name: "stubborn" }, { name: "other" }] }], { tools });
  const outcome = s.session.prompt("hi");
  await quiet();
  void s.session.abort();
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "aborted" });
  const results = s.session.messages.filter(({ role }) => role === "toolResult").map((result) => JSON.stringify(result));
  expect(results).toEqual([expect.stringContaining("may still be running"), expect.stringContaining("has not run")]);
  expect(s.events.filter(({ type }) => type === "tool_execution_end")).toHaveLength(1);
});

test("two calls of one id get a result each, also at the end of the grace time", async () => {
  const { tool: stubborn } = stubbornTool();
  const tools = [{ ...stubborn, sequential: true }, tool("quick", () => "quick")];
  const s = scene(
    [
      {
        toolCalls: [
          { id: "same", name: "quick" },
          { id: "same", name: "stubborn" },
        ],
      },
    ],
    { tools },
  );
  const outcome = s.session.prompt("hi");
  await quiet();
  void s.session.abort();
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(s.session.messages.flatMap((message) => (message.role === "toolResult" ? message.toolName : []))).toEqual([
    "quick",
    "stubborn",
  ]);
});

test("a model that ignores its signal does not hold up an abort", async () => {
  const s = scene([{ text: "a", hang: "ignore-signal" }]);
  const outcome = s.session.prompt("hi");
  await quiet();
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
});

test("of two prompts in one tick the second is refused, and says what to do; one settles", async () => {
  const s = scene(["hello"]);
  const first = s.session.prompt("one");
  const second = s.session.prompt("two");
  await expect(second).rejects.toThrow(SessionBusyError);
  await expect(second).rejects.toThrow(/streamingBehavior/);
  expect(await first).toMatchObject({ status: "completed" });
  expect(s.events.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
});

test("a prompt inside an agent_settled listener starts a prompt of its own", async () => {
  const s = scene(["one", "two"]);
  let second: Promise<unknown> | undefined;
  s.session.subscribe(({ type }) => {
    if (type === "agent_settled") second ??= s.session.prompt("again");
  });
  const first = await s.session.prompt("hi");
  expect(first.message?.content).toEqual([{ type: "text", text: "one" }]);
  expect(await second).toMatchObject({ message: { content: [{ type: "text", text: "two" }] } });
});

test("an aborted signal given to prompt() aborts it; one that was aborted before makes no request", async () => {
  const s = scene([{ hang: true }, "never asked"]);
  const controller = new AbortController();
  const outcome = s.session.prompt("hi", { signal: controller.signal });
  await quiet();
  controller.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(await s.session.prompt("hi", { signal: controller.signal })).toMatchObject({ status: "aborted", requests: 0 });
  expect(s.model.requestCount).toBe(1);
});

test("a queued prompt that is aborted by its signal leaves the queue, and the run goes on", async () => {
  const s = scene([{ text: "one", delayMs: 10 }]);
  const controller = new AbortController();
  const first = s.session.prompt("hi");
  const second = s.session.prompt("two", { streamingBehavior: "followUp", signal: controller.signal });
  controller.abort();
  expect(await second).toMatchObject({ status: "aborted" });
  await toRest(s);
  expect(await first).toMatchObject({ status: "completed", requests: 1 });
});

test.each<[string, unknown]>([
  ["null", [null]],
  ["a text block without text", [{ type: "text" }]],
  ["an image block without data", [{ type: "image", mimeType: "image/png" }]],
  ["an image block without its type", [{ type: "image", data: "aGk=" }]],
  ["a block of another type", [{ type: "audio", data: "aGk=" }]],
  ["a number", 5],
  ["nothing", undefined],
])("a prompt that is %s is refused with an error that says what it takes", async (_, prompt) => {
  const s = scene(["hello"]);
  await expect(s.session.prompt(prompt as string)).rejects.toThrow(InvalidPromptError);
  expect(s.session.log.entries).toEqual([]);
});

test("what becomes of a prompt's list of blocks afterwards does not change what was said", async () => {
  const s = scene(["hello"]);
  const blocks = [{ type: "text" as const, text: "hi" }];
  const outcome = s.session.prompt(blocks);
  blocks[0] = { type: "text", text: "changed" };
  blocks.push({ type: "text", text: "more" });
  await outcome;
  expect(s.session.messages[0]).toMatchObject({ content: [{ type: "text", text: "hi" }] });
});

test.each(["", "   ", []])("the empty prompt %j is refused before anything happens", async (prompt) => {
  const s = scene([]);
  await expect(s.session.prompt(prompt)).rejects.toThrow(InvalidPromptError);
  expect(s.session.log.entries).toHaveLength(0);
  expect(s.events).toHaveLength(0);
});

test("after a failure queued messages stay queued, the next prompt goes first, then they", async () => {
  const s = scene([quota, "one", "two", "three"]);
  const first = s.session.prompt("a");
  const queued = s.session.prompt("q1", { streamingBehavior: "steer" });
  s.session.followUp("q2");
  expect(await first).toMatchObject({ status: "failed" });
  expect(await queued).toMatchObject({ status: "queued" });
  await s.session.prompt("b");
  const texts = s.session.messages.filter(({ role }) => role === "user").map(({ content }) => content);
  expect(texts).toEqual(["a", "b", "q1", "q2"]);
  expect(s.model.requestCount).toBe(4);
});

test("a message steered at rest starts a run: none is stranded", async () => {
  const s = scene(["one", "two"]);
  s.session.steer("hello");
  await s.session.whenIdle();
  s.session.followUp("and");
  await s.session.whenIdle();
  expect(s.session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(s.events.filter(({ type }) => type === "agent_settled")).toHaveLength(2);
});

test("a prompt queued with streamingBehavior resolves with the outcome of the run that took it", async () => {
  const s = scene([{ text: "one", delayMs: 10 }, "two"]);
  const first = s.session.prompt("a");
  const second = s.session.prompt("b", { streamingBehavior: "followUp" });
  await toRest(s);
  expect(await first).toMatchObject({ status: "completed" });
  expect(await second).toMatchObject({ status: "completed", message: { content: [{ type: "text", text: "two" }] } });
});

test("clearQueue gives back what was queued, images too", async () => {
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  const s = scene([quota]);
  const outcome = s.session.prompt("a");
  s.session.steer([{ type: "text", text: "look" }, image]);
  s.session.followUp("later");
  await outcome;
  const removed = s.session.clearQueue();
  expect(removed.steering.map(({ content }) => content)).toEqual([[{ type: "text", text: "look" }, image]]);
  expect(removed.followUp.map(({ content }) => content)).toEqual(["later"]);
  expect(s.session.state).toMatchObject({ steering: [], followUp: [] });
});
