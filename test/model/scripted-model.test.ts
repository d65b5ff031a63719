import { describe, expect, test } from "vitest";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { ask, assistant, callsOf, read, settled, textOf, user } from "./helpers.ts";

describe("a scripted model", () => {
  test("answers from its list, in order, and keeps the requests", async () => {
    const model = scriptedModel(["one", { text: "two" }]);
    const first = ask("a");
    expect(textOf((await read(model, first)).message)).toBe("one");
    expect(textOf((await read(model, ask("b"))).message)).toBe("two");
    expect(model.requests[0]).toEqual(first);
    expect(model.requestCount).toBe(2);
  });

  test("fails with an error that says so when its list is used up", async () => {
    const model = scriptedModel(["one"]);
    await read(model);
    const { message } = await read(model);
    expect(message).toMatchObject({ stopReason: "error", failure: { action: "stop" } });
    expect(message.errorMessage).toContain("its script has 1, and this is request 2");
  });

  test("answers from a function of the request", async () => {
    const model = scriptedModel((request, index) => `${index}: ${request.messages.length}`);
    await read(model);
    expect(textOf((await read(model, { messages: [user("a"), user("b")] })).message)).toBe("1: 2");
  });

  test("streams thinking, text and tool calls, and stops to use the tools", async () => {
    const { message, events } = await read(
      scriptedModel([
        {
          thinking: "hm",
          text: "ok",
          toolCalls: [
            { name: "read", arguments: { path: "a" } },
            { id: "mine", name: "list" },
          ],
        },
      ]),
    );
    expect(message.stopReason).toBe("toolUse");
    expect(callsOf(message)).toEqual([
      { type: "toolCall", id: "call_1", name: "read", arguments: { path: "a" } },
      { type: "toolCall", id: "mine", name: "list", arguments: {} },
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      ...["start", "thinking_start", "thinking_delta", "thinking_end", "text_start", "text_delta", "text_end"],
      ...["toolcall_start", "toolcall_delta", "toolcall_end", "toolcall_start", "toolcall_delta", "toolcall_end", "done"],
    ]);
  });

  test("cuts its text into the deltas it is told", async () => {
    const { events } = await read(scriptedModel([{ text: "abcdefg", deltas: 3 }]));
    expect(events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []))).toEqual(["abc", "def", "g"]);
  });

  test("describes a failure as a client's, or takes it as it is", async () => {
    const refused = await read(scriptedModel([{ failure: { status: 529, message: "Overloaded" } }]));
    expect(refused.message).toMatchObject({ stopReason: "error", content: [], failure: { kind: "overloaded", status: 529 } });
    expect(refused.events.map(({ type }) => type)).toEqual(["error"]);
    const failure = refused.message.failure;
    const again = await read(scriptedModel([{ text: "half", failure }]));
    expect(again.message).toMatchObject({ content: [{ text: "half" }], failure });
  });

  test("waits on its clock, and an abort ends the wait", async () => {
    const clock = new ManualClock();
    const model = scriptedModel(
      [
        { text: "late", delayMs: 500 },
        { text: "never", delayMs: 500 },
      ],
      { clock },
    );
    const reading = read(model, ask("x"), { clock });
    await settled();
    clock.advance(500);
    expect(textOf((await reading).message)).toBe("late");
    const abort = new AbortController();
    const aborted = read(model, ask("x"), { clock, signal: abort.signal });
    await settled();
    abort.abort();
    expect((await aborted).message.stopReason).toBe("aborted");
    expect(clock.pending).toBe(0);
  });

  test("estimates its usage from characters, over a transcript that grows, shrinks or changes", async () => {
    const model = scriptedModel(() => "12345678", { prices: { input: 1, output: 2 } });
    const old = { ...user("x".repeat(40)) };
    const usages = [];
    for (const messages of [[old], [old, user("y".repeat(4))], [old], [user("z".repeat(8)), old]])
      usages.push((await read(model, { messages })).message.usage);
    expect(usages.map(({ input, output }) => [input, output])).toEqual([
      [10, 2],
      [11, 2],
      [10, 2],
      [12, 2],
    ]);
    expect(usages[0]?.cost?.total).toBeCloseTo((10 + 4) / 1e6);
  });

  test("states the usage it is told", async () => {
    const { message } = await read(scriptedModel([{ text: "x", usage: { input: 190_000, output: 5, cacheRead: 7 } }]));
    expect(message.usage).toMatchObject({ input: 190_000, output: 5, cacheRead: 7, totalTokens: 190_012 });
  });

  test("records nothing when it is told so", async () => {
    const model = scriptedModel(["a"], { record: false });
    await read(model);
    expect([model.requests.length, model.requestCount]).toEqual([0, 1]);
  });

  test("counts an assistant's tool calls and images too", async () => {
    const model = scriptedModel(["a"]);
    const messages = [assistant(model, [{ type: "toolCall", id: "1", name: "read", arguments: { a: 1 } }])];
    expect((await read(model, { messages })).message.usage.input).toBe(Math.ceil(("read".length + '{"a":1}'.length) / 4));
  });
});
