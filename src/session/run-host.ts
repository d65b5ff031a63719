import { isOverThreshold, isRecoverableLength } from "../../machines/run-after.ts";
import type { ReplyFacts, RunInput, RunOutcome } from "../../machines/types.ts";
import { AgentRun, type CallSettings, type QueuedMessage, type RunEnd, type RunPorts, type RunReply } from "../agent/run.ts";
import type { Failure } from "../errors/types.ts";
import type { AssistantMessage, Message, ToolCallBlock } from "../model/types.ts";
import type { QueueName } from "./durable-state.ts";
import { fullResultsOf } from "./full-results.ts";
import { closingDrafts, openCalls } from "./open-calls.ts";
import type { Queues } from "./queues.ts";
import {
  contextTokensWith,
  contextWindowOf,
  limitReached,
  nextQueued,
  portFailure,
  requestRetryOf,
  streamLimitsOf,
  type SessionParts,
} from "./session-parts.ts";

/** Runs the agent loop for the statechart: one at a time, each with its own signal. */
export class RunHost {
  readonly #parts: SessionParts;
  readonly #queues: Queues;
  readonly #keepFullText: ((text: string) => string | undefined) | undefined;
  #current: { token: number; run: AgentRun; controller: AbortController } | undefined;
  /** Messages of the run under way, or of the last one. */
  #messages: Message[] = [];

  constructor(parts: SessionParts, queues: Queues) {
    this.#parts = parts;
    this.#queues = queues;
    this.#keepFullText = fullResultsOf(parts.log);
  }

  get messages(): Message[] {
    return this.#messages;
  }

  /** The last reply of the run under way, or of the last one. */
  get lastReply(): AssistantMessage | undefined {
    return this.#messages.findLast((message) => message.role === "assistant");
  }

  start({ token }: RunInput, finish: (outcome: RunOutcome) => void): () => void {
    const controller = new AbortController();
    this.#messages = [];
    const run = new AgentRun(this.#ports(token, controller.signal, this.#messages));
    this.#current = { token, run, controller };
    void run.run().then((end) => finish(this.#outcome(token, end)));
    return () => controller.abort();
  }

  abort(token: number): void {
    if (this.#current?.token === token) this.#current.controller.abort();
  }

  /** @returns The failure, when the log could not be written. */
  cut(token: number): Failure | undefined {
    return this.#current?.token === token ? this.#current.run.cut() : undefined;
  }

  #ports(token: number, signal: AbortSignal, messages: Message[]): RunPorts {
    const parts = this.#parts;
    return {
      clock: parts.clock,
      random: parts.random,
      signal,
      tools: parts.tools,
      call: () => this.#call(),
      messages: () => parts.log.projection.live,
      needsReply: () => needsReply(parts),
      append: (message) => this.#append(message),
      emit: (event) => {
        if (event.type === "message_end") messages.push(event.message);
        parts.emitter.emit(event);
      },
      hasUnannounced: () => parts.unannounced.length > 0,
      takeUnannounced: () => parts.unannounced.splice(0),
      takeOpenCalls: () => this.#takeOpenCalls(),
      queued: (queue) => this.#deliverable(queue),
      deliver: (queued) => this.#deliver(token, queued),
      mustCompact: (next) => this.#mustCompact(next),
      refuseRequest: () => limitReached(parts),
      takeCutReply: () => {
        const { cutReply } = parts;
        parts.cutReply = undefined;
        return cutReply;
      },
      discardCutReply: () => {
        if (parts.cutReply) parts.emitter.emit({ type: "partial_discarded", message: parts.cutReply });
        parts.cutReply = undefined;
      },
      ready: () => heldBack(parts.gates),
      onRequest: () => {
        parts.cycle.requests++;
      },
      onGoodMessage: () => {
        // Most messages end no streak: sparing the machine the event keeps turns cheap.
        if (parts.actor.getSnapshot().context.attempt > 0) parts.actor.send({ type: "GOOD_MESSAGE", token });
      },
      isRecoverableLength: (reply) => this.#isRecoverableLength(reply),
      toFailure: portFailure,
    };
  }

  #call(): CallSettings {
    const parts = this.#parts;
    const { settings, model } = parts;
    const window = contextWindowOf(parts);
    return {
      model,
      systemPrompt: parts.systemPrompt,
      thinkingLevel: settings.thinkingLevel,
      maxOutputTokens: undefined,
      streamLimits: streamLimitsOf(settings),
      requestRetry: requestRetryOf(settings),
      classify: parts.classify,
      toolTimeoutMs: settings.tools.timeoutMs,
      toolGraceMs: settings.abortGraceMs,
      resultBounds: {
        maxResultTokens: Math.min(settings.tools.maxResultTokens, Math.floor((window ?? Infinity) / 4)),
        ...(this.#keepFullText ? { keepFullText: this.#keepFullText } : {}),
      },
    };
  }

  #append(message: Message): string {
    const { id } = this.#parts.log.append({ type: "message", message });
    this.#parts.retryRecorded = false;
    if (message.role === "assistant") this.#parts.cycle.addReply(message);
    return id;
  }

  /** Calls of the last reply that may be run again; any other without a result gets one. @throws LogError */
  #takeOpenCalls(): ToolCallBlock[] {
    const { log, clock, tools, interruptedCalls } = this.#parts;
    const open = openCalls(log);
    const again = open.filter((call) => interruptedCalls.includes(call) && tools.get(call.name)?.idempotent === true);
    const lost = open.filter((call) => !again.includes(call));
    if (lost.length > 0) log.appendAll(closingDrafts(lost, interruptedCalls, clock.now()));
    return again;
  }

  #deliverable(queue: QueueName): QueuedMessage[] {
    const { actor, queue: contents, settings } = this.#parts;
    const ids = actor.getSnapshot().context[queue];
    const mode = queue === "steering" ? settings.steeringMode : settings.followUpMode;
    return contents.get(mode === "all" ? ids : ids.slice(0, 1));
  }

