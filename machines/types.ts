import type { Failure, FailureKind } from "../src/errors/types.ts";

/** Own limits for one kind of failure; what is absent is taken from `retry`. */
export interface RetryPolicy {
  /** `retry` also for a kind that is stopped at by default, or `stop` for one that is retried. */
  action?: "retry" | "stop";
  maxRetries?: number;
  baseDelayMs?: number;
  maxAgentDelayMs?: number;
}

/** The settings the policy reads. All times are milliseconds. */
export interface PolicySettings {
  retry: {
    enabled: boolean;
    /** Retries per streak: 3 means up to 4 requests. */
    maxRetries: number;
    baseDelayMs: number;
    maxAgentDelayMs: number;
    jitter: number;
    longWait: {
      /** A demanded wait above `maxAgentDelayMs` is waited for up to this; 0 fails at once. */
      waitUpToMs: number;
    };
    policies: { [kind in FailureKind]?: RetryPolicy };
  };
  compaction: {
    enabled: boolean;
    /** Tokens of the window that are kept free. */
    reserveTokens: number;
  };
  abortGraceMs: number;
}

/** What the policy knows of the selected model. */
export interface ModelFacts {
  /** `provider/id`. */
  key: string;
  /** Tokens; null while unknown. */
  contextWindow: number | null;
}

/** What the policy knows of an assistant message. */
export interface ReplyFacts {
  /** The message's log entry and those of its tool results: what is left out when the reply is omitted. */
  entryIds: string[];
  stopReason: "stop" | "length" | "toolUse" | "error" | "aborted";
  /** `provider/id` of the model that gave it. */
  model: string;
  /** Tokens read, cached ones included. */
  inputTokens: number;
  outputTokens: number;
  /** Output tokens the request allowed; null when it named no limit. */
  maxOutputTokens: number | null;
}

/** How one run of the agent loop ended. */
export interface RunOutcome {
  /** The token the run was started with. */
  token: number;
  /** `paused`: it would go on, but the context is over the threshold. */
  status: "completed" | "failed" | "paused" | "aborted";
  /** Milliseconds since the epoch. */
  endedAt: number;
  /** 0 <= random < 1, for jitter. */
  random: number;
  /** Estimate of what the next request would send. */
  contextTokens: number;
  /** The last assistant message of the run; null when there was none. */
  reply: ReplyFacts | null;
  /** Set when `status` is `failed`. */
  failure: Failure | null;
}

/** Why a compaction runs; it decides what follows it. */
export type CompactionPurpose =
  /** A request was refused as too long: compact, then repeat it. */
  | "overflow"
  /** A reply was cut because the window was full: compact, then repeat it. */
  | "length"
  /** A complete answer left the context too large. */
  | "answer"
  /** A run stopped between turns because the context is over the threshold. */
  | "paused"
  /** The context is over the threshold before the prompt's first request. */
  | "prompt"
  /** Asked for by a person. */
  | "manual";

export type CompactionReason = "overflow" | "threshold" | "manual";

export interface CompactionTask {
  purpose: CompactionPurpose;
  reason: CompactionReason;
  /** Entries of the reply that is omitted together with the compaction entry. */
  omit: string[];
}

export interface CompactionOutcome {
  token: number;
  /** `no_progress`: the context would still be too large; nothing was appended then, nor for the others but `done`. */
  status: "done" | "nothing" | "no_progress" | "failed" | "aborted";
  /** Estimate after it. */
  contextTokens: number;
  /** The compaction entry; set when `done`. */
  entryId?: string;
  /** Why it was not done, for people. */
  errorMessage?: string;
  failure?: Failure;
}

/** How a prompt ended. `interrupted`: the process died under it, and the session was opened again. */
export interface SettledOutcome {
  status: "completed" | "failed" | "aborted" | "interrupted";
  /** The answer is cut: its last message ended in `length`. */
  cut: boolean;
  failure: Failure | null;
}

/** What the run-after check decided. */
export interface RunAfterDecision {
  /** Name of the rule that matched. */
  rule: string;
  next: RunAfterNext;
}

export type RunAfterNext =
  | { state: "settled"; outcome: SettledOutcome }
  | { state: "backoff"; delayMs: number; retryAt: number; maxAttempts: number }
  | { state: "compacting"; task: CompactionTask }
  | { state: "running" };

/** What `continue` goes on with after a process died or a session was disposed. */
export type Pending =
  | { kind: "retry"; attempt: number; retryAt: number; failure: Failure }
  /** `failure`: the overflow the compaction is for, if it is for one. */
  | { kind: "compaction"; task: CompactionTask; failure: Failure | null };

