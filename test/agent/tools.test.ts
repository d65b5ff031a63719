import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool, InvalidToolError, toolSet } from "../../src/agent/tool-set.ts";
import type { AnyTool } from "../../src/agent/types.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { ScriptedReply } from "../../src/testing/scripted-model.ts";
import { order, quiet, scene, stubbornTool, toRest, tool } from "../session/harness.ts";

const noop = (): string => "";

const call = (...names: string[]): ScriptedReply => ({ toolCalls: names.map((name) => ({ name })) });

/** Runs one prompt whose first reply makes these calls, and gives the results the model was shown. */
async function resultsOf(reply: ScriptedReply, tools: AnyTool[]) {
  const s = scene([reply, "done"], { tools });
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "completed" });
  const results = s.session.messages.filter((message) => message.role === "toolResult");
  return {
    ...s,
    results,
    texts: results.map(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")).join("")),
  };
}

test("zod schemas are shown to the model as JSON Schema, and give the arguments their type and defaults", async () => {
  const add = defineTool({
    name: "add",
    description: "Adds two numbers.",
    parameters: z.object({ a: z.number(), b: z.number().default(2) }),
    execute: ({ a, b }) => String(a + b),
  });
  const { texts, model } = await resultsOf({ toolCalls: [{ name: "add", arguments: { a: 1 } }] }, [add]);
  expect(texts).toEqual(["3"]);
  expect(model.requests[0]?.tools?.[0]).toMatchObject({
    name: "add",
    parameters: { type: "object", properties: { a: { type: "number" } } },
  });
});

test("arguments that break a zod schema are refused with a report the model can act on", async () => {
  const read = defineTool({
    name: "read",
    description: "Reads.",
    parameters: z.object({ path: z.string() }),
    execute: () => {
      throw new Error("must not run");
    },
  });
  const { texts, results } = await resultsOf({ toolCalls: [{ name: "read", arguments: { path: 7 } }] }, [read]);
  expect(results[0]?.isError).toBe(true);
  expect(texts[0]).toContain('Invalid arguments for the tool "read"');
  expect(texts[0]).toContain("path: Invalid input: expected string");
  expect(texts[0]).toContain('Received: {"path":7}');
});

test("arguments are checked against plain JSON Schema too", async () => {
  const parameters = { type: "object" as const, properties: { mode: { enum: ["r", "w"] } }, required: ["mode"] };
  const open = tool("open", () => "opened", { parameters });
  const wrong = await resultsOf({ toolCalls: [{ name: "open", arguments: { mode: "x" } }] }, [open]);
  expect(wrong.texts[0]).toContain('mode: must be equal to one of the allowed values ("r", "w")');
  const right = await resultsOf({ toolCalls: [{ name: "open", arguments: { mode: "r" } }] }, [open]);
  expect(right.texts).toEqual(["opened"]);
});

test("a plain JSON Schema may name the draft it was written for", async () => {
  const parameters = { $schema: "http://json-schema.org/draft-07/schema#", type: "object" as const, required: ["mode"] };
  const { texts } = await resultsOf({ toolCalls: [{ name: "open", arguments: { mode: "r" } }] }, [
    tool("open", () => "opened", { parameters }),
  ]);
  expect(texts).toEqual(["opened"]);
});

test("an unknown tool is an error result that names the tools there are", async () => {
  const { texts, results } = await resultsOf(call("fly"), [tool("walk", () => "")]);
  expect(results[0]).toMatchObject({ isError: true, toolName: "fly" });
  expect(texts[0]).toBe('There is no tool "fly". The tools are: walk.');
});

test("a thrown error is an error result, redacted and bounded", async () => {
  const { texts, results } = await resultsOf(call("boom"), [
    tool("boom", () => {
      throw new Error(`key sk-ant-api03-${"a".repeat(95)} ${"x".repeat(100_000)}`);
    }),
  ]);
  expect(results[0]?.isError).toBe(true);
  expect(texts[0]).not.toContain("sk-ant-api03-aaaa");
  expect(texts[0]?.length).toBeLessThanOrEqual(4_000);
});

test("a tool's failure never starts a retry, whatever its text says", async () => {
  const { events } = await resultsOf(call("boom"), [
    tool("boom", () => {
      throw new Error("529 Overloaded, rate limit, ECONNRESET");
    }),
  ]);
  expect(order(events).some((line) => line.startsWith("auto_retry_start"))).toBe(false);
});

