import type { PolicySettings, ReplyFacts, RunOutcome, SessionInput } from "../../machines/types.ts";
import type { RunAfterFacts } from "../../machines/run-after.ts";
import type { Failure } from "../../src/errors/types.ts";

export const policy: PolicySettings = {
  retry: {
    enabled: true,
    maxRetries: 3,
    baseDelayMs: 2_000,
    maxAgentDelayMs: 60_000,
    jitter: 0,
    longWait: { waitUpToMs: 600_000 },
    policies: {},
  },
  compaction: { enabled: true, reserveTokens: 10_000 },
  abortGraceMs: 5_000,
};

export const input: SessionInput = {
  sessionId: "session",
  settings: policy,
  model: { key: "provider/model", contextWindow: 100_000 },
};

/** Over the threshold of a window of 100,000 tokens with a reserve of 10,000. */
export const OVER = 90_001;
export const UNDER = 90_000;

export function failure(parts: Partial<Failure> = {}): Failure {
  return {
    action: "retry",
    kind: "overloaded",
    message: "529 Overloaded",
    hint: "",
    why: "",
    rule: "rule",
    causes: [],
    ...parts,
  };
}

export const overflow = failure({ action: "compact", kind: "context_overflow", message: "400 prompt is too long" });
export const quota = failure({ action: "stop", kind: "quota_exhausted", message: "429 insufficient_quota" });

export function reply(parts: Partial<ReplyFacts> = {}): ReplyFacts {
  return {
    entryIds: ["reply"],
    stopReason: "stop",
    model: "provider/model",
    inputTokens: 10,
    outputTokens: 10,
    maxOutputTokens: null,
    ...parts,
  };
}

export function outcome(parts: Partial<RunOutcome> = {}): RunOutcome {
  return {
    token: 1,
    status: "completed",
    endedAt: 1_000,
    random: 0,
    contextTokens: 100,
    reply: reply(),
    failure: null,
    ...parts,
  };
}

export function failedRun(why: Failure, parts: Partial<RunOutcome> = {}): RunOutcome {
  return outcome({ status: "failed", reply: reply({ stopReason: "error" }), failure: why, ...parts });
}

/** A `length` stop that the window caused: 95 % of it is used. */
export const cutByWindow = reply({ stopReason: "length", inputTokens: 94_000, outputTokens: 1_000, maxOutputTokens: 8_000 });

export function facts(run: RunOutcome, parts: Partial<RunAfterFacts> = {}): RunAfterFacts {
  return {
    settings: policy,
    model: input.model,
    attempt: 0,
    overflowRecoveryUsed: false,
    thresholdMuted: false,
    steering: [],
    followUp: [],
    run,
    ...parts,
  };
}
