/**
 * The statechart of one session. It holds all policy: what follows a run, a wait or a compaction, and what a person may do when.
 * Pure: no clock, no I/O, no ids. It reads numbers from its events and says what happens as emitted events, in order.
 *
 * `session-guards.ts` and `session-actions.ts` say what the names mean; `run-after.ts` is the table behind `deciding`. The actors it
 * invokes (`agentRun`, `sleep`, `compaction`) are given from outside with `sessionMachine.provide({ actors })`.
 */
import { and } from "xstate";
import { runAfterRules } from "./run-after.ts";
import { sessionSetup } from "./session-actions.ts";
import { initialContext } from "./session-facts.ts";

const goOn = [
  { guard: "replyMissing", target: "running" },
  { guard: "somethingQueued", target: "running" },
] as const;

/** `idle` and `settled`: nothing automatic is under way, and everything may be asked for. */
const atRest = {
  PROMPT: [
    { guard: "overThreshold", target: "compacting", actions: ["beginPrompt", "compactBeforePrompt"] },
    { target: "running", actions: "beginPrompt" },
  ],
  // As a prompt: the next user message is here, though it is not in the log yet.
  STEER: [
    { guard: "overThreshold", target: "compacting", actions: ["queueSteering", "dropPending", "compactBeforePrompt"] },
    { target: "running", actions: "queueSteering" },
  ],
  FOLLOW_UP: [
    { guard: "overThreshold", target: "compacting", actions: ["queueFollowUp", "dropPending", "compactBeforePrompt"] },
    { target: "running", actions: "queueFollowUp" },
  ],
  CONTINUE: goOn,
  COMPACT: { target: "compacting", actions: "compactByHand" },
  LOG_FAILED: { target: "settled", actions: "settleLogFailed" },
} as const;

/** What else is done on the way to where a rule of the run-after check leads. */
const onTheWayTo = {
  settled: ["closeStreak", "settleByRule"],
  backoff: ["planRetry", "announceRetry", "omitFailedReply"],
  compacting: ["closeStreak", "planCompaction"],
  running: ["closeStreak"],
} as const;

const cancelRetry = { target: "settled", actions: ["cancelStreak", "settleRetriedFailure"] } as const;

