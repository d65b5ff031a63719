import { describe, expect, test } from "vitest";
import { anthropic } from "../../src/model/anthropic/index.ts";
import type { AssistantMessage, Message, ModelRequest } from "../../src/model/types.ts";
import { assistant, call, callsOf, read, result, textOf, user } from "./helpers.ts";
import { ANTHROPIC, HALF_TEXT, named } from "./wire-formats.ts";
import { stream, WireServer } from "./wire-server.ts";

const good = stream(...ANTHROPIC.begin, ...ANTHROPIC.more, ...ANTHROPIC.end);
const event = (type: string, more: object): string => named({ type, ...more });

const start = ANTHROPIC.begin[0] ?? "";
const ends = (stop_reason: string, delta: object = {}): string[] => [
  event("message_delta", { delta: { stop_reason, ...delta }, usage: { output_tokens: 3 } }),
  event("message_stop", {}),
];

/** The body that is sent for a request. */
async function sent(request: ModelRequest, options: object = {}): Promise<Record<string, unknown>> {
  await using server = await WireServer.start(good);
  const { message } = await read(ANTHROPIC.make(server.url, options), request);
  expect(message.errorMessage).toBeUndefined();
  return server.requests[0]?.body as Record<string, unknown>;
}

const messagesOf = async (messages: Message[], options: object = {}): Promise<unknown> =>
  (await sent({ messages }, { cache: false, ...options }))["messages"];

describe("thinking", () => {
  const signature = "EqQBCgIYAhIkM2Q+/x==";
  const frames = [
    start,
    event("content_block_start", { index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking: "Let me " } }),
    event("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking: "see. \ud83d\ude00" } }),
    event("content_block_delta", { index: 0, delta: { type: "signature_delta", signature: signature.slice(0, 7) } }),
    event("content_block_delta", { index: 0, delta: { type: "signature_delta", signature: signature.slice(7) } }),
    event("content_block_stop", { index: 0 }),
    event("content_block_start", { index: 1, content_block: { type: "redacted_thinking", data: "ENCRYPTED==" } }),
    event("content_block_stop", { index: 1 }),
    event("content_block_start", { index: 2, content_block: { type: "text", text: "Yes." } }),
    event("content_block_stop", { index: 2 }),
    ...ends("end_turn"),
  ];

  test("is kept with its signature, and goes back byte for byte, redacted or not", async () => {
    await using server = await WireServer.start(stream(...frames), good);
    const model = ANTHROPIC.make(server.url);
    const { message } = await read(model);
    expect(message.content).toEqual([
      { type: "thinking", thinking: "Let me see. \ud83d\ude00", signature },
      { type: "thinking", thinking: "", signature: "ENCRYPTED==", redacted: true },
      { type: "text", text: "Yes." },
    ]);
    await read(model, { messages: [user("a"), message, user("b")] });
    const body = server.requests[1]?.body as { messages: { content: unknown[] }[] };
    expect(body.messages[1]?.content).toEqual([
      { type: "thinking", thinking: "Let me see. \ud83d\ude00", signature },
      { type: "redacted_thinking", data: "ENCRYPTED==" },
      { type: "text", text: "Yes." },
    ]);
  });

  test("of another model, or without a signature, is not sent", async () => {
    const model = ANTHROPIC.make("http://127.0.0.1:1");
    const think = (more: Partial<AssistantMessage>, signed = true) =>
      assistant(
        model,
        [
          { type: "thinking", thinking: "t", ...(signed ? { signature } : {}) },
          { type: "text", text: "a" },
        ],
        more,
      );
    const built = await messagesOf([
      user("1"),
      think({ model: "other" }),
      user("2"),
      think({ provider: "elsewhere" }),
      user("3"),
      think({}, false),
      user("4"),
    ]);
    expect(JSON.stringify(built)).not.toContain("thinking");
  });

  test("is asked for by a budget within the output, or by an effort", async () => {
    const request = { messages: [user("x")], thinkingLevel: "high" as const };
    expect(await sent(request, { maxOutputTokens: 64_000 })).toMatchObject({
      max_tokens: 64_000,
      thinking: { type: "enabled", budget_tokens: 16_384 },
    });
    expect(await sent({ ...request, maxOutputTokens: 4000 })).toMatchObject({ thinking: { budget_tokens: 2000 } });
    expect(await sent({ ...request, maxOutputTokens: 1000 })).not.toHaveProperty("thinking");
    expect(await sent(request, { thinking: "adaptive" })).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    });
    expect(await sent({ messages: [user("x")] })).not.toHaveProperty("thinking");
  });

  test("is not asked for in the middle of another model's tool loop, which has none of ours", async () => {
    const model = ANTHROPIC.make("http://127.0.0.1:1");
    const messages = [user("x"), assistant(model, [call("1")], { model: "other" }), result("1", "ok")];
    expect(await sent({ messages, thinkingLevel: "low" })).not.toHaveProperty("thinking");
    expect(await sent({ messages: [...messages, user("and?")], thinkingLevel: "low" })).toHaveProperty("thinking");
  });
});

