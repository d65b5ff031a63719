import { describe, expect, test } from "vitest";
import { CHAT_DIALECTS, openaiChat } from "../../src/model/openai/index.ts";
import type { Message, ModelRequest } from "../../src/model/types.ts";
import { assistant, call, callsOf, read, result, textOf, user } from "./helpers.ts";
import { CHAT, chunk, data } from "./wire-formats.ts";
import { breakAfter, reset, stream, WireServer, type Answer } from "./wire-server.ts";

const DONE = "data: [DONE]\n\n";
const text = chunk({ content: "Yes." });
const good = stream(text, chunk({}, "stop"), DONE);

const reply = async (answer: Answer, options: object = {}) => {
  await using server = await WireServer.start(answer);
  return (await read(CHAT.make(server.url, options))).message;
};

async function sent(request: ModelRequest, options: object = {}): Promise<Record<string, unknown>> {
  await using server = await WireServer.start(good);
  const { message } = await read(CHAT.make(server.url, options), request);
  expect(message.errorMessage).toBeUndefined();
  return server.requests[0]?.body as Record<string, unknown>;
}

const messagesOf = async (messages: Message[], options: object = {}): Promise<unknown> =>
  (await sent({ messages }, options))["messages"];

describe("stop reasons", () => {
  test.each([
    ["stop", "stop"],
    ["eos", "stop"],
    ["length", "length"],
    ["model_length", "length"],
  ])("%s is %s", async (raw, stopReason) => {
    expect(await reply(stream(text, chunk({}, raw), DONE))).toMatchObject({ stopReason, rawStopReason: raw });
  });

  test.each([
    ["content_filter", "content_policy"],
    ["error", "server_error"],
    ["network_error", "stream_interrupted"],
    ["insufficient_system_resource", "stream_interrupted"],
  ])("%s is a failure of kind %s", async (raw, kind) => {
    expect(await reply(stream(text, chunk({}, raw), DONE))).toMatchObject({
      stopReason: "error",
      rawStopReason: raw,
      failure: { kind },
    });
  });

  test("an error beside the stop reason has the last word", async () => {
    const frame = data({
      id: "x",
      error: { code: 502, message: "Provider disconnected" },
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
    });
    const message = await reply(stream(text, frame, DONE));
    expect(message.failure?.action).toBe("retry");
    expect(message.errorMessage).toContain("Provider disconnected");
  });

  test("an error inside the choice, and one that is a string, are seen", async () => {
    for (const frame of [
      data({ choices: [{ index: 0, error: { code: 503, message: "Model is overloaded" } }] }),
      data({ error: "Model is overloaded" }),
    ]) {
      expect(await reply(stream(text, frame, DONE))).toMatchObject({ failure: { kind: "overloaded" } });
    }
  });

  test("a refusal of the model is a failure that says why", async () => {
    const message = await reply(stream(chunk({ refusal: "I can't " }), chunk({ refusal: "do that." }), chunk({}, "stop"), DONE));
    expect(message).toMatchObject({ failure: { kind: "content_policy" } });
    expect(message.errorMessage).toContain("I can't do that.");
  });

  test("[DONE] without any stop reason is interrupted", async () => {
    expect(await reply(stream(text, DONE))).toMatchObject({ failure: { rule: "stream.no-terminal-event" } });
  });
});

describe("dialects", () => {
  test("reasoning comes under either name", async () => {
    for (const field of ["reasoning_content", "reasoning"]) {
      const message = await reply(
        stream(chunk({ [field]: "Let me " }), chunk({ [field]: "see." }), text, chunk({}, "stop"), DONE),
      );
      expect(message.content).toEqual([
        { type: "thinking", thinking: "Let me see." },
        { type: "text", text: "Yes." },
      ]);
    }
  });

  test("reasoning goes back where a server wants it, and nowhere else", async () => {
    const model = CHAT.make("http://127.0.0.1:1");
    const messages = [user("a"), assistant(model, [{ type: "thinking", thinking: "hm" }, call("1")]), result("1", "ok")];
    expect(await messagesOf(messages, { dialect: "deepseek" })).toMatchObject([{}, { reasoning_content: "hm" }, {}]);
    expect(JSON.stringify(await messagesOf(messages))).not.toContain("hm");
  });

  test("a server without a stop reason is complete with [DONE], and not before", async () => {
    const dialect = { finishReason: "optional" };
    expect(await reply(stream(text, DONE), { dialect })).toMatchObject({ stopReason: "stop" });
    expect(await reply(stream(text), { dialect })).toMatchObject({ failure: { kind: "stream_interrupted" } });
  });

  test("a server without [DONE] is complete with its stop reason, and not before", async () => {
    const dialect = { ends: "finish-reason" };
    expect(await reply(stream(text, chunk({}, "stop")), { dialect })).toMatchObject({ stopReason: "stop" });
    expect(await reply(breakAfter([text, chunk({}, "stop")], reset), { dialect })).toMatchObject({ stopReason: "stop" });
    expect(await reply(stream(text), { dialect })).toMatchObject({ failure: { kind: "stream_interrupted" } });
    expect(await reply(breakAfter([text], reset), { dialect })).toMatchObject({ failure: { kind: "stream_interrupted" } });
  });

  test("usage comes in the last chunk, in a vendor's field, or not at all", async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2 };
    expect((await reply(stream(text, chunk({}, "stop", { usage }), DONE))).usage).toMatchObject({ input: 9, output: 2 });
    expect((await reply(stream(text, chunk({}, "stop", { x_groq: { usage } }), DONE))).usage).toMatchObject({
      input: 9,
      output: 2,
    });
    expect(
      (await reply(stream(text, chunk({}, "stop", { usage: { ...usage, prompt_cache_hit_tokens: 4 } }), DONE))).usage,
    ).toMatchObject({ input: 5, cacheRead: 4 });
    expect((await reply(stream(text, chunk({}, "stop"), DONE))).usage.totalTokens).toBe(0);
  });

  test("is found by the server's host, or named", async () => {
    expect(await sent({ messages: [user("x")], maxOutputTokens: 5, thinkingLevel: "low" }, { dialect: "openai" })).toMatchObject({
      max_completion_tokens: 5,
      reasoning_effort: "low",
      stream_options: { include_usage: true },
    });
    const local = await sent({ messages: [user("x")], maxOutputTokens: 5, thinkingLevel: "low" });
    expect(local).toMatchObject({ max_tokens: 5 });
    expect(local).not.toHaveProperty("reasoning_effort");
    expect(await sent({ messages: [user("x")] }, { dialect: "mistral" })).not.toHaveProperty("stream_options");
    expect(Object.keys(CHAT_DIALECTS)).toContain("llama.cpp");
  });

  test("of a name that is none are refused when the model is made", () => {
    expect(() => CHAT.make("http://127.0.0.1:1", { dialect: "olama" })).toThrow('dialect is "olama"; it takes openai,');
  });

  test("Mistral's call ids are nine letters and digits", async () => {
    const model = CHAT.make("http://127.0.0.1:1");
    const messages = [
      user("a"),
      assistant(model, [call("call_abc-123456"), call("call_abc-123457")]),
      result("call_abc-123456", "one"),
      result("call_abc-123457", "two"),
    ];
    const built = (await messagesOf(messages, { dialect: "mistral" })) as {
      tool_calls?: { id: string }[];
      tool_call_id?: string;
    }[];
    const ids = built[1]?.tool_calls?.map(({ id }) => id) ?? [];
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(new Set(ids).size).toBe(2);
    expect(built.slice(2).map((message) => message.tool_call_id)).toEqual(ids);
  });
});