test("a tool over its time limit is told by its signal", async () => {
  const slow = tool(
    "slow",
    (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    {
      timeoutMs: 1_000,
    },
  );
  const { texts, clock } = await resultsOf(call("slow"), [slow]);
  expect(texts[0]).toBe('The tool "slow" did not finish within 1000 ms.');
  expect(clock.now()).toBe(1_000);
});

/** A Standard Schema whose check never answers. */
const endless = {
  "~standard": {
    version: 1,
    vendor: "endless",
    validate: () => new Promise<never>(() => {}),
    jsonSchema: { input: () => ({ type: "object" }) },
  },
};

test("a schema that never answers is given up after the tool's time limit, and no timer is left", async () => {
  const { texts, clock } = await resultsOf(call("slow"), [tool("slow", noop, { parameters: endless, timeoutMs: 1_000 })]);
  expect(texts[0]).toBe('The schema of the tool "slow" could not be applied: it did not answer within 1000 ms.');
  expect(clock.now()).toBe(1_000);
  expect(clock.pending).toBe(0);
});

test("an abort does not wait for a schema that never answers", async () => {
  const s = scene([call("slow")], { tools: [tool("slow", noop, { parameters: endless })] });
  const outcome = s.session.prompt("hi");
  await quiet();
  await s.session.abort();
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(s.clock.now()).toBe(0);
  expect(s.clock.pending).toBe(0);
});

test("a tool that ignores its time limit is left behind after the grace time", async () => {
  const { tool: stubborn, finish } = stubbornTool();
  const { texts, clock, session } = await resultsOf(call("stubborn"), [{ ...stubborn, timeoutMs: 1_000 }]);
  expect(texts[0]).toContain("may still be running");
  expect(clock.now()).toBe(6_000);
  const entries = session.log.entries.length;
  finish();
  await quiet();
  expect(session.log.entries).toHaveLength(entries);
});

test("tools run in parallel by default; results follow in call order", async () => {
  const finish: Record<string, () => void> = {};
  const wait = (name: string): AnyTool => tool(name, () => new Promise((resolve) => (finish[name] = () => resolve(name))));
  const s = scene([call("a", "b"), "done"], { tools: [wait("a"), wait("b")] });
  const outcome = s.session.prompt("hi");
  await quiet();
  finish["b"]?.();
  await quiet();
  finish["a"]?.();
  await outcome;
  const ended = s.events.filter((event) => event.type === "tool_execution_end").map(({ toolName }) => toolName);
  expect(ended).toEqual(["b", "a"]);
  expect(s.session.messages.filter((message) => message.role === "toolResult").map(({ toolName }) => toolName)).toEqual([
    "a",
    "b",
  ]);
});

test("one sequential tool makes its whole batch run one after another", async () => {
  const running: string[] = [];
  let most = 0;
  const step =
    (name: string): AnyTool["execute"] =>
    async () => {
      running.push(name);
      most = Math.max(most, running.length);
      await quiet();
      running.splice(running.indexOf(name), 1);
      return name;
    };
  const { events } = await resultsOf(call("a", "b", "c"), [
    tool("a", step("a")),
    tool("b", step("b"), { sequential: true }),
    tool("c", step("c")),
  ]);
  expect(most).toBe(1);
  const lines = order(events);
  expect(lines.filter((line) => line.startsWith("tool_execution") || line === "message_end toolResult")).toEqual(
    ["a", "b", "c"].flatMap(() => ["tool_execution_start", "tool_execution_end", "message_end toolResult"]),
  );
});

test("progress is shown while the tool runs, and ignored once it has answered", async () => {
  let late: (text: string) => void = () => {};
  const { events } = await resultsOf(call("copy"), [
    tool("copy", (_, context) => {
      context.update("half");
      late = (text) => context.update(text);
      return "all";
    }),
  ]);
  late("more");
  const updates = events.filter((event) => event.type === "tool_execution_update");
  expect(updates.map(({ partialResult }) => partialResult.content)).toEqual([[{ type: "text", text: "half" }]]);
});

test("a result too large for the context keeps head and tail, and names its size", async () => {
  const text = `start ${"x".repeat(200_000)} end`;
  const { texts } = await resultsOf(call("cat"), [tool("cat", () => text)]);
  expect(texts[0]?.length).toBeLessThanOrEqual(100_000);
  expect(texts[0]).toMatch(/^start x/);
  expect(texts[0]).toContain(`[Shortened from ${text.length} characters.]`);
});

test("when every result asks to end the run, the model is not asked again", async () => {
  const s = scene([call("finish"), "never asked"], { tools: [tool("finish", () => ({ content: "bye", terminate: true }))] });
  expect(await s.session.prompt("hi")).toMatchObject({ status: "completed", requests: 1 });
});

test("a reply cut at its output limit runs no tool: each call gets a result that says why", async () => {
  let ran = false;
  const s = scene(
    [{ ...call("write", "write"), stopReason: "length", usage: { input: 10, output: 100 } }, "done"],
    {
      tools: [
        tool("write", () => {
          ran = true;
          return "";
        }),
      ],
    },
    { maxOutputTokens: 100 },
  );
  expect(await s.session.prompt("hi")).toMatchObject({ status: "completed", requests: 2 });
  expect(ran).toBe(false);
  const results = s.session.messages.filter((message) => message.role === "toolResult");
  expect(results).toHaveLength(2);
  expect(JSON.stringify(results)).toContain("the tool was not run");
});

test("a second length in a row ends the run, as cut", async () => {
  const cut: ScriptedReply = { ...call("write"), stopReason: "length", usage: { input: 10, output: 100 } };
  const s = scene([cut, cut, "never asked"], { tools: [tool("write", () => "")] }, { maxOutputTokens: 100 });
  expect(await s.session.prompt("hi")).toMatchObject({ status: "completed", cut: true, requests: 2 });
});

test("calls of a reply that failed are not run", async () => {
  let ran = false;
  const s = scene([{ ...call("write"), failure: { status: 529, message: "Overloaded" } }, "done"], {
    tools: [
      tool("write", () => {
        ran = true;
        return "";
      }),
    ],
  });
  const outcome = s.session.prompt("hi");
  await toRest(s);
  expect(await outcome).toMatchObject({ status: "completed", retries: 1 });
  expect(ran).toBe(false);
});

test("a retry repeats the failed request, not the tools that have run", async () => {
  let ran = 0;
  const s = scene([call("pay"), { failure: { status: 529, message: "Overloaded" } }, "done"], {
    tools: [tool("pay", () => `${++ran}`)],
  });
  const outcome = s.session.prompt("hi");
  await toRest(s);
  await outcome;
  expect(ran).toBe(1);
  expect(s.model.requests[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult"]);
});

test.each([
  [{ description: "x", parameters: { type: "object" }, execute: noop }, /Tool 1 has no name/],
  [{ name: "no spaces", description: "x", parameters: { type: "object" }, execute: noop }, /the name "no spaces"/],
  [{ name: "a", parameters: { type: "object" }, execute: noop }, /"a" has no description/],
  [{ name: "a", description: "x", execute: noop }, /"a" has no schema in parameters\. It takes a Standard Schema/],
  [{ name: "a", description: "x", parameters: { type: "array" }, execute: noop }, /has the type "array" at its top/],
  [{ name: "a", description: "x", parameters: z.string(), execute: noop }, /has the type "string" at its top/],
  [{ name: "a", description: "x", parameters: { type: "object" } }, /"a" has no execute function/],
  [{ name: "a", description: "x", parameters: { type: "object" }, execute: noop, timeoutMs: 0 }, /has the timeoutMs 0/],
])("the tool %j is refused", (given, message) => {
  expect(() => toolSet([given as never])).toThrow(InvalidToolError);
  expect(() => toolSet([given as never])).toThrow(message);
});

test("two tools of one name are refused", () => {
  const twice = tool("same", () => "");
  expect(() => toolSet([twice, twice])).toThrow(/Two tools are named "same"/);
});

test("turn_end carries the reply and its results", async () => {
  const { events } = await resultsOf(call("a"), [tool("a", () => "result")]);
  const first = events.find((event): event is SessionEvent & { type: "turn_end" } => event.type === "turn_end");
  expect(first?.toolResults.map(({ toolName }) => toolName)).toEqual(["a"]);
});

test.each<[string, () => unknown]>([
  ["a number", () => 5],
  ["an object without content", () => ({})],
  ["no content", () => ({ content: null })],
  ["a block that is none", () => ({ content: [null] })],
  ["a text block without text", () => ({ content: [{ type: "text" }] })],
  ["a block of an unknown type", () => ({ content: [{ type: "blob" }] })],
  ["details that are no JSON", () => ({ content: "ok", details: 1n })],
])("an answer of another shape is an error result that says so, and the run goes on: %s", async (_, execute) => {
  const { texts, results } = await resultsOf(call("odd"), [tool("odd", execute as AnyTool["execute"])]);
  expect(texts).toEqual([expect.stringContaining("its answer cannot be shown")]);
  expect(results[0]).toMatchObject({ isError: true });
});

test.each([undefined, null])("a tool that answers %j has done its work: that is no error", async (nothing) => {
  const { texts, results } = await resultsOf(call("quiet"), [tool("quiet", (() => nothing) as unknown as AnyTool["execute"])]);
  expect(texts).toEqual(["The tool finished without output."]);
  expect(results[0]).toMatchObject({ isError: false });
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["an object without a prototype", Object.create(null)],
  ["an error whose message is no text", Object.assign(new Error("x"), { message: 5 })],
  [
    "an error whose message throws",
    Object.defineProperty(new Error("x"), "message", {
      get: () => {
        throw new Error("no");
      },
    }),
  ],
])("whatever a tool throws is an error result: %s", async (_, thrown) => {
  const throwing = tool("throwing", () => {
    throw thrown;
  });
  const { results } = await resultsOf(call("throwing"), [throwing]);
  expect(results).toMatchObject([{ isError: true }]);
});

test("a tool that changes its arguments does not change the message they came in", async () => {
  const greedy = tool("greedy", (args: { list: number[] }) => `${args.list.push(2)}`);
  const { session } = await resultsOf({ toolCalls: [{ name: "greedy", arguments: { list: [1] } }] }, [greedy]);
  expect(session.messages[1]?.content).toMatchObject([{ arguments: { list: [1] } }]);
});
