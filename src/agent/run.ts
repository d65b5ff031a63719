import type { Classification, Failure, FailureFacts } from "../errors/types.ts";
import { readReply, type StreamLimits } from "../model/read-reply.ts";
import type {
  AssistantMessage,
  Message,
  Model,
  ModelEvent,
  ModelRequest,
  RequestRetrySettings,
  ThinkingLevel,
  ToolCallBlock,
  UserMessage,
} from "../model/types.ts";
import type { Clock } from "../retry/clock.ts";
import { runToolBatch } from "./tool-batch.ts";
import { failed, type ResultBounds } from "./tool-result.ts";
import type { ToolSet } from "./tool-set.ts";
import { OpenTurn } from "./open-turn.ts";
import type { AgentEvent } from "./types.ts";

/** What one request is made with; read anew before each, so that a changed model or setting counts from the next request on. */
export interface CallSettings {
  model: Model;
  systemPrompt: string | undefined;
  thinkingLevel: ThinkingLevel;
  maxOutputTokens: number | undefined;
  streamLimits: StreamLimits;
  requestRetry: RequestRetrySettings;
  /** Judges a failure before our rules do. */
  classify: ((facts: FailureFacts) => Classification | undefined) | undefined;
  toolTimeoutMs: number;
  toolGraceMs: number;
  resultBounds: ResultBounds;
}

export interface QueuedMessage {
  id: string;
  message: UserMessage;
}

/** What a run needs of the session around it. Whatever writes the log throws when it cannot be written. */
export interface RunPorts {
  clock: Clock;
  random: () => number;
  /** The user's abort. */
  signal: AbortSignal;
  tools: ToolSet;
  call(): CallSettings;
  /** What the model is shown. */
  messages(): readonly Message[];
  /** The messages end with something that no reply follows. */
  needsReply(): boolean;
  /** Writes a message to the log; gives its entry's id. */
  append(message: Message): string;
  emit(event: AgentEvent): void;
  /** User messages are in the log that no turn has announced yet. */
  hasUnannounced(): boolean;
  /** Takes them, to announce them. */
  takeUnannounced(): UserMessage[];
  /** Takes the calls of the last reply that a process left without a result, and that may be run again. */
  takeOpenCalls(): ToolCallBlock[];
  /** Queued messages that may be delivered now, by the queue's mode. They stay queued until `deliver`. */
  queued(queue: "steering" | "followUp"): QueuedMessage[];
  /** Writes queued messages to the log and takes them out of their queue. */
  deliver(messages: QueuedMessage[]): void;
  /** The context is over the threshold, counting what is delivered next. */
  mustCompact(next: QueuedMessage[]): boolean;
  /** A limit forbids a further request. */
  refuseRequest(): Failure | undefined;
  /** Takes the reply that was cut before, if the next request is to go on with it instead of starting it again. */
  takeCutReply(): AssistantMessage | undefined;
  /** A reply that was cut is not gone on with after all: new messages came in between. */
  discardCutReply(): void;
  /** What the next request has to wait for, if anything; an abort ends the wait. */
  ready(): Promise<void> | undefined;
  /** A request goes out. */
  onRequest(): void;
  /** A message that ended in `stop`, `length` or `toolUse` is in the log. */
  onGoodMessage(): void;
  /** The window cut this reply, so that the run has to end for a compaction. */
  isRecoverableLength(reply: RunReply): boolean;
  /** Describes an exception of these ports. */
  toFailure(error: unknown): Failure;
}

/** The last assistant message of a run. */
export interface RunReply {
  message: AssistantMessage;
  /** Its entry and those of its tool results. */
  entryIds: string[];
  /** Output tokens the request allowed; undefined when it named no limit. */
  maxOutputTokens: number | undefined;
}

export interface RunEnd {
  status: "completed" | "failed" | "paused" | "aborted";
  reply?: RunReply;
  failure?: Failure;
}

const NOT_RUN_LENGTH =
  "The reply was cut at its output limit, so the arguments of this call may be incomplete: the tool was not run. Call it again with shorter arguments, or in several calls.";

/**
 * One pass of the agent loop: turns until the model stops, fails, is paused or aborted. It decides nothing about failures: it
 * stops, and says how it ended.
 */
export class AgentRun {
  readonly #ports: RunPorts;
  readonly #turn: OpenTurn;
  #reply: RunReply | undefined;

  constructor(ports: RunPorts) {
    this.#turn = new OpenTurn(ports);
    this.#ports = ports;
  }

  /** Runs to the end. It never rejects. */
  async run(): Promise<RunEnd> {
    // An abort in the same tick as the start must find that no request was made.
    await Promise.resolve();
    try {
      return this.#withReply(await this.#turns());
    } catch (error) {
      const failure = this.#ports.toFailure(error);
      this.#turn.breakOff(failure);
      return this.#withReply({ status: this.#ports.signal.aborted ? "aborted" : "failed", failure });
    }
  }

  /**
   * The grace time of an abort is over: the open turn is closed truthfully, and nothing the run still does reaches log, queues or
   * subscribers.
   *
   * @returns The failure, when the log could not be written.
   */
  cut(): Failure | undefined {
    try {
      this.#turn.close();
      return undefined;
    } catch (error) {
      const failure = this.#ports.toFailure(error);
      this.#turn.breakOff(failure);
      return failure;
    } finally {
      this.#turn.cut();
    }
  }

