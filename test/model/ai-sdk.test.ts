import type {
  LanguageModelV2,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { aiSdkModel, type LanguageModel } from "../../src/model/ai-sdk/index.ts";
import type { Message, Model } from "../../src/model/types.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { ask, assistant, call, callsOf, read, result, settled, terminalEvents, textOf, user } from "./helpers.ts";

const never = (): never => {
  throw new Error("not called");
};

type Part = LanguageModelV4StreamPart;

/** Parts, and what becomes of the stream after them: it closes, breaks, or stays open. */
function partStream<P>(parts: readonly P[], after: "close" | "stall" | Error = "close"): ReadableStream<P> {
  return new ReadableStream<P>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (after === "close") controller.close();
    },
    pull(controller) {
      if (after instanceof Error) controller.error(after);
    },
  });
}

function version4(...answers: (() => ReadableStream<Part>)[]) {
  const calls: LanguageModelV4CallOptions[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "some.provider",
    modelId: "m",
    supportedUrls: {},
    doGenerate: never,
    doStream: async (options) => {
      calls.push(options);
      return { stream: (answers[calls.length - 1] ?? answers.at(-1) ?? never)() };
    },
  };
  return { model, calls };
}

const text: Part[] = [
  { type: "stream-start", warnings: [] },
  { type: "response-metadata", id: "r1", modelId: "m-2026" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Yes, " },
  { type: "text-delta", id: "1", delta: "sir." },
  { type: "text-end", id: "1" },
];

const usage = {
  inputTokens: { total: 130, noCache: 10, cacheRead: 100, cacheWrite: 20 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
};
type Unified = Extract<Part, { type: "finish" }>["finishReason"]["unified"];
const finish = (unified: Unified, raw: string | undefined = unified): Part => ({
  type: "finish",
  usage,
  finishReason: { unified, raw },
});
const toolInput: Part[] = [
  { type: "tool-input-start", id: "c1", toolName: "run" },
  { type: "tool-input-delta", id: "c1", delta: '{"command":"rm' },
  { type: "tool-input-delta", id: "c1", delta: ' old"}' },
  { type: "tool-input-end", id: "c1" },
];
const toolCall: Part = { type: "tool-call", toolCallId: "c1", toolName: "run", input: '{"command":"rm old"}' };

const reply = async (parts: readonly Part[], after: "close" | "stall" | Error = "close") =>
  read(aiSdkModel(version4(() => partStream(parts, after)).model));

describe("a stream of parts", () => {
  test("gives text, usage with cache, stop reason, response id and the model that answered", async () => {
    const { message, events } = await reply([...text, finish("stop", "end_turn")]);
    expect(events.map(({ type }) => type)).toEqual(["start", "text_start", "text_delta", "text_delta", "text_end", "done"]);
    expect(message).toMatchObject({
      ...{
        content: [{ type: "text", text: "Yes, sir." }],
        api: "ai-sdk",
        provider: "some.provider",
        model: "m",
        responseModel: "m-2026",
        responseId: "r1",
      },
      ...{
        stopReason: "stop",
        rawStopReason: "end_turn",
        usage: { input: 10, output: 7, cacheRead: 100, cacheWrite: 20, totalTokens: 137 },
      },
    });
  });

  test("gives tool calls, streamed or whole, and leaves out those the provider runs", async () => {
    const foreign: Part[] = [
      { type: "tool-input-start", id: "w", toolName: "web_search", providerExecuted: true },
      { type: "tool-input-delta", id: "w", delta: "{}" },
      { type: "tool-call", toolCallId: "w", toolName: "web_search", input: "{}", providerExecuted: true },
    ];
    for (const input of [toolInput, []]) {
      const { message } = await reply([...foreign, ...input, toolCall, finish("tool-calls")]);
      expect([message.stopReason, callsOf(message)]).toEqual(["toolUse", [call("c1", "run", { command: "rm old" })]]);
    }
  });

  test("keeps what a provider gave with its reasoning and calls, and sends it back to the same model alone", async () => {
    const parts: Part[] = [
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-delta", id: "1", delta: "hm" },
      { type: "reasoning-delta", id: "1", delta: "", providerMetadata: { anthropic: { signature: "Sig+/=" } } },
      { type: "reasoning-end", id: "1" },
      { ...toolCall, providerMetadata: { google: { thoughtSignature: "T" } } },
      finish("tool-calls"),
    ];
    const { model, calls } = version4(
      () => partStream(parts),
      () => partStream([...text, finish("stop")]),
    );
    const ours = aiSdkModel(model);
    const { message } = await read(ours);
    const messages = [user("a"), message, result("c1", "done")];
    await read(ours, { messages });
    expect(calls[1]?.prompt[1]).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "Sig+/=" } } },
        {
          type: "tool-call",
          toolCallId: "c1",
          toolName: "run",
          input: { command: "rm old" },
          providerOptions: { google: { thoughtSignature: "T" } },
        },
      ],
    });
    await read(ours, { messages: [user("a"), { ...message, model: "other" }, result("c1", "done")] });
    expect(JSON.stringify(calls[2]?.prompt)).not.toMatch(/hm|Sig|thoughtSignature/);
  });
});

