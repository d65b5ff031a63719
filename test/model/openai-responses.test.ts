import { describe, expect, test } from "vitest";
import type { Message, ModelRequest } from "../../src/model/types.ts";
import { assistant, call, callsOf, read, result, textOf, user } from "./helpers.ts";
import { named, RESPONSES, wireResponse, WHOLE_TEXT } from "./wire-formats.ts";
import { stream, WireServer, type Answer } from "./wire-server.ts";

const event = (type: string, more: object): string => named({ type, ...more });
const terminal = (type: string, status: string, more: object = {}): string =>
  event(type, { response: wireResponse(status, more) });
const good = stream(...RESPONSES.begin, ...RESPONSES.more, ...RESPONSES.end);

const reply = async (...frames: string[]) => {
  await using server = await WireServer.start(stream(...frames));
  return (await read(RESPONSES.make(server.url))).message;
};

async function sent(request: ModelRequest): Promise<Record<string, unknown>> {
  await using server = await WireServer.start(good);
  const { message } = await read(RESPONSES.make(server.url), request);
  expect(message.errorMessage).toBeUndefined();
  return server.requests[0]?.body as Record<string, unknown>;
}

describe("how a response ends", () => {
  test("failed is a failure with the provider's own reason", async () => {
    const message = await reply(
      ...RESPONSES.begin,
      terminal("response.failed", "failed", {
        error: { code: "rate_limit_exceeded", message: "Rate limit reached for requests. Please try again in 2s." },
      }),
    );
    expect(message).toMatchObject({
      stopReason: "error",
      failure: { kind: "rate_limited", action: "retry", retryAfterMs: 2000 },
    });
    expect(textOf(message)).toBe("I will delete the old ");
  });

  test("failed for its input is what that input is", async () => {
    expect(
      await reply(
        ...RESPONSES.begin,
        terminal("response.failed", "failed", {
          error: {
            code: "context_length_exceeded",
            message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
          },
        }),
      ),
    ).toMatchObject({
      failure: { kind: "context_overflow", action: "compact" },
    });
  });

  test("failed without a reason is a fault of the server", async () => {
    expect(await reply(...RESPONSES.begin, terminal("response.failed", "failed"))).toMatchObject({
      failure: { kind: "server_error", action: "retry" },
    });
  });

  test("incomplete at its length is length; for any other reason it is a failure", async () => {
    expect(
      await reply(
        ...RESPONSES.begin,
        terminal("response.incomplete", "incomplete", { incomplete_details: { reason: "max_output_tokens" } }),
      ),
    ).toMatchObject({ stopReason: "length", rawStopReason: "max_output_tokens" });
    expect(
      await reply(
        ...RESPONSES.begin,
        terminal("response.incomplete", "incomplete", { incomplete_details: { reason: "content_filter" } }),
      ),
    ).toMatchObject({ stopReason: "error", failure: { kind: "content_policy" } });
    expect(await reply(...RESPONSES.begin, terminal("response.incomplete", "incomplete"))).toMatchObject({
      stopReason: "error",
      failure: { kind: "stream_interrupted" },
    });
  });

  test("completed with a call that was never done is interrupted", async () => {
    expect(await reply(...RESPONSES.tool.slice(0, 3), ...RESPONSES.toolEnd)).toMatchObject({
      failure: { rule: "stream.unfinished-call" },
    });
  });

  test("completed with a refusal is a failure that says why", async () => {
    const message = await reply(
      RESPONSES.begin[0] ?? "",
      event("response.refusal.delta", { output_index: 0, content_index: 0, delta: "I can't do that." }),
      ...RESPONSES.end,
    );
    expect(message).toMatchObject({ failure: { kind: "content_policy", action: "stop" } });
    expect(message.errorMessage).toContain("I can't do that.");
  });

  test("completed without content is interrupted", async () => {
    expect(await reply(RESPONSES.begin[0] ?? "", ...RESPONSES.end)).toMatchObject({ failure: { rule: "stream.empty-answer" } });
  });
});

