import { toFailure } from "../errors/index.ts";
import type { Failure, FailureContext } from "../errors/types.ts";
import { emptyReply, failedReply } from "../model/reply.ts";
import type {
  AssistantMessage,
  Model,
  ModelCallOptions,
  ModelEvent,
  ModelRequest,
  Prices,
  ToolCallBlock,
  Usage,
} from "../model/types.ts";
import { systemClock, type Clock } from "../retry/clock.ts";
import { estimatedUsage } from "./estimated-usage.ts";

/** A tool call of a scripted reply. */
export interface ScriptedToolCall {
  /** Default `call_1`, `call_2`, … over the life of the model. */
  id?: string;
  name: string;
  /** Default `{}`. */
  arguments?: Record<string, unknown>;
}

/** What a scripted model answers to one request. Order on the wire: `delayMs`, thinking, text, tool calls, end. */
export interface ScriptedReply {
  text?: string;
  thinking?: string;
  toolCalls?: readonly ScriptedToolCall[];
  /** Default `toolUse` with tool calls, else `stop`. */
  stopReason?: "stop" | "length" | "toolUse";
  /** Default estimated: a token is four characters of what was asked and of what is answered. */
  usage?: Partial<Usage>;
  /** Into how many deltas the text is cut (default 1), or the deltas themselves, which then are the text. */
  deltas?: number | readonly string[];
  /** Wait before the first event, in milliseconds on the model's clock; default 0. An abort ends it. */
  delayMs?: number;
  /** After its content the reply neither ends nor goes on, until it is aborted; `"ignore-signal"`: not even then. */
  hang?: true | "ignore-signal";
  /** After its content the reply fails: with a `Failure` as it is, or with anything a client could throw, described as such. */
  failure?: unknown;
  /** After this many deltas the stream ends without a terminal event. */
  cut?: number;
}

export interface ScriptedModelOptions {
  /** Default `scripted`. */
  id?: string;
  /** Default `scripted`. */
  provider?: string;
  contextWindow?: number;
  maxOutputTokens?: number;
  prices?: Prices;
  input?: readonly ("text" | "image")[];
  /** For `delayMs`; default real timers. */
  clock?: Clock;
  /** False keeps `requests` empty, for runs of many thousand requests; default true. */
  record?: boolean;
}

export interface ScriptedModel extends Model {
  /** Every request made so far, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Requests made so far, also those not recorded. */
  readonly requestCount: number;
}

/**
 * A model that answers from a script: a test double for whatever calls models.
 *
 * @param replies The answers in order; a string is a reply with that text. Or a function that answers each request, given
 *   its number from 0. A request after the last reply fails with an error that says so.
 */
export function scriptedModel(
  replies: readonly (ScriptedReply | string)[] | ((request: ModelRequest, index: number) => ScriptedReply | string),
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const answer =
    typeof replies === "function" ? replies : (_: ModelRequest, index: number) => replies[index] ?? exhausted(replies.length);
  const { clock = systemClock, record = true, id = "scripted", provider = "scripted", ...facts } = options;
  const requests: ModelRequest[] = [];
  const usage = estimatedUsage();
  let requestCount = 0;
  let callCount = 0;
  const model: ScriptedModel = {
    ...facts,
    api: "scripted",
    id,
    provider,
    requests,
    get requestCount() {
      return requestCount;
    },
    stream(request, callOptions) {
      const index = requestCount++;
      if (record) requests.push({ ...request, messages: request.messages.slice() });
      const given = answer(request, index);
      const reply = typeof given === "string" ? { text: given } : given;
      const message = emptyReply(model, callOptions.now?.() ?? clock.now());
      const calls = (reply.toolCalls ?? []).map((call): ToolCallBlock => {
        callCount++;
        return { type: "toolCall", id: call.id ?? `call_${callCount}`, name: call.name, arguments: call.arguments ?? {} };
      });
      const finish = (): void => {
        message.usage = usage(request, message, reply.usage, model.prices);
      };
      return new Playback(
        play(reply, calls, message, finish, { provider, ...(callOptions.classify ? { classify: callOptions.classify } : {}) }),
        message,
        callOptions,
        clock,
        reply.hang === "ignore-signal",
      );
    },
  };
  return model;
}

function exhausted(length: number): ScriptedReply {
  return {
    failure: {
      status: 400,
      message: `The scripted model has no reply left: its script has ${length}, and this is request ${length + 1}. Add a reply, or find out who asks once more.`,
    },
  };
}

interface Pause {
  type: "pause";
  /** Infinity: for ever. */
  milliseconds: number;
}

