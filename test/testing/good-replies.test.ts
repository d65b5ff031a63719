import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { FaultReply } from "../../src/testing/fault-server.ts";
import { withServer } from "./with-server.ts";

const FULL: FaultReply = {
  thinking: "The user greets.",
  text: "Hello to you.",
  toolCalls: [{ name: "weather", arguments: { city: "Paris", note: 'a "quoted" word' } }],
  usage: { input: 20, output: 9, cacheRead: 5, cacheWrite: 3 },
};

describe("a good reply is what the official client takes for one", () => {
  const messages = [{ role: "user" as const, content: "hi" }];

  test("Anthropic Messages, streamed and whole", async () => {
    await withServer({ reply: FULL }, async (server) => {
      const client = new Anthropic({ apiKey: "test", baseURL: server.url, maxRetries: 0 });
      const request = { model: "claude-test", max_tokens: 100, messages };
      const streamed = await client.messages.stream(request).finalMessage();
      const whole = await client.messages.create(request);
      for (const message of [streamed, whole]) {
        expect(message.content).toMatchObject([
          { type: "thinking", thinking: FULL.thinking, signature: expect.stringMatching(/./u) },
          { type: "text", text: FULL.text },
          { type: "tool_use", name: "weather", input: FULL.toolCalls?.[0]?.arguments },
        ]);
        expect(message).toMatchObject({ model: "claude-test", stop_reason: "tool_use" });
        expect(message.usage).toMatchObject({ input_tokens: 20, output_tokens: 9, cache_read_input_tokens: 5 });
      }
    });
  });

  test("OpenAI Chat Completions, streamed and whole", async () => {
    await withServer({ reply: FULL }, async (server) => {
      const client = new OpenAI({ apiKey: "test", baseURL: `${server.url}/v1`, maxRetries: 0 });
      const request = { model: "gpt-test", messages };
      const stream = client.chat.completions.stream({ ...request, stream_options: { include_usage: true } });
      const streamed = await stream.finalChatCompletion();
      const whole = await client.chat.completions.create(request);
      for (const completion of [streamed, whole]) {
        expect(completion.choices[0]).toMatchObject({
          finish_reason: "tool_calls",
          message: { content: FULL.text, tool_calls: [{ function: { name: "weather" } }] },
        });
        expect(completion.usage).toMatchObject({ prompt_tokens: 28, completion_tokens: 9, total_tokens: 37 });
      }
    });
  });

  test("OpenAI Responses, streamed and whole", async () => {
    await withServer({ reply: FULL }, async (server) => {
      const client = new OpenAI({ apiKey: "test", baseURL: `${server.url}/v1`, maxRetries: 0 });
      const request = { model: "gpt-test", input: "hi" };
      const streamed = await client.responses.stream(request).finalResponse();
      const whole = await client.responses.create(request);
      for (const response of [streamed, whole]) {
        expect(response).toMatchObject({ status: "completed", output_text: FULL.text });
        expect(response.output).toMatchObject([
          { type: "reasoning" },
          { type: "message" },
          { type: "function_call", name: "weather", arguments: JSON.stringify(FULL.toolCalls?.[0]?.arguments) },
        ]);
        expect(response.usage).toMatchObject({ input_tokens: 28, output_tokens: 9, total_tokens: 37 });
      }
    });
  });
});
