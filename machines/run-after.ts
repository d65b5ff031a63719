/**
 * The run-after check: what follows a run of the agent loop. Rules are tried in order, the first that matches decides.
 * The session machine takes its transitions out of `deciding` from this table; `decideAfterRun` asks it without a machine.
 */
import type { Failure } from "../src/errors/types.ts";
import { backoffDelayMs } from "./backoff.ts";
import type {
  CompactionTask,
  ModelFacts,
  ReplyFacts,
  RetryPolicy,
  RunAfterDecision,
  RunAfterNext,
  RunOutcome,
  SessionContext,
  SettledOutcome,
} from "./types.ts";
import { compactionThreshold } from "./window.ts";

/** All that the rules look at. A `SessionContext` with a run is one. */
export type RunAfterFacts = Pick<
  SessionContext,
  "settings" | "model" | "attempt" | "overflowRecoveryUsed" | "thresholdMuted" | "steering" | "followUp"
> & { run: RunOutcome };

export interface RunAfterRule {
  readonly name: string;
  /** The condition, in words. */
  readonly when: string;
  /** What follows, in words. */
  readonly then: string;
  readonly target: RunAfterNext["state"];
  matches(facts: RunAfterFacts): boolean;
  decide(facts: RunAfterFacts): RunAfterNext;
}

export const OVERFLOW_AGAIN =
  "Context overflow recovery failed after one compact-and-retry attempt. Reduce the context or switch to a model with a larger window.";

export const runAfterRules: readonly RunAfterRule[] = [
  {
    name: "aborted",
    when: "the run was aborted",
    then: "settle aborted",
    target: "settled",
    matches: ({ run }) => run.status === "aborted",
    decide: () => settle({ status: "aborted", cut: false, failure: null }),
  },
  {
    name: "retryFailure",
    when: "the failure says retry, retries are on and left, and the demanded wait is within the cap or `retry.longWait`",
    then: "omit the reply, count a retry, back off",
    target: "backoff",
    matches: (facts) => plannedRetry(facts) !== null,
    decide: (facts) => {
      const retry = plannedRetry(facts);
      if (!retry) throw new Error("The rule retryFailure was asked to decide where it does not match.");
      return { state: "backoff", ...retry };
    },
  },
  {
    name: "overflowOnCompleteReply",
    when: "compaction is on, and a complete reply (`stop`) read more than the window holds",
    then: "compact (overflow), keep the answer, no retry",
    target: "compacting",
    matches: ({ settings, run, model }) =>
      settings.compaction.enabled && run.status === "completed" && overflowedSilently(run.reply, model),
    decide: () => compact({ purpose: "answer", reason: "overflow", omit: [] }),
  },
  {
    name: "overflowAgain",
    when: "overflow failure or recoverable `length`, and the recovery of this user message is used",
    then: "overflow: settle failed; `length`: settle completed, cut",
    target: "settled",
    matches: (facts) =>
      facts.overflowRecoveryUsed && (overflowFailure(facts) !== null || isRecoverableLength(facts.run.reply, facts.model)),
    decide: (facts) => {
      const failure = overflowFailure(facts);
      if (!failure) return settleCompleted(facts.run);
      return settle({ status: "failed", cut: false, failure: { ...failure, message: OVERFLOW_AGAIN } });
    },
  },
  {
    name: "recoverOverflow",
    when: "compaction is on, and overflow failure or recoverable `length`",
    then: "compact (overflow), omit the reply, repeat the request once",
    target: "compacting",
    matches: (facts) =>
      facts.settings.compaction.enabled && (overflowFailure(facts) !== null || isRecoverableLength(facts.run.reply, facts.model)),
    decide: (facts) =>
      compact({
        purpose: overflowFailure(facts) ? "overflow" : "length",
        reason: "overflow",
        omit: facts.run.reply?.entryIds ?? [],
      }),
  },
  {
    name: "otherFailure",
    when: "any other failure",
    then: "settle failed",
    target: "settled",
    matches: ({ run }) => run.status === "failed",
    decide: (facts) => settle({ status: "failed", cut: false, failure: namingTheWait(facts) }),
  },
  {
    name: "overThreshold",
    when: "compaction is on, and the run paused, or the context is over the threshold and that is not muted",
    then: "compact (threshold)",
    target: "compacting",
    matches: (facts) =>
      facts.settings.compaction.enabled &&
      (facts.run.status === "paused" || (!facts.thresholdMuted && isOverThreshold(facts.run.contextTokens, facts))),
    decide: ({ run }) => compact({ purpose: run.status === "paused" ? "paused" : "answer", reason: "threshold", omit: [] }),
  },
  {
    name: "moreToDo",
    // A run can only be paused here when compaction was switched off under it: it then simply goes on.
    when: "a queue is not empty (or the run paused)",
    then: "run again",
    target: "running",
    matches: ({ run, steering, followUp }) => run.status === "paused" || steering.length + followUp.length > 0,
    decide: () => ({ state: "running" }),
  },
  {
    name: "completed",
    when: "otherwise",
    then: "settle completed (cut, if the last message ended in `length`)",
    target: "settled",
    matches: () => true,
    decide: ({ run }) => settleCompleted(run),
  },
];

