import type { LanguageModelV2StreamPart, LanguageModelV3StreamPart, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Open, OpenCall, ReplyWriter } from "../adapter/reply-writer.ts";
import type { ToolNames } from "../adapter/shapes.ts";
import { badStop, malformed, noTerminalEvent, StreamFault } from "../faults.ts";
import type { TextBlock, ThinkingBlock } from "../types.ts";
import { metadataSignature } from "./prompt.ts";

export type StreamPart = LanguageModelV2StreamPart | LanguageModelV3StreamPart | LanguageModelV4StreamPart;
type Finish = Extract<StreamPart, { type: "finish" }>;

/** Reads the parts of one `doStream`. */
export class StreamParts {
  readonly #names: ToolNames;
  readonly #texts = new Map<string, Open<TextBlock>>();
  readonly #thoughts = new Map<string, Open<ThinkingBlock>>();
  readonly #calls = new Map<string, OpenCall>();
  /** Calls that the provider runs itself; their results are part of its answer. */
  readonly #foreignCalls = new Set<string>();

  constructor(names: ToolNames) {
    this.#names = names;
  }

  accept(part: StreamPart, reply: ReplyWriter): void {
    switch (part.type) {
      case "response-metadata":
        reply.start();
        reply.identify(part.id, part.modelId);
        break;
      case "text-start":
        this.#texts.set(part.id, reply.openText());
        break;
      case "text-delta": {
        const open = this.#texts.get(part.id);
        if (open !== undefined) reply.text(open, part.delta);
        break;
      }
      case "text-end": {
        const open = this.#texts.get(part.id);
        if (open !== undefined) reply.close(open);
        break;
      }
      case "reasoning-start":
        this.#thoughts.set(part.id, reply.openThinking());
        this.#reasoning(part, "", reply);
        break;
      case "reasoning-delta":
        this.#reasoning(part, part.delta, reply);
        break;
      case "reasoning-end": {
        const open = this.#reasoning(part, "", reply);
        if (open !== undefined) reply.close(open);
        break;
      }
      case "tool-input-start":
        if (part.providerExecuted === true) this.#foreignCalls.add(part.id);
        else this.#calls.set(part.id, reply.openCall(part.id, this.#names.original(part.toolName)));
        break;
      case "tool-input-delta": {
        const call = this.#calls.get(part.id);
        if (call !== undefined) reply.callArguments(call, part.delta);
        break;
      }
      case "tool-call":
        this.#call(part, reply);
        break;
      case "finish":
        this.#finish(part, reply);
        break;
      case "error":
        throw described(part.error);
    }
  }

  #reasoning(
    part: Extract<StreamPart, { type: `reasoning-${"start" | "delta" | "end"}` }>,
    delta: string,
    reply: ReplyWriter,
  ): Open<ThinkingBlock> | undefined {
    const open = this.#thoughts.get(part.id);
    if (open === undefined) return undefined;
    const signature = metadataSignature(open.block.signature, part.providerMetadata);
    if (signature !== undefined) open.block.signature = signature;
    reply.thinking(open, delta);
    return open;
  }

  /** Only this part says that a call is whole; its input has the last word over the deltas. */
  #call(part: Extract<StreamPart, { type: "tool-call" }>, reply: ReplyWriter): void {
    if (part.providerExecuted === true || this.#foreignCalls.has(part.toolCallId)) return;
    const call = this.#calls.get(part.toolCallId) ?? reply.openCall(part.toolCallId, this.#names.original(part.toolName));
    this.#calls.set(part.toolCallId, call);
    if (call.json === "") reply.callArguments(call, part.input);
    else call.json = part.input;
    const signature = metadataSignature(undefined, part.providerMetadata);
    if (signature !== undefined) call.block.signature = signature;
    reply.close(call);
  }

  #finish(part: Finish, reply: ReplyWriter): void {
    countUsage(part.usage, reply);
    const { finishReason } = part;
    const { unified, raw } = typeof finishReason === "string" ? { unified: finishReason, raw: finishReason } : finishReason;
    switch (unified) {
      case "stop":
        reply.finishClosed("stop", raw);
        break;
      case "tool-calls":
        reply.finishClosed("toolUse", raw);
        break;
      case "length":
        reply.finish("length", raw);
        break;
      case "unknown":
      case "interrupted":
        // Providers close a stream that was cut with a reason of this kind.
        reply.fail(noTerminalEvent("a finish reason"), raw);
        break;
      case "other":
        if (raw === "model_context_window_exceeded") reply.finish("length", raw);
        else reply.fail(raw === undefined || raw === "other" ? noTerminalEvent("a finish reason") : badStop(raw), raw);
        break;
      case "content-filter":
      case "error":
        reply.fail(badStop(unified, raw === unified ? undefined : raw), raw);
        break;
    }
  }
}

const PARSE_ERRORS: ReadonlySet<string> = new Set(["AI_JSONParseError", "AI_TypeValidationError"]);

/** Errors of the SDK's own parsing mean that the bytes were garbled; all others are described as they are. */
function described(error: unknown): unknown {
  if (!(error instanceof Error) || !PARSE_ERRORS.has(error.name)) return error;
  return new StreamFault(malformed(error.message));
}

/** Version 2 counts cached tokens within its input; later versions tell them apart. */
function countUsage(usage: Finish["usage"], reply: ReplyWriter): void {
  if (typeof usage.inputTokens === "object" && typeof usage.outputTokens === "object") {
    const { total, noCache, cacheRead = 0, cacheWrite = 0 } = usage.inputTokens;
    const input = noCache ?? Math.max(0, (total ?? 0) - cacheRead - cacheWrite);
    reply.usage({ input, output: usage.outputTokens.total ?? 0, cacheRead, cacheWrite });
    return;
  }
  if (typeof usage.inputTokens === "object" || typeof usage.outputTokens === "object") return;
  const cacheRead = ("cachedInputTokens" in usage ? usage.cachedInputTokens : undefined) ?? 0;
  reply.usage({
    input: Math.max(0, (usage.inputTokens ?? 0) - cacheRead),
    output: usage.outputTokens ?? 0,
    cacheRead,
    cacheWrite: 0,
  });
}
