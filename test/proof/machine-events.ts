import type { SnapshotFrom } from "xstate";
import type { SessionMachine } from "../../machines/session.ts";
import type {
  CompactionOutcome,
  ReplyFacts,
  RunOutcome,
  SessionMachineAnswer,
  SessionMachineEvent,
} from "../../machines/types.ts";
import { BIG_TOKENS, MAX_OUTPUT_TOKENS, type PolicyInput, type ReferenceFailure } from "../../src/testing/index.ts";
import { failureOf } from "./failures.ts";

export type MachineEvent = SessionMachineEvent | SessionMachineAnswer;
export type MachineSnapshot = SnapshotFrom<SessionMachine>;

/** An event of the statechart, and what it is to the policy of the reference. */
export interface Pair {
  event: MachineEvent;
  input: PolicyInput;
}

/** The token of something that is long over. */
const LATE = -1;

/** The same event as it is now: what answers the run, wait or compaction under way carries its token. */
export function addressed(event: MachineEvent, { context: { token } }: MachineSnapshot): MachineEvent {
  if ("output" in event && event.output.token !== LATE) return { ...event, output: { ...event.output, token } } as MachineEvent;
  if ("token" in event && event.token !== LATE) return { ...event, token };
  return event;
}

export const SMALL = "reference/small";
export const UNKNOWN = "reference/unknown";

const failures: readonly ReferenceFailure[] = [
  { action: "retry", kind: "overloaded" },
  { action: "retry", kind: "rate_limited", retryAfterMs: 9000 },
  { action: "retry", kind: "rate_limited", retryAfterMs: 9001 },
  { action: "compact", kind: "context_overflow", contextWindow: 1000 },
  { action: "stop", kind: "quota_exhausted" },
  { action: "stop", kind: "auth" },
];

/** What is explored beside prompts, aborts and answers; default none of it. */
export interface MachineScope {
  steering?: boolean;
  followUp?: boolean;
  settings?: boolean;
  /** Disposal, and moves to another branch. */
  dispose?: boolean;
}

/** Everything that can be sent to the statechart in a state, within the scope; counters and queues are bounded. */
export function pairs(snapshot: MachineSnapshot, scope: MachineScope): Pair[] {
  const { context } = snapshot;
  const resting = snapshot.matches("idle") || snapshot.matches("settled");
  const all = [...people(snapshot, scope), ...(scope.settings === true ? settings(snapshot) : [])];
  const { token } = context;
  if (resting || snapshot.matches("backoff")) {
    all.push({
      event: { type: "LOG_FAILED", failure: failureOf({ action: "stop", kind: "log" }) },
      input: { type: "logFailed" },
    });
  }
  if (snapshot.matches("running")) all.push(...runAnswers(snapshot));
  if (snapshot.matches({ running: "aborting" })) {
    all.push({ event: { type: "xstate.done.actor.abortGrace", output: { token } }, input: { type: "graceOver" } });
    all.push({ event: { type: "xstate.done.actor.abortGrace", output: { token: LATE } }, input: { type: "stale" } });
  }
  if (snapshot.matches("backoff")) {
    all.push({ event: { type: "xstate.done.actor.retryWait", output: { token } }, input: { type: "woken" } });
    all.push({ event: { type: "xstate.done.actor.retryWait", output: { token: LATE } }, input: { type: "stale" } });
  }
  if (snapshot.matches("compacting")) all.push(...compactionAnswers(token));
  return all;
}

function people(snapshot: MachineSnapshot, scope: MachineScope): Pair[] {
  const { steering, followUp } = snapshot.context;
  const resting = snapshot.matches("idle") || snapshot.matches("settled");
  const all: Pair[] = [
    { event: { type: "ABORT", at: 0 }, input: { type: "abort" } },
    { event: { type: "ABORT_RETRY" }, input: { type: "abortRetry" } },
    { event: { type: "COMPACT", contextTokens: 10 }, input: { type: "compact" } },
  ];
  if (scope.dispose === true) all.push({ event: { type: "DISPOSE", at: 0 }, input: { type: "dispose" } });
  for (const tail of ["failedReply", "unanswered", "answered"] as const) {
    all.push({ event: { type: "CONTINUE", tail, at: 0, contextTokens: 10 }, input: { type: "continue", tail } });
  }
  for (const tokens of resting ? [10, BIG_TOKENS] : [10]) {
    all.push({ event: { type: "PROMPT", contextTokens: tokens }, input: { type: "prompt", tokens } });
    if (scope.steering === true && steering.length === 0)
      all.push({ event: { type: "STEER", id: "s", contextTokens: tokens }, input: { type: "steer", id: "s", tokens } });
    if (scope.followUp === true && followUp.length === 0)
      all.push({ event: { type: "FOLLOW_UP", id: "f", contextTokens: tokens }, input: { type: "followUp", id: "f", tokens } });
  }
  if (scope.dispose === true && snapshot.matches("settled")) {
    for (const used of [true, false]) {
      all.push({ event: { type: "MOVED", overflowRecoveryUsed: used }, input: { type: "moved", recoveryUsed: used } });
    }
  }
  const ids = [...steering, ...followUp];
  if (ids.length > 0) all.push({ event: { type: "UNQUEUE", ids }, input: { type: "unqueue", ids } });
  return all;
}

