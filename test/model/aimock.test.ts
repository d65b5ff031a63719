import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callsOf, read, result, textOf, user } from "./helpers.ts";
import { FORMATS } from "./wire-formats.ts";

const mock = new LLMock({ port: 0, host: "127.0.0.1" });

beforeAll(async () => {
  mock.onMessage("hello", { content: "Hi there, how are you?" });
  mock.onMessage("think", { content: "Done.", reasoning: "Let me think." });
  mock.addFixture({
    match: { userMessage: "weather", hasToolResult: false },
    response: { toolCalls: [{ id: "call_w", name: "weather", arguments: '{"city":"Bern"}' }] },
  });
  mock.addFixture({ match: { userMessage: "weather", hasToolResult: true }, response: { content: "Sunny." } });
  mock.onMessage("overload", { error: { message: "Overloaded", type: "overloaded_error" }, status: 529 });
  mock.onMessage("throttle", { error: { message: "Rate limit reached", type: "rate_limit_error" }, status: 429, retryAfter: 3 });
  mock.addFixture({
    match: { userMessage: "cut" },
    response: { content: "A long answer that will never be whole, for it is cut." },
    truncateAfterChunks: 2,
    chunkSize: 10,
    latency: 20,
  });
  await mock.start();
});
afterAll(() => mock.stop());

const tools = [
  { name: "weather", description: "The weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
];

describe.each(FORMATS)("aimock speaks $name", (format) => {
  const model = () => format.make(mock.url);

  test("text", async () => {
    const { message, events } = await read(model(), { messages: [user("hello")] });
    expect([message.stopReason, textOf(message)]).toEqual(["stop", "Hi there, how are you?"]);
    expect(events.at(-1)?.type).toBe("done");
  });

  test("thinking", async () => {
    const { message } = await read(model(), { messages: [user("think")], thinkingLevel: "low" });
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Let me think." },
      { type: "text", text: "Done." },
    ]);
  });

  test("a tool call, its result, and the answer", async () => {
    const messages = [user("weather")];
    const first = (await read(model(), { messages, tools })).message;
    expect([first.stopReason, callsOf(first)]).toMatchObject(["toolUse", [{ name: "weather", arguments: { city: "Bern" } }]]);
    const id = callsOf(first)[0]?.id ?? "";
    const second = (await read(model(), { messages: [...messages, first, result(id, "sun")], tools })).message;
    expect([second.stopReason, textOf(second)]).toEqual(["stop", "Sunny."]);
  });

  test("an overload, a throttle with its wait, and a cut", async () => {
    expect((await read(model(), { messages: [user("overload")] })).message.failure).toMatchObject({
      kind: "overloaded",
      status: 529,
    });
    expect((await read(model(), { messages: [user("throttle")] })).message.failure).toMatchObject({
      kind: "rate_limited",
      retryAfterMs: 3000,
    });
    expect((await read(model(), { messages: [user("cut")] })).message).toMatchObject({
      stopReason: "error",
      failure: { kind: "stream_interrupted" },
    });
  });
});
