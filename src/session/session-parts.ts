import type { ActorRefFrom } from "xstate";
import type { SessionMachine } from "../../machines/session.ts";
import type { ToolSet } from "../agent/tool-set.ts";
import { logFailure, type ContextMeter, type FileTools } from "../compaction/index.ts";
import type { SummarizeInput } from "../compaction/types.ts";
import type { Classification, FailureFacts } from "../errors/types.ts";
import { LogError, type SessionLog } from "../log/index.ts";
import { makeFailure, toFailure } from "../errors/index.ts";
import type { Failure } from "../errors/types.ts";
import type { StreamLimits } from "../model/read-reply.ts";
import type { AssistantMessage, Model, RequestRetrySettings, ToolCallBlock, UserMessage } from "../model/types.ts";
import type { Clock } from "../retry/clock.ts";
import type { Emitter } from "./emitter.ts";
import type { SessionEvent } from "./events.ts";
import type { MessageQueue, WaitingMessage } from "./message-queue.ts";
import type { OpenPrompts } from "./open-prompts.ts";
import type { PromptCycle } from "./prompt-cycle.ts";
import type { Settings } from "./settings.ts";

export type SessionActor = ActorRefFrom<SessionMachine>;

/** How compactions are made; each part replaces a default. */
export interface CompactionOptions {
  /** Writes the summaries; default the session's model. */
  model?: Model;
  /** Writes a summary in the model's place; undefined leaves it to the model. */
  summarize?: (input: SummarizeInput) => Promise<string | undefined>;
  /** Which tools read and write files, so that summaries can carry the list on; default the usual names. */
  fileTools?: FileTools;
}

/** Asked before each request of a run: a promise holds it back until it resolves, undefined lets it go. */
export type RequestGate = () => Promise<void> | undefined;

/** What the pieces of one session share. */
export interface SessionParts {
  readonly id: string;
  readonly log: SessionLog;
  readonly clock: Clock;
  readonly random: () => number;
  readonly emitter: Emitter<SessionEvent>;
  readonly meter: ContextMeter;
  readonly tools: ToolSet;
  readonly queue: MessageQueue;
  readonly prompts: OpenPrompts;
  readonly compaction: CompactionOptions;
  readonly systemPrompt: string | undefined;
  readonly classify: ((facts: FailureFacts) => Classification | undefined) | undefined;
  /** User messages in the log that no event has announced yet. */
  unannounced: UserMessage[];
  /** What each request waits for, if it says so. */
  gates: readonly RequestGate[];
  /** Calls a process left without a result. `continue()` runs those of idempotent tools again; the others get a truthful one. */
  readonly interruptedCalls: readonly ToolCallBlock[];
  /** A reply that was cut in mid-text, which the next request goes on with (`stream.onInterrupted: "continue"`). */
  cutReply: AssistantMessage | undefined;
  actor: SessionActor;
  model: Model;
  settings: Settings;
  cycle: PromptCycle;
  /** The wait under way is in the log as pending. */
  retryRecorded: boolean;
}

/** Window of the selected model, in tokens: as it states it, or as an overflow taught it. */
export function contextWindowOf({ actor, model }: SessionParts): number | undefined {
  return actor.getSnapshot().context.model.contextWindow ?? model.contextWindow;
}

/** Estimated tokens of the context, to be shown. An estimator of the application's that throws must not spoil that. */
export function contextTokensNow({ meter, actor }: SessionParts): number {
  try {
    return meter.tokens();
  } catch {
    return actor.getSnapshot().context.contextTokens;
  }
}

/** Estimated tokens of the next request, with the messages that are delivered before it. */
export function contextTokensWith(parts: SessionParts, next: readonly { message: UserMessage }[]): number {
  return next.reduce((sum, { message }) => sum + parts.meter.estimate(message), parts.meter.tokens());
}

/** The time limits of a stream, without those that are not set. */
export function streamLimitsOf({ stream }: Settings): StreamLimits {
  const { firstEventMs, idleMs, totalMs } = stream;
  return {
    ...(firstEventMs === undefined ? {} : { firstEventMs }),
    ...(idleMs === undefined ? {} : { idleMs }),
    ...(totalMs === undefined ? {} : { totalMs }),
  };
}

/** Request-level retry, without a time limit that is not set. */
export function requestRetryOf({ retry }: Settings): RequestRetrySettings {
  const { timeoutMs, ...rest } = retry.provider;
  return { ...rest, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

/** The message that would be delivered next, if any. */
export function nextQueued({ actor, queue }: SessionParts): WaitingMessage[] {
  const { steering, followUp } = actor.getSnapshot().context;
  return queue.get([...steering, ...followUp].slice(0, 1));
}

/** A limit of the settings that forbids a further request. */
export function limitReached({ settings, cycle }: SessionParts): Failure | undefined {
  const { maxTurns, maxRequests } = settings.limits;
  if (maxTurns !== undefined && cycle.turns >= maxTurns) return limitFailure("limits.maxTurns", maxTurns, "turns");
  if (maxRequests !== undefined && cycle.requests >= maxRequests)
    return limitFailure("limits.maxRequests", maxRequests, "model requests");
  return undefined;
}

function limitFailure(setting: string, limit: number, unit: string): Failure {
  return makeFailure({
    action: "stop",
    kind: "limit",
    rule: setting,
    message: `The prompt reached its limit of ${limit} ${unit} (${setting}).`,
    hint: `Continue the session to go on with a new budget, or raise ${setting}.`,
    why: "a limit of the settings was reached",
  });
}

/** Describes an exception of the session's own ports. */
export function portFailure(error: unknown): Failure {
  if (error instanceof LogError) return logFailure(error);
  const described = toFailure(error);
  return makeFailure({
    action: "stop",
    kind: "internal",
    rule: "internal.run",
    message: described.message,
    hint: "This is a fault in the program, not in the model's answer. The session can go on with the next prompt.",
    why: "code of the session threw",
  });
}

/** Writes outside a run; a log that cannot be written settles the session as failed. */
export function recordOrFail({ actor }: SessionParts, write: () => void): void {
  try {
    write();
  } catch (error) {
    actor.send({ type: "LOG_FAILED", failure: portFailure(error) });
  }
}

/** Brings the log to the disk, as far as its `durability` asks for it. @returns The failure, when that failed. */
export function flush({ log }: SessionParts): Promise<Failure | undefined> {
  return log.flush().then(() => undefined, portFailure);
}
