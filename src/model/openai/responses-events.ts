import type {
  Response as WireResponse,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from "openai/resources/responses/responses";
import { makeFailure } from "../../errors/index.ts";
import type { EventReader } from "../adapter/client-model.ts";
import { hasType, jsonEvent } from "../adapter/json-event.ts";
import type { Open, OpenCall, ReplyWriter } from "../adapter/reply-writer.ts";
import type { ToolNames } from "../adapter/shapes.ts";
import type { SseEvent } from "../adapter/sse.ts";
import { badStop, StreamedError, StreamFault } from "../faults.ts";
import type { TextBlock, ThinkingBlock } from "../types.ts";
import { reasoningSignature } from "./responses-request.ts";

const isStreamEvent = (value: object): value is ResponseStreamEvent => hasType(value);

/** Reads the events of one Responses stream. */
export class ResponsesEvents implements EventReader {
  readonly #names: ToolNames;
  readonly #headers: Headers;
  /** Blocks by the place of their item in the output. */
  readonly #texts = new Map<number, Open<TextBlock>>();
  readonly #thoughts = new Map<number, Open<ThinkingBlock>>();
  readonly #calls = new Map<number, OpenCall>();
  #refusal = "";

  constructor(names: ToolNames, headers: Headers) {
    this.#names = names;
    this.#headers = headers;
  }

  accept(sse: SseEvent, reply: ReplyWriter): void {
    if (sse.data === "[DONE]") return;
    const event = jsonEvent(sse, this.#headers, isStreamEvent);
    switch (event.type) {
      case "response.created":
        reply.start();
        reply.identify(event.response.id, event.response.model);
        break;
      case "response.output_item.added":
        this.#begin(event.item, event.output_index, reply);
        break;
      case "response.output_text.delta":
        reply.text(this.#text(event.output_index, reply), event.delta);
        break;
      case "response.refusal.delta":
        this.#refusal += event.delta;
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        reply.thinking(this.#thought(event.output_index, reply), event.delta);
        break;
      case "response.reasoning_summary_part.added":
        // Parts of one summary are paragraphs.
        if (event.summary_index > 0) reply.thinking(this.#thought(event.output_index, reply), "\n\n");
        break;
      case "response.function_call_arguments.delta": {
        const call = this.#calls.get(event.output_index);
        if (call !== undefined) reply.callArguments(call, event.delta);
        break;
      }
      case "response.output_item.done":
        this.#end(event.item, event.output_index, reply);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#terminal(event.response, reply);
        break;
    }
  }

  #begin(item: ResponseOutputItem, index: number, reply: ReplyWriter): void {
    if (item.type === "function_call") {
      const call = reply.openCall(item.call_id, this.#names.original(item.name));
      if (item.id !== undefined) call.block.signature = item.id;
      this.#calls.set(index, call);
    } else if (item.type === "reasoning") {
      this.#thought(index, reply);
    }
  }

  /** The finished item has the last word: what no delta has brought is taken from it. */
  #end(item: ResponseOutputItem, index: number, reply: ReplyWriter): void {
    switch (item.type) {
      case "message": {
        const whole = item.content.map((part) => (part.type === "output_text" ? part.text : "")).join("");
        if (whole !== "") {
          const open = this.#text(index, reply);
          reply.text(open, rest(whole, open.block.text));
          reply.close(open);
        }
        this.#refusal ||= item.content.map((part) => (part.type === "refusal" ? part.refusal : "")).join("");
        break;
      }
      case "reasoning": {
        const open = this.#thought(index, reply);
        const whole = item.summary.map((part) => part.text).join("\n\n");
        reply.thinking(open, open.block.thinking === "" ? whole : "");
        const signature = reasoningSignature(item);
        if (signature !== undefined) open.block.signature = signature;
        reply.close(open);
        break;
      }
      case "function_call": {
        if (!this.#calls.has(index)) this.#begin(item, index, reply);
        const call = this.#calls.get(index);
        if (call === undefined) break;
        reply.callArguments(call, rest(item.arguments, call.json));
        reply.close(call);
        break;
      }
    }
  }

  #terminal(response: WireResponse, reply: ReplyWriter): void {
    reply.identify(response.id, response.model);
    if (response.usage != null) countUsage(response.usage, reply);
    if (response.error != null) throw new StreamedError(response.error, this.#headers);
    if (response.status === "failed" || response.status === "cancelled")
      throw new StreamFault(failedWithoutReason(response.status));
    if (response.status === "incomplete") {
      const reason = response.incomplete_details?.reason ?? "incomplete";
      if (reason === "max_output_tokens") reply.finish("length", reason);
      else reply.fail(badStop(reason), reason);
      return;
    }
    if (this.#refusal !== "") reply.fail(badStop("refusal", this.#refusal), "refusal");
    else reply.finishClosed("stop", response.status);
  }

  #text(index: number, reply: ReplyWriter): Open<TextBlock> {
    let open = this.#texts.get(index);
    if (open === undefined) this.#texts.set(index, (open = reply.openText()));
    return open;
  }

  #thought(index: number, reply: ReplyWriter): Open<ThinkingBlock> {
    let open = this.#thoughts.get(index);
    if (open === undefined) this.#thoughts.set(index, (open = reply.openThinking()));
    return open;
  }
}

/** What of `whole` has not come yet. */
function rest(whole: string, come: string): string {
  return whole.startsWith(come) ? whole.slice(come.length) : "";
}

function countUsage(usage: ResponseUsage, reply: ReplyWriter): void {
  // Servers that only speak the format leave the details out.
  const details: Partial<ResponseUsage["input_tokens_details"]> = usage.input_tokens_details ?? {};
  const cacheRead = details.cached_tokens ?? 0;
  const cacheWrite = details.cache_write_tokens ?? 0;
  reply.usage({
    input: Math.max(0, usage.input_tokens - cacheRead - cacheWrite),
    output: usage.output_tokens,
    cacheRead,
    cacheWrite,
  });
}

const failedWithoutReason = (status: string) =>
  makeFailure({
    action: "retry",
    kind: "server_error",
    rule: "stream.response-failed",
    message: `The provider says that its response ${status === "failed" ? "failed" : "was cancelled"}, and gives no reason`,
    why: "Without a reason against it, the same request may be answered.",
    hint: "The same request usually works when it is sent again.",
  });
