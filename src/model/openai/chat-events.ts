import type { EventReader } from "../adapter/client-model.ts";
import { jsonEvent } from "../adapter/json-event.ts";
import type { Open, OpenCall, ReplyWriter } from "../adapter/reply-writer.ts";
import type { ToolNames } from "../adapter/shapes.ts";
import type { SseEvent } from "../adapter/sse.ts";
import { badStop, noTerminalEvent, StreamedError } from "../faults.ts";
import type { TextBlock, ThinkingBlock } from "../types.ts";
import type { ChatDialect } from "./dialects.ts";

/** A chunk as servers send it: the official shape, and what others add or leave out. */
interface Chunk {
  id?: string;
  model?: string;
  choices?: readonly Choice[] | null;
  usage?: ChunkUsage | null;
  x_groq?: { usage?: ChunkUsage | null };
}

interface Choice {
  index?: number;
  delta?: Delta | null;
  finish_reason?: string | null;
  error?: unknown;
}

interface Delta {
  content?: string | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: readonly CallDelta[] | null;
}

interface CallDelta {
  index?: number;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null };
}

interface ChunkUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
  prompt_cache_hit_tokens?: number | null;
}

/** Chunks without choices bring usage, or nothing. */
const isChunk = (value: object): value is Chunk =>
  !("choices" in value) || value.choices === null || Array.isArray(value.choices);

/** A tool call of which something has come; it opens when its name is known. */
interface PartialCall {
  index: number | undefined;
  id: string;
  early: string;
  open: OpenCall | undefined;
}

/** Reads the chunks of one Chat Completions stream. */
export class ChatEvents implements EventReader {
  readonly #names: ToolNames;
  readonly #dialect: ChatDialect;
  readonly #headers: Headers;
  readonly #calls: PartialCall[] = [];
  #text: Open<TextBlock> | undefined;
  #thinking: Open<ThinkingBlock> | undefined;
  #finishReason: string | undefined;
  #refusal = "";

  constructor(names: ToolNames, dialect: ChatDialect, headers: Headers) {
    this.#names = names;
    this.#dialect = dialect;
    this.#headers = headers;
  }

  accept(sse: SseEvent, reply: ReplyWriter): void {
    if (sse.data === "[DONE]") {
      this.#done(reply);
      return;
    }
    const chunk = jsonEvent(sse, this.#headers, isChunk);
    const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
    if (choice?.error != null) throw new StreamedError(choice.error, this.#headers);
    const usage = chunk.usage ?? chunk.x_groq?.usage;
    if (usage != null) countUsage(usage, reply);
    if (choice === undefined) return;
    reply.start();
    reply.identify(chunk.id, chunk.model);
    if (choice.delta != null) this.#delta(choice.delta, reply);
    if (choice.finish_reason != null && choice.finish_reason !== "") this.#finishReason = choice.finish_reason;
    // A server of this dialect sends nothing further that matters, once usage has come too.
    if (this.#finishReason !== undefined && this.#dialect.ends === "finish-reason" && usage != null) this.#done(reply);
  }

  /** The connection has ended, or broken, without `[DONE]`. */
  end(reply: ReplyWriter): void {
    if (this.#dialect.ends === "finish-reason" && this.#finishReason !== undefined) this.#done(reply);
  }

  #delta(delta: Delta, reply: ReplyWriter): void {
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (reasoning != null && reasoning !== "") {
      this.#closeText(reply);
      this.#thinking ??= reply.openThinking();
      reply.thinking(this.#thinking, reasoning);
    }
    if (delta.content != null && delta.content !== "") {
      this.#closeThinking(reply);
      this.#text ??= reply.openText();
      reply.text(this.#text, delta.content);
    }
    if (delta.refusal != null) this.#refusal += delta.refusal;
    for (const call of delta.tool_calls ?? []) this.#call(call, reply);
  }

  #call(delta: CallDelta, reply: ReplyWriter): void {
    this.#closeText(reply);
    this.#closeThinking(reply);
    const call = this.#find(delta) ?? this.#begin(delta);
    const name = delta.function?.name;
    if (call.open === undefined && name != null && name !== "") {
      call.open = reply.openCall(call.id, this.#names.original(name));
      reply.callArguments(call.open, call.early);
    }
    const json = delta.function?.arguments ?? "";
    if (call.open === undefined) call.early += json;
    else reply.callArguments(call.open, json);
  }

  /** The call a delta goes on with. Some servers give no index, or the same one to every call, but then each its own id. */
  #find({ index, id }: CallDelta): PartialCall | undefined {
    const call = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((other) => other.index === index);
    return call !== undefined && id && call.id !== id ? undefined : call;
  }

  #begin({ index, id }: CallDelta): PartialCall {
    const call: PartialCall = { index, id: id || `call_${this.#calls.length + 1}`, early: "", open: undefined };
    this.#calls.push(call);
    return call;
  }

  #done(reply: ReplyWriter): void {
    const reason = this.#finishReason ?? (this.#dialect.finishReason === "optional" ? "stop" : undefined);
    if (reason === undefined) {
      reply.fail(noTerminalEvent("a finish reason"));
      return;
    }
    if (this.#refusal !== "") {
      reply.fail(badStop("refusal", this.#refusal), reason);
      return;
    }
    switch (reason) {
      case "stop":
      case "end":
      case "eos":
        reply.finish("stop", this.#finishReason);
        break;
      case "length":
      case "max_tokens":
      case "model_length":
        reply.finish("length", reason);
        break;
      case "tool_calls":
      case "function_call":
        reply.finish("toolUse", reason);
        break;
      default:
        reply.fail(badStop(reason), reason);
    }
  }

  #closeText(reply: ReplyWriter): void {
    if (this.#text !== undefined) reply.close(this.#text);
    this.#text = undefined;
  }

  #closeThinking(reply: ReplyWriter): void {
    if (this.#thinking !== undefined) reply.close(this.#thinking);
    this.#thinking = undefined;
  }
}

/** Prompt tokens include those of the cache; ours do not. */
function countUsage(usage: ChunkUsage, reply: ReplyWriter): void {
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? 0;
  const cacheWrite = usage.prompt_tokens_details?.cache_write_tokens ?? 0;
  const input = Math.max(0, (usage.prompt_tokens ?? 0) - cacheRead - cacheWrite);
  reply.usage({ input, output: usage.completion_tokens ?? 0, cacheRead, cacheWrite });
}
