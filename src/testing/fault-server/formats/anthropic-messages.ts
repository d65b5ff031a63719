import type { FaultReply } from "../reply.ts";
import { completeUsage, fragments, stopReasonOf, words } from "../reply.ts";
import type { Part, ReplyContext, WireEvent, WireFormat } from "./wire-format.ts";
import { wireEvent } from "./wire-format.ts";

const STOP_REASONS = { stop: "end_turn", length: "max_tokens", toolUse: "tool_use" };
const SIGNATURE = "ZmF1bHQtc2VydmVyLXNpZ25hdHVyZQ==";

type Block =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

function blocks(reply: FaultReply, n: number): Block[] {
  const calls = reply.toolCalls ?? [];
  return [
    ...(reply.thinking ? [{ type: "thinking", thinking: reply.thinking, signature: SIGNATURE } as const] : []),
    ...(reply.text ? [{ type: "text", text: reply.text } as const] : []),
    ...calls.map((call, index) => {
      return { type: "tool_use", id: call.id ?? `call_${n}_${index}`, name: call.name, input: call.arguments } as const;
    }),
  ];
}

function opened(block: Block): object {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

function deltas(block: Block): object[] {
  if (block.type === "text") return words(block.text).map((text) => ({ type: "text_delta", text }));
  if (block.type === "tool_use") {
    const pieces = fragments(JSON.stringify(block.input));
    return pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
  }
  const thoughts = words(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
  return [...thoughts, { type: "signature_delta", signature: block.signature }];
}

function event(part: Part, data: { type: string } & Record<string, unknown>): WireEvent {
  return wireEvent(part, data, data.type);
}

function blockEvents(block: Block, index: number): WireEvent[] {
  return [
    event("opening", { type: "content_block_start", index, content_block: opened(block) }),
    ...deltas(block).map((delta) => event("content", { type: "content_block_delta", index, delta })),
    event("closing", { type: "content_block_stop", index }),
  ];
}

function usage(reply: FaultReply): object {
  const { input, output, cacheRead, cacheWrite } = completeUsage(reply.usage);
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  };
}

function message(reply: FaultReply, context: ReplyContext): { content: Block[] } & Record<string, unknown> {
  return {
    id: `msg_${context.n}`,
    type: "message",
    role: "assistant",
    model: context.model,
    content: blocks(reply, context.n),
    stop_reason: reply.rawStopReason === undefined ? STOP_REASONS[stopReasonOf(reply)] : reply.rawStopReason,
    stop_sequence: null,
    usage: usage(reply),
  };
}

function events(reply: FaultReply, context: ReplyContext): WireEvent[] {
  const whole = message(reply, context);
  const { output } = completeUsage(reply.usage);
  const start = { ...whole, content: [], stop_reason: null, usage: { ...usage(reply), output_tokens: 1 } };
  const delta = { stop_reason: whole.stop_reason, stop_sequence: null };
  return [
    event("opening", { type: "message_start", message: start }),
    ping,
    ...whole.content.flatMap(blockEvents),
    event("finish", { type: "message_delta", delta, usage: { output_tokens: output } }),
    event("terminal", { type: "message_stop" }),
  ];
}

const ping = event("opening", { type: "ping" });

/** Anthropic's Messages API. */
export const anthropicMessages: WireFormat = {
  name: "anthropic-messages",
  title: "Anthropic Messages",
  path: "/messages",
  events,
  whole: message,
  errorBody: (error, requestId) => ({
    type: "error",
    error: { type: error.anthropic.type, message: error.anthropic.message },
    request_id: requestId,
  }),
  errorEvent: ({ anthropic: { type, message: text } }) => event("content", { type: "error", error: { type, message: text } }),
  ping,
  requestIdHeader: "request-id",
};
