import { anthropic } from "../../src/model/anthropic/index.ts";
import { openaiChat, openaiResponses } from "../../src/model/openai/index.ts";
import type { Model } from "../../src/model/types.ts";

/** One wire format, as a server writes it. A stream of it is `[...begin, ...text, ...end]`, or `whole`. */
export interface WireFormatSample {
  name: string;
  make(baseURL: string, options?: object): Model;
  /** Up to the first piece of text "I will delete the old ". */
  begin: readonly string[];
  /** The rest, "files now.". */
  more: readonly string[];
  end: readonly string[];
  /** A whole tool call `run {"command":"rm old"}`, in frames. */
  tool: readonly string[];
  toolEnd: readonly string[];
  /** An error event in the middle of the stream, as the provider writes it. */
  error(type: string, message: string): string;
  /** The same without its event name. */
  unnamedError(type: string, message: string): string;
  /** The body of a refused request. */
  errorBody(type: string, message: string): object;
  keyVariable: string;
}

const named = (event: { type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const TEXT_1 = "I will delete the old ";
const TEXT_2 = "files now.";
export const WHOLE_TEXT = TEXT_1 + TEXT_2;
export const HALF_TEXT = TEXT_1;

const anthropicStart = named({
  type: "message_start",
  ...{
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m-2026",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 },
    },
  },
});
const anthropicDelta = (text: string): string =>
  named({ type: "content_block_delta", ...{ index: 0, delta: { type: "text_delta", text } } });
const anthropicEnd = (stop_reason: string): string[] => [
  named({ type: "message_delta", ...{ delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } } }),
  named({ type: "message_stop" }),
];

const ANTHROPIC: WireFormatSample = {
  name: "Anthropic Messages",
  make: (baseURL, options) => anthropic({ model: "m", apiKey: "sk-test", baseURL, ...options }),
  begin: [
    anthropicStart,
    named({ type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } }),
    named({ type: "ping" }),
    anthropicDelta(TEXT_1),
  ],
  more: [anthropicDelta(TEXT_2), named({ type: "content_block_stop", ...{ index: 0 } })],
  end: anthropicEnd("end_turn"),
  tool: [
    anthropicStart,
    named({
      type: "content_block_start",
      ...{ index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "run", input: {} } },
    }),
    named({ type: "content_block_delta", ...{ index: 0, delta: { type: "input_json_delta", partial_json: '{"command":"rm' } } }),
    named({ type: "content_block_delta", ...{ index: 0, delta: { type: "input_json_delta", partial_json: ' old"}' } } }),
    named({ type: "content_block_stop", ...{ index: 0 } }),
  ],
  toolEnd: anthropicEnd("tool_use"),
  error: (type, message) => named({ type: "error", ...{ error: { type, message } } }),
  unnamedError: (type, message) => data({ type: "error", error: { type, message } }),
  errorBody: (type, message) => ({ type: "error", error: { type, message }, request_id: "req_1" }),
  keyVariable: "ANTHROPIC_API_KEY",
};

const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
  data({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m-2026",
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
const chatUsage = data({
  id: "chatcmpl-1",
  model: "m-2026",
  choices: [],
  usage: {
    prompt_tokens: 130,
    completion_tokens: 7,
    total_tokens: 137,
    prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 20 },
  },
});

const CHAT: WireFormatSample = {
  name: "OpenAI Chat Completions",
  make: (baseURL, options) => openaiChat({ model: "m", apiKey: "sk-test", baseURL: `${baseURL}/v1`, ...options }),
  begin: [chunk({ role: "assistant", content: "" }), chunk({ content: TEXT_1 })],
  more: [chunk({ content: TEXT_2 })],
  end: [chunk({}, "stop"), chatUsage, "data: [DONE]\n\n"],
  tool: [
    chunk({
      role: "assistant",
      content: null,
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "run", arguments: "" } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"command":"rm' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ' old"}' } }] }),
  ],
  toolEnd: [chunk({}, "tool_calls"), chatUsage, "data: [DONE]\n\n"],
  error: (type, message) => data({ error: { type, message, code: null, param: null } }),
  unnamedError: (type, message) => data({ error: { type, message } }),
  errorBody: (type, message) => ({ error: { type, message, code: null, param: null } }),
  keyVariable: "OPENAI_API_KEY",
};

const wireResponse = (status: string, more: object = {}): object => ({
  id: "resp_1",
  object: "response",
  status,
  model: "m-2026",
  error: null,
  incomplete_details: null,
  output: [],
  ...more,
});
const responsesUsage = {
  input_tokens: 130,
  input_tokens_details: { cached_tokens: 100, cache_write_tokens: 20 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 137,
};
const responsesStart = named({ type: "response.created", ...{ response: wireResponse("in_progress") } });
const completed = named({ type: "response.completed", ...{ response: wireResponse("completed", { usage: responsesUsage }) } });
const responsesDelta = (delta: string): string =>
  named({ type: "response.output_text.delta", ...{ item_id: "msg_1", output_index: 0, content_index: 0, delta } });

const RESPONSES: WireFormatSample = {
  name: "OpenAI Responses",
  make: (baseURL, options) => openaiResponses({ model: "m", apiKey: "sk-test", baseURL: `${baseURL}/v1`, ...options }),
  begin: [
    responsesStart,
    named({
      type: "response.output_item.added",
      ...{ output_index: 0, item: { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] } },
    }),
    responsesDelta(TEXT_1),
  ],
  more: [
    responsesDelta(TEXT_2),
    named({
      type: "response.output_item.done",
      ...{
        output_index: 0,
        item: {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: WHOLE_TEXT, annotations: [] }],
        },
      },
    }),
  ],
  end: [completed],
  tool: [
    responsesStart,
    named({
      type: "response.output_item.added",
      ...{
        output_index: 0,
        item: { type: "function_call", id: "fc_1", call_id: "call_1", name: "run", arguments: "", status: "in_progress" },
      },
    }),
    named({ type: "response.function_call_arguments.delta", ...{ item_id: "fc_1", output_index: 0, delta: '{"command":"rm' } }),
    named({ type: "response.function_call_arguments.delta", ...{ item_id: "fc_1", output_index: 0, delta: ' old"}' } }),
    named({
      type: "response.output_item.done",
      ...{
        output_index: 0,
        item: {
          type: "function_call",
          id: "fc_1",
          call_id: "call_1",
          name: "run",
          arguments: '{"command":"rm old"}',
          status: "completed",
        },
      },
    }),
  ],
  toolEnd: [completed],
  error: (code, message) => named({ type: "error", ...{ code, message, param: null } }),
  unnamedError: (code, message) => data({ type: "error", code, message, param: null }),
  errorBody: (type, message) => ({ error: { type, message, code: null, param: null } }),
  keyVariable: "OPENAI_API_KEY",
};

export const FORMATS: readonly WireFormatSample[] = [ANTHROPIC, CHAT, RESPONSES];
export { ANTHROPIC, CHAT, chunk, data, named, RESPONSES, wireResponse };