describe("items", () => {
  test("that come whole, without deltas, are taken from their end", async () => {
    expect(textOf(await reply(RESPONSES.begin[0] ?? "", RESPONSES.more[1] ?? "", ...RESPONSES.end))).toBe(WHOLE_TEXT);
    const message = await reply(RESPONSES.begin[0] ?? "", RESPONSES.tool.at(-1) ?? "", ...RESPONSES.toolEnd);
    expect(callsOf(message)).toEqual([
      { type: "toolCall", id: "call_1", name: "run", arguments: { command: "rm old" }, signature: "fc_1" },
    ]);
  });

  test("of reasoning keep what has to go back, and go back with the call they led to", async () => {
    const item = {
      type: "reasoning",
      id: "rs_1",
      summary: [
        { type: "summary_text", text: "One." },
        { type: "summary_text", text: "Two." },
      ],
      encrypted_content: "gAAAA+/=",
    };
    const frames = [
      ...RESPONSES.begin.slice(0, 1),
      event("response.output_item.added", { output_index: 0, item: { type: "reasoning", id: "rs_1", summary: [] } }),
      event("response.reasoning_summary_text.delta", { output_index: 0, summary_index: 0, delta: "One." }),
      event("response.reasoning_summary_part.added", { output_index: 0, summary_index: 1 }),
      event("response.reasoning_summary_text.delta", { output_index: 0, summary_index: 1, delta: "Two." }),
      event("response.output_item.done", { output_index: 0, item }),
      ...RESPONSES.tool.slice(1).map((frame) => frame.replace('"output_index":0', '"output_index":1')),
      ...RESPONSES.toolEnd,
    ];
    await using server = await WireServer.start(stream(...frames), good);
    const model = RESPONSES.make(server.url);
    const { message } = await read(model);
    expect(message.content[0]).toMatchObject({ type: "thinking", thinking: "One.\n\nTwo." });
    await read(model, { messages: [user("a"), message, result("call_1", "done")] });
    expect(server.requests[1]?.body).toHaveProperty("input", [
      { role: "user", content: [{ type: "input_text", text: "a" }] },
      { type: "reasoning", id: "rs_1", encrypted_content: "gAAAA+/=", summary: [{ type: "summary_text", text: "One.\n\nTwo." }] },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "run", arguments: '{"command":"rm old"}' },
      { type: "function_call_output", call_id: "call_1", output: "done" },
    ]);
  });

  test("of another model lose their ties: no reasoning, no item id", async () => {
    const model = RESPONSES.make("http://127.0.0.1:1");
    const foreign = assistant(
      model,
      [
        { type: "thinking", thinking: "hm", signature: '{"id":"rs_1","encrypted_content":"x"}' },
        { ...call("call_1"), signature: "fc_1" },
      ],
      { model: "older" },
    );
    const body = await sent({ messages: [user("a"), foreign, result("call_1", "ok")] });
    expect(JSON.stringify(body)).not.toMatch(/rs_1|fc_1/);
  });
});

describe("the request", () => {
  test("stores nothing, and asks for encrypted reasoning when it thinks", async () => {
    expect(
      await sent({ systemPrompt: "Be brief.", messages: [user("x")], maxOutputTokens: 99, thinkingLevel: "high" }),
    ).toMatchObject({
      store: false,
      stream: true,
      instructions: "Be brief.",
      max_output_tokens: 99,
      reasoning: { effort: "high" },
      include: ["reasoning.encrypted_content"],
    });
    expect(await sent({ messages: [user("x")] })).not.toHaveProperty("reasoning");
  });

  test("shows images, also of tool results", async () => {
    const model = RESPONSES.make("http://127.0.0.1:1");
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const messages: Message[] = [
      { role: "user", content: [image], timestamp: 0 },
      assistant(model, [call("1")]),
      {
        role: "toolResult",
        toolCallId: "1",
        toolName: "read",
        content: [{ type: "text", text: "shot" }, image],
        isError: false,
        timestamp: 0,
      },
    ];
    const shown = { type: "input_image", detail: "auto", image_url: "data:image/png;base64,aGk=" };
    expect((await sent({ messages }))["input"]).toMatchObject([
      { content: [shown] },
      { type: "function_call" },
      { output: [{ type: "input_text", text: "shot" }, shown] },
    ]);
  });
});

test("a tool of a foreign name is called by a shaped one, and answers to its own", async () => {
  const answer: Answer = (response, { body }) => {
    const name = (body as { tools: { name: string }[] }).tools[0]?.name ?? "";
    return stream(...RESPONSES.tool.map((frame) => frame.replaceAll('"run"', JSON.stringify(name))), ...RESPONSES.toolEnd)(
      response,
      { path: "", headers: {}, body },
    );
  };
  await using server = await WireServer.start(answer);
  const { message } = await read(RESPONSES.make(server.url), {
    messages: [user("x")],
    tools: [{ name: "files.run it", description: "", parameters: { type: "object" } }],
  });
  expect(callsOf(message)[0]?.name).toBe("files.run it");
  expect(server.requests[0]?.body).toMatchObject({ tools: [{ name: "files_run_it" }] });
});
