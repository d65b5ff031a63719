import type { Usage as WireUsage } from "@anthropic-ai/sdk/resources/messages/messages";
import type { EventReader } from "../adapter/client-model.ts";
import { hasType, jsonEvent } from "../adapter/json-event.ts";
import type { Open, OpenCall, ReplyWriter } from "../adapter/reply-writer.ts";
import type { ToolNames } from "../adapter/shapes.ts";
import type { SseEvent } from "../adapter/sse.ts";
import { badStop, noTerminalEvent } from "../faults.ts";
import type { TextBlock, ThinkingBlock } from "../types.ts";
import type { StreamEvent } from "./request.ts";

type OpenBlock =
  | { kind: "text"; open: Open<TextBlock> }
  | { kind: "thinking"; open: Open<ThinkingBlock> }
  | { kind: "call"; open: OpenCall };
type Counts = {
  [Key in "input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens"]?: number | null;
};

const isStreamEvent = (value: object): value is StreamEvent => hasType(value);

/** Reads the events of one Messages stream. */
export class AnthropicEvents implements EventReader {
  readonly #names: ToolNames;
  readonly #headers: Headers;
  /** Blocks by the index the API gives them; blocks of kinds we do not know are not among them. */
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #stopReason: string | undefined;
  #explanation: string | undefined;

  constructor(names: ToolNames, headers: Headers) {
    this.#names = names;
    this.#headers = headers;
  }

  accept(sse: SseEvent, reply: ReplyWriter): void {
    if (sse.event === "ping") return;
    const event = jsonEvent(sse, this.#headers, isStreamEvent);
    switch (event.type) {
      case "message_start":
        reply.start();
        reply.identify(event.message.id, event.message.model);
        this.#count(event.message.usage, reply);
        break;
      case "content_block_start":
        this.#begin(event, reply);
        break;
      case "content_block_delta":
        this.#delta(event, reply);
        break;
      case "content_block_stop": {
        const block = this.#blocks.get(event.index);
        if (block !== undefined) reply.close(block.open);
        break;
      }
      case "message_delta":
        if (event.delta.stop_reason != null) this.#stopReason = event.delta.stop_reason;
        this.#explanation = event.delta.stop_details?.explanation ?? this.#explanation;
        this.#count(event.usage, reply);
        break;
      case "message_stop":
        this.#stop(reply);
        break;
    }
  }

  #begin({ index, content_block: block }: Extract<StreamEvent, { type: "content_block_start" }>, reply: ReplyWriter): void {
    switch (block.type) {
      case "text": {
        const open = reply.openText();
        this.#blocks.set(index, { kind: "text", open });
        reply.text(open, block.text);
        break;
      }
      case "thinking": {
        const open = reply.openThinking(block.signature || undefined);
        this.#blocks.set(index, { kind: "thinking", open });
        reply.thinking(open, block.thinking);
        break;
      }
      case "redacted_thinking": {
        const open = reply.openThinking(block.data);
        open.block.redacted = true;
        this.#blocks.set(index, { kind: "thinking", open });
        break;
      }
      case "tool_use": {
        this.#blocks.set(index, { kind: "call", open: reply.openCall(block.id, this.#names.original(block.name)) });
        break;
      }
    }
  }

  #delta({ index, delta }: Extract<StreamEvent, { type: "content_block_delta" }>, reply: ReplyWriter): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    if (delta.type === "text_delta" && block.kind === "text") reply.text(block.open, delta.text);
    else if (delta.type === "thinking_delta" && block.kind === "thinking") reply.thinking(block.open, delta.thinking);
    else if (delta.type === "input_json_delta" && block.kind === "call") reply.callArguments(block.open, delta.partial_json);
    else if (delta.type === "signature_delta" && block.kind === "thinking") {
      block.open.block.signature = (block.open.block.signature ?? "") + delta.signature;
    }
  }

  /** Counts are running totals; an event may leave some out. */
  #count(usage: (Counts | WireUsage) | null | undefined, reply: ReplyWriter): void {
    if (usage == null) return;
    const counts = this.#usage;
    counts.input = usage.input_tokens ?? counts.input;
    counts.output = usage.output_tokens ?? counts.output;
    counts.cacheRead = usage.cache_read_input_tokens ?? counts.cacheRead;
    counts.cacheWrite = usage.cache_creation_input_tokens ?? counts.cacheWrite;
    reply.usage(counts);
  }

  #stop(reply: ReplyWriter): void {
    const reason = this.#stopReason;
    switch (reason) {
      case undefined:
        reply.fail(noTerminalEvent("a stop reason"));
        break;
      case "end_turn":
      case "stop_sequence":
      case "pause_turn":
        reply.finishClosed("stop", reason);
        break;
      case "tool_use":
        reply.finishClosed("toolUse", reason);
        break;
      case "max_tokens":
      case "model_context_window_exceeded":
        reply.finish("length", reason);
        break;
      default:
        reply.fail(badStop(reason, this.#explanation), reason);
    }
  }
}
