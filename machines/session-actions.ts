/** What the actions of the session's statechart do: assign to its context, and say what happens. */
import { assertEvent } from "xstate";
import { decideAfterRun } from "./run-after.ts";
import {
  afterRun,
  brokenActor,
  COMPACTION_DONE,
  compactionOutcome,
  completed,
  decisionOf,
  failed,
  overflowNotRecovered,
  queued,
  repeatsTheRequest,
  repeatsWhenDone,
  RUN_DONE,
  type Facts,
  unreportedRun,
} from "./session-facts.ts";
import { guarded } from "./session-guards.ts";
import type { RunOutcome, SessionContext, SettledOutcome } from "./types.ts";

export const RETRY_CANCELLED = "Retry cancelled";

const { assign, emit, enqueueActions } = guarded;

export const sessionSetup = guarded.extend({
  actions: {
    nextToken: assign({ token: ({ context }) => context.token + 1 }),

    // A prompt, and the queues.
    /** A user message came at rest: what belonged to the one before is over. */
    beginPrompt: assign({ attempt: 0, overflowRecoveryUsed: false, thresholdMuted: false, pending: null }),
    /** What was to be gone on with gives way to a new message. */
    dropPending: assign({ pending: null }),
    /** What was pending belongs to the branch that was left; the mark is the new one's. */
    enterBranch: assign(({ event }) => {
      assertEvent(event, "MOVED");
      return { pending: null, thresholdMuted: false, overflowRecoveryUsed: event.overflowRecoveryUsed };
    }),
    queueSteering: assign(({ context, event }) => {
      assertEvent(event, "STEER");
      return { steering: [...context.steering, event.id] };
    }),
    queueFollowUp: assign(({ context, event }) => {
      assertEvent(event, "FOLLOW_UP");
      return { followUp: [...context.followUp, event.id] };
    }),
    unqueue: assign(({ context, event }) => {
      assertEvent(event, ["UNQUEUE", "DELIVERED"]);
      const stays = (id: string): boolean => !event.ids.includes(id);
      return { steering: context.steering.filter(stays), followUp: context.followUp.filter(stays) };
    }),
    userMessageAppended: assign({ overflowRecoveryUsed: false, thresholdMuted: false }),
    setModel: assign(({ event }) => {
      assertEvent(event, "SET_MODEL");
      return { model: event.model };
    }),
    setSettings: assign(({ event }) => {
      assertEvent(event, "SET_SETTINGS");
      return { settings: event.settings };
    }),

    // A run.
    beginRun: assign({ run: null, decision: null, retryAt: null, pending: null, abortDeadline: null }),
    announceRun: emit(({ context }) => ({ type: "agent_start", token: context.token })),
    setAbortDeadline: assign(({ context, event }) => {
      assertEvent(event, ["ABORT", "DISPOSE"]);
      return { abortDeadline: event.at + context.settings.abortGraceMs };
    }),
    abortRun: emit(({ context }) => ({ type: "abort_run", token: context.token })),
    cutRun: emit(({ context }) => ({ type: "cut_run", token: context.token })),
    recordRun: assign(({ context, event }) => {
      assertEvent(event, RUN_DONE);
      const { output } = event;
      // A run that was told to stop counts as aborted, even if its answer was complete by then.
      const run: RunOutcome = context.abortDeadline === null ? output : { ...output, status: "aborted" };
      return { run, contextTokens: output.contextTokens };
    }),
    /** An overflow error that names the limit teaches the window of a model whose window is unknown. */
    learnWindow: assign(({ context }) => {
      const { failure, reply } = context.run ?? {};
      const contextWindow = failure?.contextWindow;
      // An error of the model that was selected before says nothing about this one's window.
      const own = reply === null || reply?.model === context.model.key;
      const teaches = own && contextWindow !== undefined && context.model.contextWindow === null;
      return teaches ? { model: { ...context.model, contextWindow } } : {};
    }),
    recordCutRun: assign(({ context }) => ({ run: unreportedRun(context, "aborted", null) })),
    recordBrokenRun: assign(({ context, event }) => {
      assertEvent(event, "xstate.error.actor.agentRun");
      // As any answer after the order to stop, a fault is one of an aborted run.
      const aborted = context.abortDeadline !== null;
      return {
        run: aborted ? unreportedRun(context, "aborted", null) : unreportedRun(context, "failed", brokenActor(event.error)),
      };
    }),

    // The run-after check and a retry.
    decide: assign(({ context }) => ({ decision: decideAfterRun(afterRun(context)) })),
    announceDecision: emit(({ context }) => {
      const { rule, next } = decisionOf(context);
      return {
        type: "agent_end",
        willRetry: next.state === "backoff" || (next.state === "compacting" && repeatsWhenDone(next.task.purpose)),
        willContinue: next.state !== "settled",
        rule,
      };
    }),
    planRetry: assign(({ context }) => {
      const { next } = decisionOf(context);
      return next.state === "backoff" ? { attempt: context.attempt + 1, retryAt: next.retryAt } : {};
    }),
    resumeRetry: assign(({ context }) =>
      context.pending?.kind === "retry"
        ? {
            attempt: context.pending.attempt,
            retryAt: context.pending.retryAt,
            pending: null,
            run: unreportedRun(context, "failed", context.pending.failure),
          }
        : {},
    ),
    announceRetry: emit(({ context, event }) => {
      const { run, settings, attempt } = context;
      const failure = run?.failure ?? brokenActor("a retry without a failure");
      const retryAt = context.retryAt ?? 0;
      const from = event.type === "CONTINUE" ? event.at : (run?.endedAt ?? retryAt);
      return {
        type: "auto_retry_start",
        attempt,
        maxAttempts: settings.retry.policies[failure.kind]?.maxRetries ?? settings.retry.maxRetries,
        delayMs: Math.max(0, retryAt - from),
        retryAt,
        errorMessage: failure.message,
        failure,
      };
    }),
    omitFailedReply: emit(({ context }) => ({ type: "omit_reply", entryIds: context.run?.reply?.entryIds ?? [] })),
    keepRetryPending: assign(({ context }) =>
      context.run?.failure && context.retryAt !== null
        ? {
            pending: {
              kind: "retry" as const,
              attempt: context.attempt,
              retryAt: context.retryAt,
              failure: context.run.failure,
            },
          }
        : {},
    ),
    closeStreakWithSuccess: endStreak(() => null),
    /** A run ended the streak without a good message. */
    closeStreak: endStreak(({ run }) => (run?.status === "aborted" ? RETRY_CANCELLED : run?.failure?.message) ?? RETRY_CANCELLED),
    cancelStreak: endStreak(() => RETRY_CANCELLED),

    // A compaction.
    planCompaction: assign(({ context }) => {
      const { next } = decisionOf(context);
      return next.state === "compacting" ? { compaction: next.task } : {};
    }),
    compactBeforePrompt: assign({ compaction: { purpose: "prompt" as const, reason: "threshold" as const, omit: [] } }),
    compactByHand: assign({ compaction: { purpose: "manual" as const, reason: "manual" as const, omit: [] } }),
    resumeCompaction: assign(({ context }) =>
      context.pending?.kind === "compaction"
        ? {
            compaction: context.pending.task,
            run: context.pending.failure && unreportedRun(context, "failed", context.pending.failure),
            pending: null,
          }
        : {},
    ),
    keepCompactionPending: assign(({ context }) =>
      context.compaction
        ? { pending: { kind: "compaction" as const, task: context.compaction, failure: context.run?.failure ?? null } }
        : {},
    ),
    announceCompaction: emit(({ context }) => ({
      type: "compaction_start",
      reason: context.compaction?.reason ?? "manual",
    })),
    endCompaction: emit(({ context, event }) => {
      assertEvent(event, COMPACTION_DONE);
      const { status, entryId, errorMessage, failure } = event.output;
      return {
        type: "compaction_end",
        reason: context.compaction?.reason ?? "manual",
        aborted: status === "aborted",
        willRetry: repeatsTheRequest({ context, event }),
        ...(entryId === undefined ? {} : { entryId }),
        ...(errorMessage === undefined ? {} : { errorMessage }),
        ...(failure === undefined ? {} : { failure }),
      };
    }),
    cancelCompaction: emit(({ context }) => ({
      type: "compaction_end",
      reason: context.compaction?.reason ?? "manual",
      aborted: true,
      willRetry: false,
    })),
    endBrokenCompaction: emit(({ context, event }) => {
      assertEvent(event, "xstate.error.actor.compaction");
      const failure = brokenActor(event.error);
      return {
        type: "compaction_end",
        reason: context.compaction?.reason ?? "manual",
        aborted: false,
        willRetry: false,
        errorMessage: failure.message,
        failure,
      };
    }),
    markRecoveryUsed: assign({ overflowRecoveryUsed: true }),
    muteUnlessDone: assign(({ context, event }) => ({
      thresholdMuted: context.thresholdMuted || compactionOutcome(event)?.status !== "done",
    })),

    // Settling.
    settleByRule: settle(({ context }) => {
      const { next } = decisionOf(context);
      return next.state === "settled" ? next.outcome : failed(context.run?.failure ?? null);
    }),
    settleAborted: settle(() => ({ status: "aborted", cut: false, failure: null })),
    settleRetriedFailure: settle(({ context }) => failed(context.run?.failure ?? null)),
    settleCompleted: settle(({ context }) => completed(context.run?.reply?.stopReason === "length")),
    settleCut: settle(() => completed(true)),
    settleOverflow: settle(({ context, event }) => failed(overflowNotRecovered(context, event))),
    settleLogFailed: settle(({ event }) =>
      failed((event.type === "LOG_FAILED" ? event.failure : compactionOutcome(event)?.failure) ?? null),
    ),
    settleBrokenCompaction: settle(({ event }) => failed(brokenActor("error" in event ? event.error : event.type))),
  },
});

function settle(outcomeOf: (facts: Facts) => SettledOutcome) {
  return enqueueActions(({ context, event, enqueue }) => {
    const outcome = outcomeOf({ context, event });
    enqueue.assign({ outcome, compaction: null, retryAt: null });
    enqueue.emit({
      type: "agent_settled",
      aborted: outcome.status === "aborted",
      outcome,
      queued: queued(context),
    });
  });
}

/** Closes an open streak; `errorOf` gives null for a success. */
function endStreak(errorOf: (context: SessionContext) => string | null) {
  return enqueueActions(({ context, enqueue }) => {
    if (context.attempt === 0) return;
    const finalError = errorOf(context);
    enqueue.emit({
      type: "auto_retry_end",
      success: finalError === null,
      attempt: context.attempt,
      ...(finalError === null ? {} : { finalError }),
    });
    enqueue.assign({ attempt: 0, retryAt: null });
  });
}