describe("a stream that is no answer", () => {
  test.each<[string, readonly Part[], "close" | Error]>([
    ["ends without a finish", text, "close"],
    [
      "ends with no reason given, as a cut one does",
      [...text, { type: "finish", usage, finishReason: { unified: "other", raw: undefined } }],
      "close",
    ],
    ["says that it was interrupted", [...text, finish("interrupted")], "close"],
    [
      "breaks",
      text,
      new TypeError("terminated", { cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }) }),
    ],
    ["reports a broken connection", [...text, { type: "error", error: new TypeError("terminated") }], "close"],
    [
      "reports that it could not read an event",
      [...text, { type: "error", error: Object.assign(new Error("JSON parsing failed"), { name: "AI_JSONParseError" }) }],
      "close",
    ],
    ["finishes with a call left open", [...toolInput, finish("tool-calls")], "close"],
    ["finishes empty", [finish("stop")], "close"],
    ["stops for a reason nobody knows", [...text, finish("other", "bored")], "close"],
  ])("when it %s is interrupted, with what had come", async (_, parts, after) => {
    const { message, events } = await reply(parts, after);
    expect(message).toMatchObject({ stopReason: "error", failure: { kind: "stream_interrupted", action: "retry" } });
    expect(terminalEvents(events)).toEqual(["error"]);
    if (parts.includes(text[3] ?? finish("stop"))) expect(textOf(message)).toBe("Yes, sir.");
  });

  test("when it was filtered, or failed, says so", async () => {
    expect((await reply([...text, finish("content-filter", "SAFETY")])).message).toMatchObject({
      rawStopReason: "SAFETY",
      failure: { kind: "content_policy", action: "stop" },
    });
    expect((await reply([...text, finish("error")])).message).toMatchObject({
      failure: { kind: "server_error", action: "retry" },
    });
  });

  test("when it is cut at its length is length", async () => {
    expect((await reply([...text, finish("length", "MAX_TOKENS")])).message).toMatchObject({
      stopReason: "length",
      rawStopReason: "MAX_TOKENS",
    });
    expect((await reply([...text, finish("other", "model_context_window_exceeded")])).message.stopReason).toBe("length");
  });

  test("what comes after the finish is void", async () => {
    expect(
      (await reply([...text, finish("stop"), { type: "error", error: new Error("late") }], new Error("later still"))).message
        .stopReason,
    ).toBe("stop");
  });
});