  #withReply(end: RunEnd): RunEnd {
    return this.#reply ? { ...end, reply: this.#reply } : end;
  }

  async #turns(): Promise<RunEnd> {
    const { signal } = this.#ports;
    await this.#finishOpenCalls();
    let replyWanted = this.#ports.needsReply();
    let lengthStops = 0;
    for (;;) {
      if (signal.aborted) return { status: "aborted" };
      // A prompt goes to the model alone; what was queued before it follows after its first reply.
      const next = this.#ports.hasUnannounced() ? [] : this.#nextQueued(replyWanted);
      if (!replyWanted && next.length === 0) return { status: "completed" };
      const refusal = this.#ports.refuseRequest();
      if (refusal) return { status: "failed", failure: refusal };
      const ready = this.#ports.ready();
      if (ready) {
        await Promise.race([ready, aborted(signal)]);
        continue;
      }
      if (this.#ports.mustCompact(next)) return { status: "paused" };

      // Not before: a run that pauses or is refused here leaves them to the next.
      this.#turn.begin(this.#ports.takeUnannounced());
      if (next.length > 0) {
        this.#ports.discardCutReply();
        this.#turn.deliver(next);
      }
      const message = await this.#readReply();
      const calls = message.content.filter((block) => block.type === "toolCall");
      if (message.stopReason === "error" || message.stopReason === "aborted") {
        this.#turn.end();
        return ended(message);
      }
      this.#ports.onGoodMessage();

      replyWanted = calls.length > 0;
      if (message.stopReason === "length") {
        for (const call of calls) this.#turn.refuse(call, failed(NOT_RUN_LENGTH));
        lengthStops++;
        const ends = lengthStops > 1 || (this.#reply !== undefined && this.#ports.isRecoverableLength(this.#reply));
        this.#turn.end();
        if (ends) return { status: "completed" };
      } else {
        lengthStops = 0;
        if (await this.#runTools(calls)) replyWanted = false;
        this.#turn.end();
      }
    }
  }

  async #finishOpenCalls(): Promise<void> {
    const calls = this.#ports.signal.aborted ? [] : this.#ports.takeOpenCalls();
    if (calls.length === 0) return;
    this.#turn.begin([]);
    await this.#runTools(calls);
    this.#turn.end();
  }

  /** Steering first; follow-ups only when nothing else asks for a reply. */
  #nextQueued(replyWanted: boolean): QueuedMessage[] {
    const steering = this.#ports.queued("steering");
    return steering.length > 0 || replyWanted ? steering : this.#ports.queued("followUp");
  }

  async #readReply(): Promise<AssistantMessage> {
    const { clock, random, signal, tools } = this.#ports;
    const call = this.#ports.call();
    const request: ModelRequest = {
      messages: this.#ports.messages(),
      thinkingLevel: call.thinkingLevel,
      ...(call.systemPrompt === undefined ? {} : { systemPrompt: call.systemPrompt }),
      ...(tools.declarations.length === 0 ? {} : { tools: tools.declarations }),
      ...(call.maxOutputTokens === undefined ? {} : { maxOutputTokens: call.maxOutputTokens }),
    };
    const continues = this.#ports.takeCutReply();
    this.#ports.onRequest();
    const message = await readReply(call.model, request, {
      signal,
      clock,
      random,
      limits: call.streamLimits,
      requestRetry: call.requestRetry,
      ...(call.classify ? { classify: call.classify } : {}),
      ...(continues ? { continues } : {}),
      onEvent: (event, live) => this.#onModelEvent(event, live),
    });
    const entryIds = this.#turn.recordReply(message);
    this.#reply = { message, entryIds, maxOutputTokens: call.maxOutputTokens ?? call.model.maxOutputTokens };
    return message;
  }

  #onModelEvent(event: ModelEvent, message: AssistantMessage): void {
    if (event.type === "provider_retry") this.#turn.emit(event);
    else if (event.type !== "done" && event.type !== "error") this.#turn.update(event, message);
  }

  async #runTools(calls: readonly ToolCallBlock[]): Promise<boolean> {
    if (calls.length === 0) return false;
    const { clock, signal, tools } = this.#ports;
    const { toolTimeoutMs, toolGraceMs, resultBounds } = this.#ports.call();
    this.#turn.openCalls(calls);
    return runToolBatch(calls, tools, {
      clock,
      signal,
      timeoutMs: toolTimeoutMs,
      graceMs: toolGraceMs,
      bounds: resultBounds,
      emit: (event) => this.#turn.emit(event),
      record: (result) => this.#turn.recordResult(result),
      onProgress: (toolCall, progress) => this.#turn.setProgress(toolCall, progress),
      onOutcome: (toolCall, outcome) => this.#turn.setOutcome(toolCall, outcome),
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function ended(message: AssistantMessage): RunEnd {
  if (message.stopReason === "aborted") return { status: "aborted" };
  return message.failure ? { status: "failed", failure: message.failure } : { status: "failed" };
}