export const sessionMachine = sessionSetup.createMachine({
  id: "session",
  context: initialContext,
  initial: "idle",
  on: {
    STEER: { actions: "queueSteering" },
    FOLLOW_UP: { actions: "queueFollowUp" },
    UNQUEUE: { actions: "unqueue" },
    SET_MODEL: { actions: "setModel" },
    SET_SETTINGS: { actions: "setSettings" },
  },
  states: {
    idle: {
      description: "Nothing has run yet.",
      // A session that was opened again rests in `settled`.
      always: { guard: "hasOutcome", target: "settled" },
      on: atRest,
    },

    running: {
      description: "One run of the agent loop: turns until the model stops, fails, is paused or aborted.",
      entry: ["nextToken", "beginRun", "announceRun"],
      invoke: {
        id: "agentRun",
        src: "agentRun",
        input: ({ context }) => ({ sessionId: context.sessionId, token: context.token }),
        onDone: [{ guard: "isLate" }, { target: "deciding", actions: ["recordRun", "learnWindow"] }],
        onError: { target: "deciding", actions: "recordBrokenRun" },
      },
      on: {
        DELIVERED: { guard: "isOfThisRun", actions: ["unqueue", "userMessageAppended"] },
      },
      initial: "live",
      states: {
        live: {
          on: {
            GOOD_MESSAGE: { guard: "isOfThisRun", actions: "closeStreakWithSuccess" },
            ABORT: "aborting",
            DISPOSE: "aborting",
          },
        },
        aborting: {
          description: "The run was told to stop and hands back its partial turn; the grace time ends it if it does not.",
          entry: ["setAbortDeadline", "abortRun"],
          invoke: {
            id: "abortGrace",
            src: "sleep",
            input: ({ context }) => ({
              sessionId: context.sessionId,
              token: context.token,
              until: context.abortDeadline ?? 0,
            }),
            onDone: [{ guard: "isLate" }, { target: "#session.deciding", actions: ["recordCutRun", "cutRun"] }],
          },
        },
      },
    },

    deciding: {
      description: "The run-after check: the first rule of the table that matches decides.",
      always: runAfterRules.map(({ target }, index) => ({
        guard: { type: "ruleMatches" as const, params: { index } },
        target,
        actions: ["decide", "announceDecision", ...onTheWayTo[target]] as const,
      })),
    },

    backoff: {
      description: "Waits until `retryAt`.",
      entry: "nextToken",
      invoke: {
        id: "retryWait",
        src: "sleep",
        input: ({ context }) => ({ sessionId: context.sessionId, token: context.token, until: context.retryAt ?? 0 }),
        onDone: [{ guard: "isLate" }, { target: "running" }],
      },
      on: {
        ABORT: { target: "settled", actions: ["cancelStreak", "settleAborted"] },
        DISPOSE: { target: "settled", actions: ["keepRetryPending", "cancelStreak", "settleAborted"] },
        ABORT_RETRY: cancelRetry,
        SET_SETTINGS: [
          { guard: "turnsRetryOff", ...cancelRetry, actions: ["setSettings", ...cancelRetry.actions] },
          { actions: "setSettings" },
        ],
        LOG_FAILED: { target: "settled", actions: ["cancelStreak", "settleLogFailed"] },
      },
    },

    compacting: {
      description: "Makes the context smaller; what follows depends on what it is for.",
      entry: ["nextToken", "announceCompaction"],
      invoke: {
        id: "compaction",
        src: "compaction",
        input: ({ context }) => ({
          sessionId: context.sessionId,
          token: context.token,
          task: context.compaction ?? { purpose: "manual", reason: "manual", omit: [] },
        }),
        onDone: [
          { guard: "isLate" },
          { guard: and(["byHand", "somethingQueued"]), target: "running", actions: "endCompaction" },
          { guard: "byHand", target: "idle", actions: "endCompaction" },
          { guard: "logFailed", target: "settled", actions: ["endCompaction", "settleLogFailed"] },
          { guard: "repeatsTheRequest", target: "running", actions: ["endCompaction", "markRecoveryUsed"] },
          { guard: "forOverflow", target: "settled", actions: ["endCompaction", "settleOverflow"] },
          { guard: "forLength", target: "settled", actions: ["endCompaction", "settleCut"] },
          {
            guard: and(["afterAnswer", "nothingQueued"]),
            target: "settled",
            actions: ["endCompaction", "muteUnlessDone", "settleCompleted"],
          },
          { target: "running", actions: ["endCompaction", "muteUnlessDone"] },
        ],
        onError: [
          { guard: and(["byHand", "somethingQueued"]), target: "running", actions: "endBrokenCompaction" },
          { guard: "byHand", target: "idle", actions: "endBrokenCompaction" },
          { target: "settled", actions: ["endBrokenCompaction", "settleBrokenCompaction"] },
        ],
      },
      on: {
        ABORT: [
          { guard: "byHand", target: "idle", actions: "cancelCompaction" },
          { target: "settled", actions: ["cancelCompaction", "settleAborted"] },
        ],
        DISPOSE: [
          { guard: "byHand", target: "idle", actions: "cancelCompaction" },
          { target: "settled", actions: ["keepCompactionPending", "cancelCompaction", "settleAborted"] },
        ],
      },
    },

    settled: {
      description: "The prompt is over, and the outcome says how; nothing automatic will follow.",
      on: {
        ...atRest,
        CONTINUE: [
          { guard: "retryPending", target: "backoff", actions: ["resumeRetry", "announceRetry"] },
          { guard: "compactionPending", target: "compacting", actions: "resumeCompaction" },
          ...goOn,
        ],
        MOVED: { actions: "enterBranch" },
      },
    },
  },
});

export type SessionMachine = typeof sessionMachine;