describe("a refused call", () => {
  const refused = (statusCode: number, body: object, responseHeaders: Record<string, string> = {}): Error =>
    new APICallError({
      message: "refused",
      url: "https://api.example.com",
      requestBodyValues: {},
      statusCode,
      responseHeaders,
      responseBody: JSON.stringify(body),
    });

  test.each<[string, Error, object]>([
    [
      "401",
      refused(401, { error: { message: "Incorrect API key provided", type: "invalid_request_error", code: "invalid_api_key" } }),
      { kind: "auth", action: "stop", status: 401 },
    ],
    [
      "429",
      refused(429, { error: { message: "Rate limit reached" } }, { "retry-after": "7" }),
      { kind: "rate_limited", action: "retry", status: 429, retryAfterMs: 7000 },
    ],
    [
      "529",
      refused(529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
      { kind: "overloaded", action: "retry", status: 529 },
    ],
    [
      "overflow",
      refused(400, {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" },
      }),
      { kind: "context_overflow", action: "compact" },
    ],
    [
      "no connection",
      new APICallError({
        message: "Cannot connect to API: connect ECONNREFUSED 127.0.0.1:1",
        url: "",
        requestBodyValues: {},
        cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
      }),
      { kind: "network", action: "retry" },
    ],
  ])("%s is described as any other", async (_, error, failure) => {
    const model = version4(() => {
      throw error;
    });
    const { message } = await read(aiSdkModel(model.model));
    expect(message.failure).toMatchObject(failure);
    expect(model.calls).toHaveLength(1);
  });

  test("is retried by request-level retry when that is on", async () => {
    const clock = new ManualClock();
    const { model, calls } = version4(
      () => {
        throw refused(529, { error: { type: "overloaded_error", message: "Overloaded" } });
      },
      () => partStream([...text, finish("stop")]),
    );
    const reading = read(aiSdkModel(model), ask("x"), { clock, requestRetry: { maxRetries: 1, maxRetryDelayMs: 0 } });
    while (!clock.runNext()) await settled();
    expect(textOf((await reading).message)).toBe("Yes, sir.");
    expect(calls).toHaveLength(2);
  });
});

describe("an abort", () => {
  test("ends a stream at once, and reaches the model", async () => {
    const { model, calls } = version4(() => partStream(text, "stall"));
    const abort = new AbortController();
    const { message } = await read(aiSdkModel(model), ask("x"), {
      signal: abort.signal,
      onEvent: ({ type }) => type === "text_end" && abort.abort(),
    });
    expect([message.stopReason, textOf(message)]).toEqual(["aborted", "Yes, sir."]);
    expect(calls[0]?.abortSignal?.aborted).toBe(true);
  });

  test("ends a call that ignores its signal", async () => {
    const { model } = version4();
    model.doStream = () => new Promise(() => undefined);
    const abort = new AbortController();
    const reading = read(aiSdkModel(model), ask("x"), { signal: abort.signal });
    await settled();
    abort.abort();
    expect((await reading).message.stopReason).toBe("aborted");
  });
});

describe("versions of the interface", () => {
  const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  const history = (model: Model): Message[] => [
    { role: "user", content: [{ type: "text", text: "look" }, image], timestamp: 0 },
    assistant(model, [call("1", "shot")]),
    { role: "toolResult", toolCallId: "1", toolName: "shot", content: [image], isError: false, timestamp: 0 },
  ];
  const request = (model: Model) => ({
    systemPrompt: "Be brief.",
    messages: history(model),
    tools: [{ name: "shot", description: "d", parameters: { type: "object" } }],
    maxOutputTokens: 9,
    thinkingLevel: "low" as const,
  });

  async function seen(model: LanguageModel & { calls: unknown[] }): Promise<unknown> {
    const ours = aiSdkModel(model, { providerOptions: { some: { option: true } } });
    expect((await read(ours, request(ours))).message.stopReason).toBe("stop");
    return model.calls[0];
  }

  const prompt = (file: object, resultFile: object) => [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        { type: "file", ...file, mediaType: "image/png" },
      ],
    },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "shot", input: {} }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "shot",
          output: { type: "content", value: [{ ...resultFile, mediaType: "image/png" }] },
        },
      ],
    },
  ];
  const shared = {
    maxOutputTokens: 9,
    tools: [{ type: "function", name: "shot", description: "d", inputSchema: { type: "object" } }],
    providerOptions: { some: { option: true } },
  };
  const base = { provider: "p", modelId: "m", supportedUrls: {}, doGenerate: never };

  const yes = [
    { type: "text-start" as const, id: "1" },
    { type: "text-delta" as const, id: "1", delta: "Yes" },
    { type: "text-end" as const, id: "1" },
  ];
  type Finish2 = Extract<LanguageModelV2StreamPart, { type: "finish" }>;

  function version2(end: Omit<Finish2, "type">): LanguageModelV2 & { calls: unknown[] } {
    const calls: unknown[] = [];
    const doStream: LanguageModelV2["doStream"] = async (options) => {
      calls.push(options);
      return { stream: partStream([...yes, { type: "finish" as const, ...end }]) };
    };
    return { ...base, calls, specificationVersion: "v2", doStream };
  }

  test("2 is spoken", async () => {
    const counts = { inputTokens: 10, outputTokens: 2, totalTokens: 12, cachedInputTokens: 4 };
    const model = version2({ finishReason: "stop", usage: counts });
    expect(await seen(model)).toMatchObject({ ...shared, prompt: prompt({ data: "aGk=" }, { type: "media", data: "aGk=" }) });
    expect((await read(aiSdkModel(model))).message.usage).toMatchObject({ input: 6, cacheRead: 4, output: 2 });
  });

  test("2 says unknown for a stream that was cut", async () => {
    const counts = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
    const { message } = await read(aiSdkModel(version2({ finishReason: "unknown", usage: counts })));
    expect(message).toMatchObject({ failure: { kind: "stream_interrupted" } });
  });

  test("3 is spoken", async () => {
    const calls: unknown[] = [];
    const doStream: LanguageModelV3["doStream"] = async (options) => {
      calls.push(options);
      return { stream: partStream([...yes, { type: "finish" as const, usage, finishReason: { unified: "stop", raw: "stop" } }]) };
    };
    const written = prompt({ data: "aGk=" }, { type: "image-data", data: "aGk=" });
    expect(await seen({ ...base, calls, specificationVersion: "v3", doStream })).toMatchObject({ ...shared, prompt: written });
  });

  test("4 is spoken, with the thinking level", async () => {
    const { model, calls } = version4(() => partStream([...text, finish("stop")]));
    const data = { type: "data", data: "aGk=" };
    expect(await seen({ ...model, calls })).toMatchObject({
      ...shared,
      reasoning: "low",
      prompt: prompt({ data }, { type: "file", data }),
    });
  });

  test("any other is refused when the model is made", () => {
    const { model } = version4();
    expect(() => aiSdkModel(Object.assign(model, { specificationVersion: "v1" }))).toThrow("got v1");
    expect(() => aiSdkModel(JSON.parse('"openai/gpt-5"'))).toThrow('the string "openai/gpt-5"');
  });
});