export interface SessionContext {
  sessionId: string;
  settings: PolicySettings;
  model: ModelFacts;
  /** Rises with each run, wait and compaction. An answer with another token is late, and dropped. */
  token: number;
  /** Retries in the open streak; 0 when none is open. */
  attempt: number;
  /** When the wait under way ends, in milliseconds since the epoch. */
  retryAt: number | null;
  /** The one compact-and-retry of this user message is spent. */
  overflowRecoveryUsed: boolean;
  /** A compaction did not help: the threshold is not looked at until the next user message. */
  thresholdMuted: boolean;
  contextTokens: number;
  /** Ids of queued messages, first to be delivered first. */
  steering: string[];
  followUp: string[];
  /** The last run's outcome, and what the run-after check decided on it. */
  run: RunOutcome | null;
  decision: RunAfterDecision | null;
  /** The compaction under way. */
  compaction: CompactionTask | null;
  /** Until when an aborted run may take to hand back its partial turn. */
  abortDeadline: number | null;
  pending: Pending | null;
  outcome: SettledOutcome | null;
}

/** A session that was opened again: what its log says of its state. */
export interface RestoredState {
  attempt: number;
  overflowRecoveryUsed: boolean;
  steering: string[];
  followUp: string[];
  pending: Pending | null;
  outcome: SettledOutcome;
}

export interface SessionInput {
  sessionId: string;
  settings: PolicySettings;
  model: ModelFacts;
  restored?: RestoredState;
}

export type SessionMachineEvent =
  /** A user message was appended to the log while at rest. */
  | { type: "PROMPT"; contextTokens: number }
  | { type: "STEER"; id: string; contextTokens: number }
  | { type: "FOLLOW_UP"; id: string; contextTokens: number }
  /** Queued messages were taken back. */
  | { type: "UNQUEUE"; ids: string[] }
  /** The run wrote queued messages to the log. */
  | { type: "DELIVERED"; token: number; ids: string[] }
  /** The run received a message that ended in `stop`, `length` or `toolUse`. */
  | { type: "GOOD_MESSAGE"; token: number }
  /** `at` in milliseconds since the epoch. */
  | { type: "ABORT"; at: number }
  /** As ABORT, but what was pending stays resumable. */
  | { type: "DISPOSE"; at: number }
  | { type: "ABORT_RETRY" }
  /** Go on with what is unfinished; a failed reply at the end of the log has been omitted before. */
  | { type: "CONTINUE"; tail: LogTail; at: number; contextTokens: number }
  | { type: "COMPACT"; contextTokens: number }
  /** The session went to another branch of its log, at rest. */
  | { type: "MOVED"; overflowRecoveryUsed: boolean }
  | { type: "SET_MODEL"; model: ModelFacts }
  | { type: "SET_SETTINGS"; settings: PolicySettings }
  /** The log could not be written outside a run or a compaction. */
  | { type: "LOG_FAILED"; failure: Failure };

/** What the invoked actors answer. */
export type SessionMachineAnswer =
  | { type: "xstate.done.actor.agentRun"; output: RunOutcome }
  | { type: "xstate.done.actor.abortGrace"; output: { token: number } }
  | { type: "xstate.done.actor.retryWait"; output: { token: number } }
  | { type: "xstate.done.actor.compaction"; output: CompactionOutcome }
  | { type: "xstate.error.actor.agentRun"; error: unknown }
  | { type: "xstate.error.actor.compaction"; error: unknown };

/** What the log ends with, as far as CONTINUE is concerned. */
export type LogTail =
  /** A reply that ended in `error` or `aborted`. */
  | "failedReply"
  /** A user message or tool results that no reply follows. */
  | "unanswered"
  /** A complete answer, or nothing. */
  | "answered";

/** Everything the machine says, in order: decisions people may see, and three orders to the controller. */
export type SessionMachineEmitted =
  | { type: "agent_start"; token: number }
  /** `rule`: the rule of the run-after check that decided. */
  | { type: "agent_end"; willRetry: boolean; willContinue: boolean; rule: string }
  | {
      type: "auto_retry_start";
      attempt: number;
      maxAttempts: number;
      delayMs: number;
      retryAt: number;
      errorMessage: string;
      failure: Failure;
    }
  | { type: "auto_retry_end"; success: boolean; attempt: number; finalError?: string }
  | { type: "compaction_start"; reason: CompactionReason }
  | {
      type: "compaction_end";
      reason: CompactionReason;
      aborted: boolean;
      willRetry: boolean;
      entryId?: string;
      errorMessage?: string;
      failure?: Failure;
    }
  | { type: "agent_settled"; aborted: boolean; outcome: SettledOutcome; queued: number }
  /** Order: tell the run to stop. */
  | { type: "abort_run"; token: number }
  /** Order: the grace time is over; nothing the run still does counts, and its open turn is closed. */
  | { type: "cut_run"; token: number }
  /** Order: append edits that leave these entries out of what the model is shown. */
  | { type: "omit_reply"; entryIds: string[] };

export interface RunInput {
  sessionId: string;
  token: number;
}

export interface SleepInput {
  sessionId: string;
  token: number;
  /** Wall-clock time, in milliseconds since the epoch. */
  until: number;
}

export interface CompactionInput {
  sessionId: string;
  token: number;
  task: CompactionTask;
}