function* play(
  reply: ScriptedReply,
  calls: readonly ToolCallBlock[],
  message: AssistantMessage,
  finish: () => void,
  context: FailureContext,
): Generator<ModelEvent | Pause, undefined> {
  if (reply.delayMs !== undefined) yield { type: "pause", milliseconds: reply.delayMs };
  const pieces = textPieces(reply);
  // A failure without content is a refused request: its stream never starts.
  const silent = pieces.length === 0 && calls.length === 0 && reply.thinking === undefined;
  if (!(silent && reply.failure !== undefined)) {
    yield { type: "start", message };
    yield* content(reply, pieces, calls, message);
    if (reply.cut !== undefined) return undefined;
  }
  if (reply.hang !== undefined) yield { type: "pause", milliseconds: Infinity };
  finish();
  if (reply.failure !== undefined) {
    const failure = isFailure(reply.failure) ? reply.failure : toFailure(reply.failure, { ...context, partial: !silent });
    yield { type: "error", message: failedReply(message, "error", failure, new Set(message.content.keys())) };
    return undefined;
  }
  message.stopReason = reply.stopReason ?? (calls.length > 0 ? "toolUse" : "stop");
  yield { type: "done", message };
  return undefined;
}

/** The events of the content, up to the delta at which it is cut. */
function* content(
  reply: ScriptedReply,
  pieces: readonly string[],
  calls: readonly ToolCallBlock[],
  message: AssistantMessage,
): Generator<ModelEvent, undefined> {
  const blocks = message.content;
  let left = reply.cut ?? Infinity;
  if (reply.thinking !== undefined) {
    const index = blocks.length;
    const block = { type: "thinking" as const, thinking: "" };
    blocks.push(block);
    yield { type: "thinking_start", index };
    if (left-- <= 0) return undefined;
    block.thinking = reply.thinking;
    yield { type: "thinking_delta", index, delta: reply.thinking };
    yield { type: "thinking_end", index };
  }
  if (pieces.length > 0) {
    const index = blocks.length;
    const block = { type: "text" as const, text: "" };
    blocks.push(block);
    yield { type: "text_start", index };
    for (const delta of pieces) {
      if (left-- <= 0) return undefined;
      block.text += delta;
      yield { type: "text_delta", index, delta };
    }
    yield { type: "text_end", index };
  }
  for (const call of calls) {
    const index = blocks.length;
    const block: ToolCallBlock = { ...call, arguments: {} };
    blocks.push(block);
    yield { type: "toolcall_start", index, id: call.id, name: call.name };
    if (left-- <= 0) return undefined;
    yield { type: "toolcall_delta", index, delta: JSON.stringify(call.arguments) };
    block.arguments = call.arguments;
    yield { type: "toolcall_end", index, toolCall: block };
  }
  return undefined;
}

function textPieces({ text, deltas = 1 }: ScriptedReply): readonly string[] {
  if (typeof deltas !== "number") return deltas;
  if (text === undefined || text === "") return [];
  const size = Math.ceil(text.length / Math.max(1, deltas));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}

function isFailure(value: unknown): value is Failure {
  return typeof value === "object" && value !== null && "action" in value && "kind" in value && "rule" in value;
}

const END: IteratorResult<ModelEvent> = { done: true, value: undefined };

/** Hand-written, for an async generator costs three turns of the microtask queue per event, and this one. */
class Playback implements AsyncIterable<ModelEvent>, AsyncIterator<ModelEvent> {
  readonly #events: Iterator<ModelEvent | Pause, undefined>;
  readonly #message: AssistantMessage;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  readonly #deaf: boolean;
  #ended = false;

  constructor(
    events: Iterator<ModelEvent | Pause, undefined>,
    message: AssistantMessage,
    options: ModelCallOptions,
    clock: Clock,
    deaf: boolean,
  ) {
    this.#events = events;
    this.#message = message;
    this.#signal = options.signal;
    this.#clock = clock;
    this.#deaf = deaf;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    if (this.#ended) return Promise.resolve(END);
    if (this.#signal.aborted && !this.#deaf) return Promise.resolve(this.#aborted());
    const step = this.#events.next();
    if (step.done === true) {
      this.#ended = true;
      return Promise.resolve(END);
    }
    return step.value.type === "pause"
      ? this.#pause(step.value.milliseconds)
      : Promise.resolve({ done: false, value: step.value });
  }

  return(): Promise<IteratorResult<ModelEvent>> {
    this.#ended = true;
    return Promise.resolve(END);
  }

  #aborted(): IteratorResult<ModelEvent> {
    this.#ended = true;
    return { done: false, value: { type: "error", message: failedReply(this.#message, "aborted", undefined, new Set()) } };
  }

  #pause(milliseconds: number): Promise<IteratorResult<ModelEvent>> {
    return new Promise((resolve) => {
      const onAbort = (): void => {
        cancel?.();
        resolve(this.#aborted());
      };
      const cancel =
        milliseconds === Infinity
          ? undefined
          : this.#clock.after(milliseconds, () => {
              this.#signal.removeEventListener("abort", onAbort);
              resolve(this.next());
            });
      if (!this.#deaf) this.#signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