describe("stop reasons", () => {
  const withStop = (stop: string[]): string[] => [...ANTHROPIC.begin, ...ANTHROPIC.more, ...stop];
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
  ])("%s is %s, with the raw word beside it", async (raw, stopReason) => {
    await using server = await WireServer.start(stream(...withStop(ends(raw))));
    expect((await read(ANTHROPIC.make(server.url))).message).toMatchObject({ stopReason, rawStopReason: raw });
  });

  test("a refusal is a failure that says why", async () => {
    await using server = await WireServer.start(
      stream(
        ...withStop(ends("refusal", { stop_details: { type: "refusal", category: "cyber", explanation: "Asks for malware." } })),
      ),
    );
    const { message } = await read(ANTHROPIC.make(server.url));
    expect(message).toMatchObject({
      stopReason: "error",
      rawStopReason: "refusal",
      failure: { kind: "content_policy", action: "stop" },
    });
    expect(message.errorMessage).toContain("Asks for malware.");
  });

  test("one that nobody knows is a failure", async () => {
    await using server = await WireServer.start(stream(...withStop(ends("bored"))));
    expect((await read(ANTHROPIC.make(server.url))).message).toMatchObject({
      stopReason: "error",
      rawStopReason: "bored",
      failure: { kind: "stream_interrupted" },
    });
  });

  test("max_tokens in the middle of a tool call is length, and the call says that it is broken", async () => {
    await using server = await WireServer.start(stream(...ANTHROPIC.tool.slice(0, 3), ...ends("max_tokens")));
    const { message } = await read(ANTHROPIC.make(server.url));
    expect(message.stopReason).toBe("length");
    expect(callsOf(message)[0]?.argumentsError).toContain('{"command":"rm');
  });

  test("tool_use with a call that never ended is interrupted", async () => {
    await using server = await WireServer.start(stream(...ANTHROPIC.tool.slice(0, 3), ...ends("tool_use")));
    expect((await read(ANTHROPIC.make(server.url))).message.failure?.rule).toBe("stream.unfinished-call");
  });
});

describe("the request", () => {
  test("marks system prompt, tools and the last two user turns for the cache", async () => {
    const tools = [
      { name: "a", description: "", parameters: { type: "object" } },
      { name: "b", description: "", parameters: { type: "object" } },
    ];
    const model = ANTHROPIC.make("http://127.0.0.1:1");
    const messages = [
      user("1"),
      assistant(model, [{ type: "text", text: "A" }]),
      user("2"),
      assistant(model, [{ type: "text", text: "B" }]),
      user("3"),
    ];
    const body = JSON.stringify(await sent({ systemPrompt: "Be brief.", tools, messages }, { cache: "1h" }));
    expect(body.match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/g)).toHaveLength(4);
    expect(JSON.parse(body)).toMatchObject({
      system: [{ text: "Be brief.", cache_control: {} }],
      tools: [{ name: "a" }, { name: "b", cache_control: {} }],
      messages: [
        { content: [{ text: "1" }] },
        {},
        { content: [{ text: "2", cache_control: {} }] },
        {},
        { content: [{ text: "3", cache_control: {} }] },
      ],
    });
    expect(JSON.stringify(await sent({ messages }, { cache: false }))).not.toContain("cache_control");
  });

  test("puts images and tool results where the API wants them", async () => {
    const model = ANTHROPIC.make("http://127.0.0.1:1");
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const built = await messagesOf([
      { role: "user", content: [{ type: "text", text: "look" }, image], timestamp: 0 },
      assistant(model, [call("1", "shot"), call("2", "shot")]),
      { role: "toolResult", toolCallId: "1", toolName: "shot", content: [image], isError: false, timestamp: 0 },
      { role: "toolResult", toolCallId: "2", toolName: "shot", content: [], isError: true, timestamp: 0 },
      user("and now?"),
    ]);
    const source = { type: "base64", data: "aGk=", media_type: "image/png" };
    expect(built).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", source },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "1", name: "shot", input: {} },
          { type: "tool_use", id: "2", name: "shot", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "1", content: [{ type: "image", source }] },
          { type: "tool_result", tool_use_id: "2", is_error: true, content: [{ type: "text", text: "(no output)" }] },
          { type: "text", text: "and now?" },
        ],
      },
    ]);
  });

  test("begins with a user's message", async () => {
    const model = ANTHROPIC.make("http://127.0.0.1:1");
    expect(await messagesOf([assistant(model, [{ type: "text", text: "Hi" }]), user("x")])).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "user" },
    ]);
  });

  test("carries own headers", async () => {
    await using server = await WireServer.start(good);
    const model = anthropic({ model: "m", baseURL: server.url, apiKey: "k", headers: { "anthropic-beta": "some-beta" } });
    expect(textOf((await read(model)).message)).toContain(HALF_TEXT);
    expect(server.requests[0]?.headers["anthropic-beta"]).toBe("some-beta");
  });
});
