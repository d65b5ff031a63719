import type { FaultReply, FaultReplyToolCall } from "../reply.ts";
import { completeUsage, fragments, stopReasonOf, words } from "../reply.ts";
import { openaiErrorBody } from "./openai-error.ts";
import type { Part, ReplyContext, WireEvent, WireFormat } from "./wire-format.ts";
import { CREATED_AT, wireEvent } from "./wire-format.ts";

/** An event before it has its place in the sequence. */
interface Step {
  part: Part;
  data: { type: string } & Record<string, unknown>;
}

/** One output item: how it opens, what streams, and how it stands at the end. */
interface Item {
  opened: Record<string, unknown>;
  done: Record<string, unknown>;
  steps: Step[];
}

function step(part: Part, type: string, fields: Record<string, unknown>): Step {
  return { part, data: { type, ...fields } };
}

function reasoning(thinking: string, n: number, output_index: number): Item {
  const place = { item_id: `rs_${n}`, output_index, summary_index: 0 };
  const part = { type: "summary_text", text: thinking };
  const item = { id: place.item_id, type: "reasoning", summary: [] };
  const named = (name: string): string => `response.reasoning_summary_${name}`;
  return {
    opened: item,
    done: { ...item, summary: [part], encrypted_content: "ZmF1bHQtc2VydmVyLXJlYXNvbmluZw==" },
    steps: [
      step("opening", named("part.added"), { ...place, part: { ...part, text: "" } }),
      ...words(thinking).map((delta) => step("content", named("text.delta"), { ...place, delta })),
      step("closing", named("text.done"), { ...place, text: thinking }),
      step("closing", named("part.done"), { ...place, part }),
    ],
  };
}

function outputText(text: string, n: number, output_index: number): Item {
  const place = { item_id: `msg_${n}`, output_index, content_index: 0 };
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const item = { id: place.item_id, type: "message", status: "in_progress", role: "assistant", content: [] };
  return {
    opened: item,
    done: { ...item, status: "completed", content: [part] },
    steps: [
      step("opening", "response.content_part.added", { ...place, part: { ...part, text: "" } }),
      ...words(text).map((delta) => step("content", "response.output_text.delta", { ...place, delta, logprobs: [] })),
      step("closing", "response.output_text.done", { ...place, text, logprobs: [] }),
      step("closing", "response.content_part.done", { ...place, part }),
    ],
  };
}

function functionCall(call: FaultReplyToolCall, index: number, n: number, output_index: number): Item {
  const place = { item_id: `fc_${n}_${index}`, output_index };
  const text = JSON.stringify(call.arguments);
  const { name } = call;
  const item = { id: place.item_id, type: "function_call", call_id: call.id ?? `call_${n}_${index}`, name };
  return {
    opened: { ...item, status: "in_progress", arguments: "" },
    done: { ...item, status: "completed", arguments: text },
    steps: [
      ...fragments(text).map((delta) => step("content", "response.function_call_arguments.delta", { ...place, delta })),
      step("closing", "response.function_call_arguments.done", { ...place, name, arguments: text }),
    ],
  };
}

function items(reply: FaultReply, n: number): Item[] {
  const makers = [
    ...(reply.thinking ? [(place: number) => reasoning(reply.thinking ?? "", n, place)] : []),
    ...(reply.text ? [(place: number) => outputText(reply.text ?? "", n, place)] : []),
    ...(reply.toolCalls ?? []).map((call, index) => (place: number) => functionCall(call, index, n, place)),
  ];
  return makers.map((make, place) => make(place));
}

/**
 * How the response ends. A stop reason the format has no status for is one: `failed` and `in_progress` are statuses,
 * anything else a reason to be incomplete. Null leaves the status out.
 */
function ending(reply: FaultReply): Record<string, unknown> {
  const raw = reply.rawStopReason ?? (stopReasonOf(reply) === "length" ? "max_output_tokens" : "completed");
  if (reply.rawStopReason === null) return {};
  if (["completed", "failed", "in_progress", "cancelled", "queued"].includes(raw)) return { status: raw };
  return { status: "incomplete", incomplete_details: { reason: raw } };
}

function usage(reply: FaultReply): object {
  const { input, output, cacheRead, cacheWrite } = completeUsage(reply.usage);
  return {
    input_tokens: input + cacheRead + cacheWrite,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cacheRead + cacheWrite + output,
  };
}

function skeleton(context: ReplyContext): Record<string, unknown> {
  return {
    id: `resp_${context.n}`,
    object: "response",
    created_at: CREATED_AT,
    error: null,
    incomplete_details: null,
    model: context.model,
    output: [],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
  };
}

function whole(reply: FaultReply, context: ReplyContext): Record<string, unknown> {
  const output = items(reply, context.n).map((item) => item.done);
  return { ...skeleton(context), ...ending(reply), output, usage: usage(reply) };
}

function events(reply: FaultReply, context: ReplyContext): WireEvent[] {
  const response = { ...skeleton(context), status: "in_progress", usage: null };
  const complete = whole(reply, context);
  const kind = complete.status === "incomplete" || complete.status === "failed" ? complete.status : "completed";
  const steps = [
    step("opening", "response.created", { response }),
    step("opening", "response.in_progress", { response }),
    ...items(reply, context.n).flatMap((item, output_index) => [
      step("opening", "response.output_item.added", { output_index, item: item.opened }),
      ...item.steps,
      step("closing", "response.output_item.done", { output_index, item: item.done }),
    ]),
    step("terminal", `response.${kind}`, { response: complete }),
  ];
  return steps.map(({ part, data }, sequence_number) => wireEvent(part, { ...data, sequence_number }, data.type));
}

/** OpenAI's Responses API. Its terminal event carries the whole response again, with its status. */
export const openaiResponses: WireFormat = {
  name: "openai-responses",
  title: "OpenAI Responses",
  path: "/responses",
  events,
  whole,
  errorBody: openaiErrorBody,
  errorEvent: ({ openai: { code, message } }) => {
    return wireEvent("content", { type: "error", code, message, param: null, sequence_number: 99 }, "error");
  },
  ping: undefined,
  requestIdHeader: "x-request-id",
};

/** The terminal event of a response that failed; `error` null is what a provider sends that does not know why. */
export function responseFailed(error: { code: string; message: string } | null, context: ReplyContext): WireEvent {
  const response = { ...skeleton(context), status: "failed", error };
  return wireEvent("terminal", { type: "response.failed", response, sequence_number: 99 }, "response.failed");
}