describe("tool calls", () => {
  const delta = (tool_calls: object[]): string => chunk({ tool_calls });

  test("of one message are told apart by index, however they are interleaved", async () => {
    const message = await reply(
      stream(
        delta([
          { index: 0, id: "a", function: { name: "x", arguments: '{"n"' } },
          { index: 1, id: "b", function: { name: "y", arguments: "{" } },
        ]),
        delta([{ index: 0, function: { arguments: ":1}" } }]),
        delta([{ index: 1, function: { arguments: "}" } }]),
        ...[chunk({}, "tool_calls"), DONE],
      ),
    );
    expect(callsOf(message)).toMatchObject([
      { id: "a", name: "x", arguments: { n: 1 } },
      { id: "b", name: "y", arguments: {} },
    ]);
  });

  test("of servers that give no index, or the same one, are told apart by id", async () => {
    for (const index of [undefined, 0]) {
      const message = await reply(
        stream(
          delta([{ index, id: "a", function: { name: "x", arguments: "{}" } }]),
          delta([{ index, id: "b", function: { name: "y", arguments: "{}" } }]),
          chunk({}, "stop"),
          DONE,
        ),
      );
      expect([message.stopReason, callsOf(message).map(({ id }) => id)]).toEqual(["toolUse", ["a", "b"]]);
    }
  });

  test("without an id get one", async () => {
    expect(
      callsOf(
        await reply(stream(delta([{ index: 0, function: { name: "x", arguments: "{}" } }]), chunk({}, "tool_calls"), DONE)),
      )[0]?.id,
    ).toBe("call_1");
  });

  test("cut by length are marked, and the message is length", async () => {
    const message = await reply(stream(...CHAT.tool.slice(0, 2), chunk({}, "length"), DONE));
    expect(message.stopReason).toBe("length");
    expect(callsOf(message)[0]).toMatchObject({ arguments: {}, argumentsError: expect.stringContaining('{"command":"rm') });
  });

  test("with raw control characters and wrong escapes are repaired, with other text are explained", async () => {
    const args = (text: string): Answer =>
      stream(delta([{ index: 0, id: "a", function: { name: "x", arguments: text } }]), chunk({}, "tool_calls"), DONE);
    expect(callsOf(await reply(args('{"a":"one\ntwo\\q"}')))[0]?.arguments).toEqual({ a: "one\ntwo\\q" });
    for (const wrong of ["[1]", "nothing", '"text"', "{"])
      expect(callsOf(await reply(args(wrong)))[0]).toMatchObject({
        arguments: {},
        argumentsError: expect.stringContaining(wrong),
      });
  });
});

describe("the request", () => {
  test("shows images of tool results as the user's, after all results of the turn", async () => {
    const model = CHAT.make("http://127.0.0.1:1");
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const built = await messagesOf([
      user("a"),
      assistant(model, [call("1", "shot"), call("2")]),
      { role: "toolResult", toolCallId: "1", toolName: "shot", content: [image], isError: false, timestamp: 0 },
      result("2", "two"),
    ]);
    expect(built).toMatchObject([
      { role: "user", content: "a" },
      { role: "assistant", content: null, tool_calls: [{ id: "1" }, { id: "2" }] },
      { role: "tool", tool_call_id: "1", content: "(see the image below)" },
      { role: "tool", tool_call_id: "2", content: "two" },
      { role: "user", content: [{ type: "text" }, { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }] },
    ]);
  });

  test("goes to any base URL", async () => {
    await using server = await WireServer.start(good);
    const model = openaiChat({ model: "llama", baseURL: `${server.url}/some/where` });
    expect(textOf((await read(model)).message)).toBe("Yes.");
    expect(server.requests[0]?.path).toBe("/some/where/chat/completions");
  });
});
