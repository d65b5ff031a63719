import { APICallError, JSONParseError } from "@ai-sdk/provider";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

/**
 * A model of the AI SDK over Chat Completions, as its providers are made: lines that are no events are passed over, `[DONE]` is
 * not looked for, a call is told as soon as its arguments parse, and the finish part comes when the connection ends.
 */
export function chatModel(url: string, fetch: typeof globalThis.fetch = globalThis.fetch): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "chat-provider",
    modelId: "gpt-test",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("only streams are asked for")),
    async doStream(options) {
      const response = await post(`${url}/v1/chat/completions`, options, fetch);
      const chunks = (response.body ?? new Blob([]).stream())
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(eventData())
        .pipeThrough(parts());
      return { stream: chunks };
    },
  };
}

async function post(
  url: string,
  { prompt, tools, abortSignal }: LanguageModelV4CallOptions,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  const body = { model: "gpt-test", stream: true, stream_options: { include_usage: true }, messages: prompt, tools };
  const headers = { "content-type": "application/json" };
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      ...(abortSignal ? { signal: abortSignal } : {}),
    });
  } catch (cause) {
    if (abortSignal?.aborted) throw cause;
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new APICallError({
      message: `Cannot connect to API: ${reason}`,
      cause,
      url,
      requestBodyValues: body,
      isRetryable: true,
    });
  }
  if (response.ok) return response;
  const responseBody = await response.text();
  throw new APICallError({
    message: messageIn(responseBody) ?? response.statusText,
    url,
    requestBodyValues: body,
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
  });
}

function messageIn(body: string): string | undefined {
  try {
    return JSON.parse(body).error.message;
  } catch {
    return undefined;
  }
}

/** The data of each event that a blank line completes. */
function eventData(): TransformStream<string, string> {
  let rest = "";
  return new TransformStream({
    transform(text, controller) {
      const events = `${rest}${text.replaceAll("\r\n", "\n")}`.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const data = event.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []));
        if (data.length > 0) controller.enqueue(data.join("\n"));
      }
    },
  });
}

interface Chunk {
  id?: string;
  model?: string;
  error?: unknown;
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
  choices?: { delta?: Delta; finish_reason?: string | null }[];
}

interface Delta {
  content?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
}

const UNIFIED: Readonly<Record<string, LanguageModelV4FinishReason["unified"]>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
};

function parts(): TransformStream<string, LanguageModelV4StreamPart> {
  const calls = new Map<number, { id: string; name: string; input: string; told: boolean }>();
  const open = new Set<"text" | "reasoning">();
  let reason: LanguageModelV4FinishReason = { unified: "interrupted", raw: undefined };
  let usage: Chunk["usage"];

  function* saying(type: "text" | "reasoning", delta: string | undefined): Generator<LanguageModelV4StreamPart> {
    if (delta === undefined || delta === "") return;
    if (!open.has(type)) yield { type: `${type}-start`, id: type };
    open.add(type);
    yield { type: `${type}-delta`, id: type, delta };
  }

  function* calling({
    index,
    id,
    function: { name = "", arguments: delta },
  }: NonNullable<Delta["tool_calls"]>[number]): Generator<LanguageModelV4StreamPart> {
    const call = calls.get(index) ?? { id: id ?? `call_${index}`, name, input: "", told: false };
    if (!calls.has(index)) yield { type: "tool-input-start", id: call.id, toolName: call.name };
    calls.set(index, call);
    call.input += delta;
    if (delta !== "") yield { type: "tool-input-delta", id: call.id, delta };
    if (call.told || !parses(call.input)) return;
    call.told = true;
    yield { type: "tool-input-end", id: call.id };
    yield { type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.input };
  }

  function* read(data: string): Generator<LanguageModelV4StreamPart> {
    if (data === "[DONE]") return;
    let chunk: Chunk;
    try {
      chunk = JSON.parse(data);
    } catch (cause) {
      yield { type: "error", error: new JSONParseError({ text: data, cause }) };
      return;
    }
    if (chunk.error !== undefined) {
      yield { type: "error", error: chunk.error };
      return;
    }
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices ?? [];
    yield* saying("reasoning", choice?.delta?.reasoning_content);
    yield* saying("text", choice?.delta?.content);
    for (const call of choice?.delta?.tool_calls ?? []) yield* calling(call);
    if (choice?.finish_reason != null) reason = { unified: UNIFIED[choice.finish_reason] ?? "other", raw: choice.finish_reason };
  }

  return new TransformStream({
    transform(data, controller) {
      for (const part of read(data)) controller.enqueue(part);
    },
    flush(controller) {
      for (const type of open) controller.enqueue({ type: `${type}-end`, id: type });
      const total = usage?.prompt_tokens;
      controller.enqueue({
        type: "finish",
        finishReason: reason,
        usage: {
          inputTokens: { total, noCache: total, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: usage?.completion_tokens, text: undefined, reasoning: undefined },
        },
      });
    },
  });
}

function parses(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
