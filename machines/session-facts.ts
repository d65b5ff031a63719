/** What the guards and actions of the session's statechart read out of context and event. Pure functions. */
import type { Failure } from "../src/errors/types.ts";
import { isOverThreshold, type RunAfterFacts } from "./run-after.ts";
import type {
  CompactionOutcome,
  RunAfterDecision,
  RunOutcome,
  SessionContext,
  SessionInput,
  SessionMachineAnswer,
  SessionMachineEvent,
  SettledOutcome,
} from "./types.ts";

export interface Facts {
  context: SessionContext;
  event: SessionMachineEvent | SessionMachineAnswer;
}

export const RUN_DONE = "xstate.done.actor.agentRun";
export const COMPACTION_DONE = "xstate.done.actor.compaction";

export function initialContext({ input }: { input: SessionInput }): SessionContext {
  const { restored } = input;
  return {
    sessionId: input.sessionId,
    settings: input.settings,
    model: input.model,
    token: 0,
    attempt: 0,
    retryAt: null,
    overflowRecoveryUsed: restored?.overflowRecoveryUsed ?? false,
    thresholdMuted: false,
    contextTokens: 0,
    steering: restored?.steering ?? [],
    followUp: restored?.followUp ?? [],
    run: null,
    decision: null,
    compaction: null,
    abortDeadline: null,
    pending: restored?.pending ?? null,
    outcome: restored?.outcome ?? null,
  };
}

export function decisionOf({ decision }: SessionContext): RunAfterDecision {
  if (!decision) throw new Error("A decision is used before the run-after check was made.");
  return decision;
}

export function afterRun(context: SessionContext): RunAfterFacts {
  const { run } = context;
  if (!run) throw new Error("The run-after check needs a run that has ended.");
  return { ...context, run };
}

export function queued(context: SessionContext): number {
  return context.steering.length + context.followUp.length;
}

export function overThreshold({ context, event }: Facts): boolean {
  return context.settings.compaction.enabled && "contextTokens" in event && isOverThreshold(event.contextTokens, context);
}

export function compactionOutcome(event: Facts["event"]): CompactionOutcome | null {
  return event.type === COMPACTION_DONE ? event.output : null;
}

export function repeatsWhenDone(purpose: string): boolean {
  return purpose === "overflow" || purpose === "length";
}

export function repeatsTheRequest({ context, event }: Facts): boolean {
  return compactionOutcome(event)?.status === "done" && repeatsWhenDone(context.compaction?.purpose ?? "");
}

export function unreportedRun(context: SessionContext, status: "aborted" | "failed", failure: Failure | null): RunOutcome {
  const { token, contextTokens } = context;
  return { token, status, endedAt: context.abortDeadline ?? 0, random: 0, contextTokens, reply: null, failure };
}

export function completed(cut: boolean): SettledOutcome {
  return { status: "completed", cut, failure: null };
}

export function failed(failure: Failure | null): SettledOutcome {
  return { status: "failed", cut: false, failure };
}

export function overflowNotRecovered(context: SessionContext, event: Facts["event"]): Failure | null {
  const failure = context.run?.failure ?? null;
  const reason = compactionOutcome(event)?.errorMessage ?? "compaction did not help";
  return (
    failure && {
      ...failure,
      message: `Context overflow recovery failed: ${reason}. The request was refused with: ${failure.message}`,
      hint: "Shorten the input, clear large tool results, or switch to a model with a larger window; then continue.",
    }
  );
}

/** An actor given from outside threw, against its contract. */
export function brokenActor(error: unknown): Failure {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    action: "stop",
    kind: "internal",
    message,
    hint: "This is a fault in the program, not in the model's answer. The session can go on with the next prompt.",
    why: "an actor of the session threw instead of answering",
    rule: "internal.actor",
    causes: [],
  };
}