  #deliver(token: number, queued: QueuedMessage[]): void {
    this.#queues.deliver(
      queued.map(({ id }) => id),
      token,
    );
    this.#parts.retryRecorded = false;
  }

  #mustCompact(next: QueuedMessage[]): boolean {
    const { context } = this.#parts.actor.getSnapshot();
    if (!context.settings.compaction.enabled || context.thresholdMuted) return false;
    return isOverThreshold(contextTokensWith(this.#parts, next), context);
  }

  #isRecoverableLength(reply: RunReply): boolean {
    const { context } = this.#parts.actor.getSnapshot();
    return context.settings.compaction.enabled && isRecoverableLength(replyFacts(reply), context.model);
  }

  #outcome(token: number, end: RunEnd): RunOutcome {
    const { clock, random, actor } = this.#parts;
    const { status, reply, failure } = end;
    const outcome = { token, status, endedAt: clock.now(), reply: reply ? replyFacts(reply) : null, failure: failure ?? null };
    try {
      return { ...outcome, random: random(), contextTokens: contextTokensWith(this.#parts, nextQueued(this.#parts)) };
    } catch (error) {
      // The application's own estimator or source of randomness threw. The run has to have an end all the same.
      const { contextTokens } = actor.getSnapshot().context;
      const broken = { ...outcome, random: 0, contextTokens };
      return status === "aborted" ? broken : { ...broken, status: "failed", failure: portFailure(error) };
    }
  }
}

function heldBack(gates: SessionParts["gates"]): Promise<void> | undefined {
  for (const gate of gates) {
    const wait = gate();
    if (wait) return wait;
  }
  return undefined;
}

function needsReply({ log }: SessionParts): boolean {
  const last = log.projection.items.at(-1);
  if (!last || last.message.role === "assistant") return false;
  // The summary of another branch asks for nothing: it is there for the message that comes next.
  return log.entry(last.entryId)?.type !== "branch_summary";
}

function replyFacts({ message, entryIds, maxOutputTokens }: RunReply): ReplyFacts {
  const { usage } = message;
  return {
    entryIds,
    stopReason: message.stopReason,
    model: modelKey(message),
    inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
    outputTokens: usage.output,
    maxOutputTokens: maxOutputTokens ?? null,
  };
}

function modelKey({ provider, model }: AssistantMessage): string {
  return `${provider}/${model}`;
}