function settings({ context }: MachineSnapshot): Pair[] {
  const { settings: now, model } = context;
  const policy = (retry: boolean, compaction: boolean): Pair => ({
    event: {
      type: "SET_SETTINGS",
      settings: { ...now, retry: { ...now.retry, enabled: retry }, compaction: { ...now.compaction, enabled: compaction } },
    },
    input: {
      type: "setSettings",
      settings: settingsOf({
        ...now,
        retry: { ...now.retry, enabled: retry },
        compaction: { ...now.compaction, enabled: compaction },
      }),
    },
  });
  const [key, contextWindow] = model.key === SMALL ? [UNKNOWN, null] : [SMALL, 1000];
  return [
    policy(!now.retry.enabled, now.compaction.enabled),
    policy(now.retry.enabled, !now.compaction.enabled),
    {
      event: { type: "SET_MODEL", model: { key, contextWindow } },
      input: { type: "setModel", model: key, window: contextWindow },
    },
  ];
}

export function settingsOf({ retry, compaction }: MachineSnapshot["context"]["settings"]) {
  return {
    retry: retry.enabled,
    maxRetries: retry.maxRetries,
    baseDelayMs: retry.baseDelayMs,
    maxAgentDelayMs: retry.maxAgentDelayMs,
    jitter: retry.jitter,
    waitUpToMs: retry.longWait.waitUpToMs,
    policies: retry.policies,
    compaction: compaction.enabled,
    reserveTokens: compaction.reserveTokens,
    queueMode: "one-at-a-time" as const,
  };
}

function runAnswers({ context }: MachineSnapshot): Pair[] {
  const { token, steering, followUp } = context;
  const all: Pair[] = [
    { event: { type: "GOOD_MESSAGE", token }, input: { type: "goodMessage" } },
    { event: { type: "GOOD_MESSAGE", token: LATE }, input: { type: "stale" } },
    {
      event: { type: "xstate.error.actor.agentRun", error: new Error("broken") },
      input: ended("failed", null, { action: "stop", kind: "internal" }, context.contextTokens),
    },
  ];
  const ids = [...steering, ...followUp].slice(0, 1);
  if (ids.length > 0) {
    all.push({ event: { type: "DELIVERED", token, ids }, input: { type: "delivered", ids } });
    all.push({ event: { type: "DELIVERED", token: LATE, ids }, input: { type: "stale" } });
  }
  const answer = (input: Extract<PolicyInput, { type: "runEnded" }>, of = token): Pair => ({
    event: { type: "xstate.done.actor.agentRun", output: outcomeOf(input, of) },
    input: of === token ? input : { type: "stale" },
  });
  for (const tokens of [10, BIG_TOKENS]) {
    all.push(answer(ended("completed", reply("stop"), null, tokens)), answer(ended("paused", reply("toolUse"), null, tokens)));
  }
  all.push(
    answer(ended("aborted", null, null, 10)),
    answer(ended("completed", null, null, 10)),
    answer(ended("completed", reply("stop"), null, 10), LATE),
  );
  for (const model of [SMALL, UNKNOWN]) {
    all.push(
      answer(ended("completed", reply("length", model, 899, 1), null, 10)),
      answer(ended("completed", reply("stop", model, 1001, 1), null, 10)),
    );
    for (const failure of failures) all.push(answer(ended("failed", reply("error", model), failure, 10)));
  }
  all.push(
    answer(ended("completed", reply("length", SMALL, 898, 1), null, 10)),
    answer(ended("completed", reply("length", SMALL, 899, MAX_OUTPUT_TOKENS), null, 10)),
  );
  all.push(answer(ended("failed", null, { action: "stop", kind: "limit" }, 10)));
  return all;
}

function ended(
  status: RunOutcome["status"],
  last: Extract<PolicyInput, { type: "runEnded" }>["reply"],
  failure: ReferenceFailure | null,
  tokens: number,
): Extract<PolicyInput, { type: "runEnded" }> {
  return { type: "runEnded", status, reply: last, failure, tokens, random: 0.5 };
}

function reply(stopReason: ReplyFacts["stopReason"], model = SMALL, inputTokens = 5, outputTokens = 5) {
  return { stopReason, model, inputTokens, outputTokens, maxOutputTokens: MAX_OUTPUT_TOKENS };
}

function outcomeOf(
  { status, reply: last, failure, tokens, random }: Extract<PolicyInput, { type: "runEnded" }>,
  token: number,
): RunOutcome {
  return {
    token,
    status,
    endedAt: 0,
    random,
    contextTokens: tokens,
    reply: last && { ...last, entryIds: ["e"] },
    failure: failure && failureOf(failure),
  };
}

function compactionAnswers(token: number): Pair[] {
  const outcome = (status: CompactionOutcome["status"], of = token): CompactionOutcome => ({
    token: of,
    status,
    contextTokens: 10,
    ...(status === "done" ? { entryId: "c" } : { errorMessage: status }),
  });
  const all = (["done", "failed", "nothing", "no_progress", "aborted"] as const).map((status): Pair => ({
    event: { type: "xstate.done.actor.compaction", output: outcome(status) },
    input: { type: "compacted", status },
  }));
  const log = { ...outcome("failed"), failure: failureOf({ action: "stop", kind: "log" }) };
  all.push({ event: { type: "xstate.done.actor.compaction", output: log }, input: { type: "compacted", status: "log" } });
  all.push({ event: { type: "xstate.done.actor.compaction", output: outcome("done", LATE) }, input: { type: "stale" } });
  // An actor that throws breaks its contract: the session must not go on as if nothing had happened.
  all.push({
    event: { type: "xstate.error.actor.compaction", error: new Error("broken") },
    input: { type: "compacted", status: "log" },
  });
  return all;
}