/** Runs the check on facts alone. */
export function decideAfterRun(facts: RunAfterFacts): RunAfterDecision {
  for (const rule of runAfterRules) {
    if (rule.matches(facts)) return { rule: rule.name, next: rule.decide(facts) };
  }
  throw new Error("The last rule of the run-after check has to match always.");
}

/** The wait before the next retry, or null when the failure is not to be retried (now). */
export function plannedRetry(facts: Pick<RunAfterFacts, "settings" | "attempt" | "run">): {
  delayMs: number;
  retryAt: number;
  maxAttempts: number;
} | null {
  const { settings, attempt, run } = facts;
  const { failure } = run;
  if (run.status !== "failed" || !failure) return null;
  const { retry } = settings;
  const policy: RetryPolicy = retry.policies[failure.kind] ?? {};
  const maxAttempts = policy.maxRetries ?? retry.maxRetries;
  // Overflow has one way out, compaction: no policy can send it into a backoff.
  const repeats = failure.action !== "compact" && (policy.action ?? failure.action) === "retry";
  if (!retry.enabled || !repeats || attempt >= maxAttempts) return null;

  const maxDelayMs = policy.maxAgentDelayMs ?? retry.maxAgentDelayMs;
  const demandedMs = demandedWaitMs(failure, run.endedAt);
  if (demandedMs > Math.max(maxDelayMs, retry.longWait.waitUpToMs)) return null;
  const backoff = { baseDelayMs: policy.baseDelayMs ?? retry.baseDelayMs, maxDelayMs, jitter: retry.jitter };
  const delayMs = backoffDelayMs(backoff, attempt + 1, run.random, demandedMs);
  return { delayMs, retryAt: run.endedAt + delayMs, maxAttempts };
}

/** The wait a failure demands, in milliseconds from `now`; 0 when it demands none. */
export function demandedWaitMs(failure: { retryAfterMs?: number; resetAt?: number }, now: number): number {
  return failure.retryAfterMs ?? Math.max(0, (failure.resetAt ?? now) - now);
}

export function isOverThreshold(contextTokens: number, { settings, model }: Pick<RunAfterFacts, "settings" | "model">): boolean {
  const threshold = compactionThreshold(model.contextWindow ?? undefined, settings.compaction.reserveTokens);
  return threshold !== undefined && contextTokens > threshold;
}

/** A reply cut short by a full window rather than by the output limit that was asked for. */
export function isRecoverableLength(reply: ReplyFacts | null, model: ModelFacts): boolean {
  if (reply?.stopReason !== "length" || reply.model !== model.key) return false;
  const used = reply.inputTokens + reply.outputTokens;
  if (used === 0) return false;
  if (reply.maxOutputTokens !== null && reply.outputTokens >= reply.maxOutputTokens) return false;
  // Without a window only a known output limit that was not reached says that something else cut the reply.
  return model.contextWindow === null ? reply.maxOutputTokens !== null : used >= 0.9 * model.contextWindow;
}

/** The run's failure, where it is an overflow of the model that is now selected: another's says nothing about this one's window. */
function overflowFailure({ run, model }: RunAfterFacts): Failure | null {
  const own = run.reply === null || run.reply.model === model.key;
  return run.status === "failed" && run.failure?.action === "compact" && own ? run.failure : null;
}

function overflowedSilently(reply: ReplyFacts | null, model: ModelFacts): boolean {
  return (
    reply?.stopReason === "stop" &&
    reply.model === model.key &&
    model.contextWindow !== null &&
    reply.inputTokens > model.contextWindow
  );
}

/** The run's failure; where only the length of the demanded wait kept it from being retried, its hint names the time. */
function namingTheWait({ settings, run }: RunAfterFacts): Failure | null {
  const { failure } = run;
  if (failure?.action !== "retry" || !settings.retry.enabled) return failure;
  const demandedMs = demandedWaitMs(failure, run.endedAt);
  if (demandedMs <= Math.max(settings.retry.maxAgentDelayMs, settings.retry.longWait.waitUpToMs)) return failure;
  const until = new Date(run.endedAt + demandedMs).toISOString();
  const hint = `The provider asks to wait ${Math.ceil(demandedMs / 1000)} s, until ${until}: longer than retry.longWait.waitUpToMs (${settings.retry.longWait.waitUpToMs} ms). Continue after that time, or raise the setting.`;
  return { ...failure, hint };
}

function compact(task: CompactionTask): RunAfterNext & { state: "compacting" } {
  return { state: "compacting", task };
}

function settle(outcome: SettledOutcome): RunAfterNext & { state: "settled" } {
  return { state: "settled", outcome };
}

function settleCompleted({ reply }: RunOutcome): RunAfterNext & { state: "settled" } {
  return settle({ status: "completed", cut: reply?.stopReason === "length", failure: null });
}
