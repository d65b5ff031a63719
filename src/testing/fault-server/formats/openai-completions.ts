import type { FaultReply } from "../reply.ts";
import { completeUsage, fragments, stopReasonOf, words } from "../reply.ts";
import { openaiErrorBody } from "./openai-error.ts";
import type { Part, ReplyContext, WireEvent, WireFormat } from "./wire-format.ts";
import { CREATED_AT, wireEvent } from "./wire-format.ts";

const FINISH_REASONS = { stop: "stop", length: "length", toolUse: "tool_calls" };

function finishReason(reply: FaultReply): string | null {
  return reply.rawStopReason === undefined ? FINISH_REASONS[stopReasonOf(reply)] : reply.rawStopReason;
}

function usage(reply: FaultReply): object {
  const { input, output, cacheRead, cacheWrite } = completeUsage(reply.usage);
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}

interface NamedCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

function toolCalls(reply: FaultReply, n: number): NamedCall[] {
  return (reply.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${n}_${index}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
}

/** The deltas of one call: its name first, then its arguments in pieces. */
function callDeltas(call: NamedCall, index: number): { part: Part; delta: object }[] {
  const named = { index, ...call, function: { name: call.function.name, arguments: "" } };
  const pieces = fragments(call.function.arguments).map((piece) => ({ index, function: { arguments: piece } }));
  return [
    { part: "opening", delta: { tool_calls: [named] } },
    ...pieces.map((piece) => ({ part: "content", delta: { tool_calls: [piece] } }) as const),
  ];
}

function events(reply: FaultReply, context: ReplyContext): WireEvent[] {
  const head = { id: `chatcmpl-${context.n}`, object: "chat.completion.chunk", created: CREATED_AT, model: context.model };
  const chunk = (part: Part, delta: object, finish_reason: string | null = null): WireEvent =>
    wireEvent(part, { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  return [
    chunk("opening", { role: "assistant", content: "" }),
    ...words(reply.thinking ?? "").map((reasoning_content) => chunk("content", { reasoning_content })),
    ...words(reply.text ?? "").map((content) => chunk("content", { content })),
    ...toolCalls(reply, context.n)
      .flatMap(callDeltas)
      .map(({ part, delta }) => chunk(part, delta)),
    chunk("finish", {}, finishReason(reply)),
    ...(context.includeUsage ? [wireEvent("finish", { ...head, choices: [], usage: usage(reply) })] : []),
    { data: "[DONE]", part: "terminal" },
  ];
}

function whole(reply: FaultReply, context: ReplyContext): unknown {
  const calls = toolCalls(reply, context.n);
  const message = {
    role: "assistant",
    content: reply.text ?? null,
    ...(reply.thinking === undefined ? {} : { reasoning_content: reply.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: `chatcmpl-${context.n}`,
    object: "chat.completion",
    created: CREATED_AT,
    model: context.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
    usage: usage(reply),
  };
}

/** OpenAI's Chat Completions API, and what speaks it. Thinking goes as `reasoning_content`. */
export const openaiCompletions: WireFormat = {
  name: "openai-completions",
  title: "OpenAI Chat Completions",
  path: "/chat/completions",
  events,
  whole,
  errorBody: openaiErrorBody,
  errorEvent: (error) => wireEvent("content", openaiErrorBody(error)),
  ping: undefined,
  requestIdHeader: "x-request-id",
};
