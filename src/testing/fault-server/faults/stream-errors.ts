import type { Fault } from "../fault.ts";
import { ALL_FORMATS, examples, respond } from "../fault.ts";
import type { FaultExample, Meaning } from "../fault.ts";
import { responseFailed } from "../formats/openai-responses.ts";
import { frame } from "../formats/wire-format.ts";
import { pointArgument } from "../point.ts";
import { providerErrors } from "../provider-errors.ts";
import type { ProviderErrorName } from "../provider-errors.ts";
import { sendReply } from "./replies.ts";

export const PROVIDER_ERROR_NAMES = Object.keys(providerErrors).filter(
  (name): name is ProviderErrorName => name in providerErrors,
);

/** What a client should make of each named error, in whatever shape it comes. */
export const ERROR_MEANINGS: Readonly<Record<ProviderErrorName, readonly [Meaning, ...Meaning[]]>> = {
  overloaded: ["overloaded"],
  rate_limit: ["rate_limited"],
  insufficient_quota: ["quota_exhausted"],
  context_length_exceeded: ["context_overflow"],
  request_too_large: ["context_overflow"],
  authentication: ["auth"],
  permission: ["auth"],
  model_not_found: ["model_not_found"],
  invalid_request: ["invalid_request"],
  content_policy: ["content_policy"],
  server_error: ["server_error"],
  timeout: ["timeout"],
};

const IN_STREAM = [
  "overloaded",
  "rate_limit",
  "insufficient_quota",
  "context_length_exceeded",
  "server_error",
  "content_policy",
] as const;

function errorExamples(prefix: string, suffix = ""): FaultExample[] {
  return IN_STREAM.map((name) => ({ step: `${prefix}:${name}${suffix}`, means: ERROR_MEANINGS[name] }));
}

/** Faults that a stream reports itself, well formed. */
export const streamErrorFaults: Record<string, Fault> = {
  "error-event": {
    title: "error event in a stream",
    description:
      `At a point the stream reports an error (${PROVIDER_ERROR_NAMES.join(", ")}) in the provider's shape, ` +
      "with or without the event's name, and ends cleanly. After the terminal event it is void.",
    usage: "error-event:<error>:<point>:<named|unnamed>",
    formats: ALL_FORMATS,
    examples: [
      ...errorExamples("error-event"),
      ...examples(["error-event:overloaded:start", "error-event:overloaded:half:unnamed"], "overloaded"),
      ...examples(["error-event:server_error:end"], "answer"),
    ],
    prepare: (words) => {
      const name = words.oneOf("the error", PROVIDER_ERROR_NAMES, "overloaded");
      const at = pointArgument(words, "half");
      const named = words.oneOf("the event line", ["named", "unnamed"], "named") === "named";
      return respond(async (exchange) => {
        const { name: line, ...event } = exchange.format.errorEvent(providerErrors[name]);
        await exchange.begin(at);
        await exchange.send(frame(named && line !== undefined ? { name: line, ...event } : event));
        await exchange.end();
      });
    },
  },
  "error-text": {
    title: "error event with plain text",
    description: "In the middle a proxy sends an event named error whose data is no JSON: `upstream request timeout`.",
    usage: "error-text[:<text>]",
    formats: ALL_FORMATS,
    examples: examples(["error-text"], "timeout", "network", "stream_interrupted"),
    prepare: (words) => {
      const data = words.text("upstream request timeout");
      return respond(async (exchange) => {
        await exchange.begin("half");
        await exchange.send(frame({ name: "error", data, part: "content" }));
        await exchange.end();
      });
    },
  },
  "response-failed": {
    title: "response.failed",
    description: "The Responses API's own way to fail: at a point comes a terminal event with an error, or with none.",
    usage: "response-failed:<error|null>:<point>",
    formats: ["openai-responses"],
    examples: [
      ...errorExamples("response-failed"),
      ...examples(["response-failed:null", "response-failed:server_error:finish"], "server_error"),
    ],
    prepare: (words) => {
      const name = words.oneOf("the error", [...PROVIDER_ERROR_NAMES, "null"], "server_error");
      const at = pointArgument(words, "half");
      return respond(async (exchange) => {
        const error = name === "null" ? null : providerErrors[name].openai;
        const told = error === null ? null : { code: error.code ?? error.type, message: error.message };
        await exchange.begin(at);
        await exchange.send(frame(responseFailed(told, exchange.context)));
        await exchange.end();
      });
    },
  },
  "finish-reason": {
    title: "unusual stop reason",
    description:
      "A whole reply whose stop reason is the word given: `null` for none. In the Responses API it is the status, or the " +
      "reason why the response is incomplete.",
    usage: "finish-reason:<word|null>",
    formats: ALL_FORMATS,
    examples: [
      {
        step: "finish-reason:null",
        means: ["stream_interrupted"],
        // There the name of the terminal event says it too.
        meansIn: { "openai-responses": ["answer", "stream_interrupted"] },
      },
      { step: "finish-reason:fault_server_reason", means: ["stream_interrupted", "unknown", "server_error"] },
      { step: "finish-reason:content_filter", means: ["content_policy"], formats: ["openai-completions", "openai-responses"] },
      { step: "finish-reason:refusal", means: ["content_policy"], formats: ["anthropic-messages"] },
      { step: "finish-reason:max_tokens", means: ["cut"], formats: ["anthropic-messages"] },
      { step: "finish-reason:length", means: ["cut"], formats: ["openai-completions"] },
      { step: "finish-reason:max_output_tokens", means: ["cut"], formats: ["openai-responses"] },
      { step: "finish-reason:model_context_window_exceeded", means: ["cut"], formats: ["anthropic-messages"] },
      {
        step: "finish-reason:error",
        means: ["server_error", "stream_interrupted"],
        formats: ["openai-completions"],
      },
      {
        step: "finish-reason:network_error",
        means: ["stream_interrupted", "network"],
        formats: ["openai-completions"],
      },
    ],
    prepare: (words) => {
      const word = words.text("null");
      return respond((exchange) => sendReply(exchange, { ...exchange.reply, rawStopReason: word === "null" ? null : word }));
    },
  },
  "cut-arguments": {
    title: "tool call cut at the output limit",
    description: "A tool call with half its arguments, properly closed: the model came to its output limit.",
    usage: "cut-arguments",
    formats: ALL_FORMATS,
    examples: examples(["cut-arguments"], "cut"),
    prepare: () =>
      respond(async (exchange) => {
        exchange.head();
        const call = { toolCalls: [exchange.toolCall], stopReason: "length" } as const;
        const pieces = exchange.pieces(call);
        const content = exchange.request.stream ? pieces.filter((piece) => piece.part === "content") : [];
        const left = new Set(content.slice(Math.ceil(content.length / 2)));
        for (const piece of pieces.filter((candidate) => !left.has(candidate))) {
          await exchange.send(halved(piece.bytes, exchange.toolCall.arguments));
        }
        await exchange.end();
      }),
  },
};

/** The piece with whole arguments, as closing events repeat them, cut in half. */
function halved(bytes: string, whole: Record<string, unknown>): string {
  const json = JSON.stringify(JSON.stringify(whole));
  const text = JSON.stringify(whole);
  return bytes.replaceAll(json, JSON.stringify(text.slice(0, Math.ceil(text.length / 2))));
}
