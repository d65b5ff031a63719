import type { Classification, Failure, FailureFacts } from "../errors/types.ts";

/** A piece of text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** Reasoning the model showed. `signature` is kept byte for byte: providers verify it when it is sent back. */
export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  signature?: string;
  /** True when the provider sent only encrypted reasoning, which then is in `signature`. */
  redacted?: boolean;
}

/** An image, base64 encoded without a `data:` prefix. */
export interface ImageBlock {
  type: "image";
  data: string;
  mimeType: string;
}

/** A request of the model to run a tool. `arguments` is the parsed JSON object. */
export interface ToolCallBlock {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** Opaque provider data that has to travel back with the call (Google thought signatures, Responses item ids). */
  signature?: string;
  /** Set when the arguments were no JSON object: why, and the raw text. `arguments` is `{}` then, and the tool is not run. */
  argumentsError?: string;
}

export type UserContent = TextBlock | ImageBlock;
export type AssistantContent = TextBlock | ThinkingBlock | ToolCallBlock;

/** What a call cost, in US dollars. */
export interface Cost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
}

/** Tokens of one model call. `input` counts what was neither read from nor written to a cache. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** input + output + cacheRead + cacheWrite. */
  totalTokens: number;
  cost?: Cost;
}

export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export interface UserMessage {
  role: "user";
  content: string | UserContent[];
  /** Milliseconds since the epoch. */
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: AssistantContent[];
  api: string;
  provider: string;
  /** The model that was asked. */
  model: string;
  /** The model that answered, where the provider says so and it differs. */
  responseModel?: string;
  responseId?: string;
  usage: Usage;
  stopReason: StopReason;
  /** The provider's own word for why it stopped. */
  rawStopReason?: string;
  /** `failure.message`; set when `stopReason` is `error` or `aborted`. */
  errorMessage?: string;
  /** Set when `stopReason` is `error`. */
  failure?: Failure;
  timestamp: number;
}

export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: UserContent[];
  /** For displays; never sent to the model. */
  details?: unknown;
  isError: boolean;
  timestamp: number;
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage;

export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** A tool as the model is told of it. */
export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema of the arguments; its top level is an object. */
  parameters: Record<string, unknown>;
}

/** One call of a model: what it is shown. Adapters build the wire request from it on a copy and change nothing in it. */
export interface ModelRequest {
  systemPrompt?: string;
  /** Stays as it is until the reply has ended. Copy it to keep it longer: a long session is not copied for each request. */
  messages: readonly Message[];
  tools?: readonly ToolDeclaration[];
  /** Upper bound of output tokens; default the model's `maxOutputTokens`. */
  maxOutputTokens?: number;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
}

export interface RequestRetrySettings {
  /** Retries of one HTTP request before its stream has begun; default 0. */
  maxRetries: number;
  /** A demanded wait above this fails at once; milliseconds, default 60000, 0 for no limit. */
  maxRetryDelayMs: number;
  /** Time limit of one HTTP request up to its headers, in milliseconds; default none. */
  timeoutMs?: number;
}

/** Sent for each wait of a request-level retry. */
export interface ProviderRetryEvent {
  type: "provider_retry";
  /** The retry that follows the wait, from 1. */
  attempt: number;
  /** Retries allowed. */
  maxAttempts: number;
  delayMs: number;
  errorMessage: string;
}

export interface ModelCallOptions {
  /** Ends the call. The stream then finishes with an `error` event whose message has `stopReason: "aborted"`. */
  signal: AbortSignal;
  /** Request-level retry; default none. */
  requestRetry?: RequestRetrySettings;
  /** Milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
  /** Waits between request-level retries; default real timers. Rejects when the signal aborts. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** 0 <= n < 1; default `Math.random`. */
  random?: () => number;
  /** Judges a failure before our rules do; undefined leaves it to them. Models hand it to `toFailure`. */
  classify?: (facts: FailureFacts) => Classification | undefined;
}

/**
 * What a model streams. `index` is the block's place in `message.content`.
 * `message` is one live object that grows with each event: read it, never keep or change it before `done` or `error`.
 * Exactly one `done` or `error` comes, last, and carries the final message.
 */
export type ModelEvent =
  | { type: "start"; message: AssistantMessage }
  | { type: "text_start"; index: number }
  | { type: "text_delta"; index: number; delta: string }
  | { type: "text_end"; index: number }
  | { type: "thinking_start"; index: number }
  | { type: "thinking_delta"; index: number; delta: string }
  | { type: "thinking_end"; index: number }
  | { type: "toolcall_start"; index: number; id: string; name: string }
  | { type: "toolcall_delta"; index: number; delta: string }
  | { type: "toolcall_end"; index: number; toolCall: ToolCallBlock }
  | ProviderRetryEvent
  | { type: "done"; message: AssistantMessage }
  | { type: "error"; message: AssistantMessage };

/** US dollars per million tokens. */
export interface Prices {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/**
 * A model one can call. `stream` never throws and its iterator never rejects: every failure, an abort included, is a final
 * `error` event whose message has `stopReason` `error` (with a `failure`) or `aborted`, and whatever content had arrived.
 */
export interface Model {
  /** The wire format, such as `anthropic-messages`, `openai-completions`, `openai-responses`, `ai-sdk`, `scripted`. */
  readonly api: string;
  readonly provider: string;
  readonly id: string;
  /** Tokens; absent when unknown: no threshold then, and an overflow error teaches it. */
  readonly contextWindow?: number;
  /** Tokens of output the model can give at most; absent when unknown. */
  readonly maxOutputTokens?: number;
  readonly prices?: Prices;
  /** What it takes as input; default text and images. */
  readonly input?: readonly ("text" | "image")[];
  /** True when it goes on from a last message that is its own (prefill); default false: it has to be asked to go on. */
  readonly prefill?: boolean;
  stream(request: ModelRequest, options: ModelCallOptions): AsyncIterable<ModelEvent>;
}
