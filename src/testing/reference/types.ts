/**
 * The words of the reference model: what a session does, told from its design alone, in plain data. Nothing here is shared with
 * the statechart or the controller; that is what makes a comparison of the two worth something.
 */

/** How a reply or a request failed, as far as policy looks at it. */
export interface ReferenceFailure {
  action: "retry" | "compact" | "stop";
  kind: string;
  /** A demanded wait, in milliseconds. */
  retryAfterMs?: number;
  /** The window an overflow error names, in tokens. */
  contextWindow?: number;
}

/** The last assistant message of a run. */
export interface ReferenceReply {
  stopReason: "stop" | "length" | "toolUse" | "error" | "aborted";
  /** Name of the model that gave it. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** Output tokens that were allowed; null for no limit. */
  maxOutputTokens: number | null;
}

export interface ReferenceSettings {
  retry: boolean;
  maxRetries: number;
  baseDelayMs: number;
  maxAgentDelayMs: number;
  jitter: number;
  /** A demanded wait above the cap is waited for up to this, in milliseconds. */
  waitUpToMs: number;
  policies: {
    readonly [kind: string]:
      | { action?: "retry" | "stop"; maxRetries?: number; baseDelayMs?: number; maxAgentDelayMs?: number }
      | undefined;
  };
  compaction: boolean;
  reserveTokens: number;
  queueMode: "one-at-a-time" | "all";
}

/** `fullAnswer`: a complete answer that read more than the window holds; `answer`: one that left the context over the threshold. */
export type CompactionFor = "overflow" | "length" | "fullAnswer" | "answer" | "paused" | "prompt" | "manual";

export type ReferenceOutcome = { status: "completed" | "failed" | "aborted" | "interrupted"; cut: boolean };

export type ReferencePending =
  | { kind: "retry"; attempt: number; waitMs: number; failureKind: string }
  | { kind: "compaction"; purpose: CompactionFor };

/** What decides: everything the run-after check, the exits and the guards look at. */
export interface PolicyState {
  phase: "rest" | "running" | "aborting" | "backoff" | "compacting";
  settings: ReferenceSettings;
  model: string;
  /** Tokens; null while unknown. */
  window: number | null;
  attempt: number;
  /** Milliseconds the wait under way takes; null outside one. */
  waitMs: number | null;
  /** Kind of the failure that is being retried. */
  failureKind: string | null;
  recoveryUsed: boolean;
  muted: boolean;
  steering: readonly string[];
  followUp: readonly string[];
  /** The last run ended in a reply that was cut. */
  lastCut: boolean;
  compactingFor: CompactionFor | null;
  pending: ReferencePending | null;
  outcome: ReferenceOutcome | null;
}

/** How a run ended. */
export interface RunEnded {
  type: "runEnded";
  status: "completed" | "failed" | "paused" | "aborted";
  reply: ReferenceReply | null;
  failure: ReferenceFailure | null;
  /** Tokens of the next request, with the message that would be delivered next. */
  tokens: number;
  /** For jitter, from 0 to 1. */
  random: number;
}

/** What reaches the policy: wishes of people, and answers of what it had started. */
export type PolicyInput =
  | { type: "prompt"; tokens: number }
  | { type: "steer" | "followUp"; id: string; tokens: number }
  | { type: "unqueue"; ids: readonly string[] }
  | { type: "setModel"; model: string; window: number | null }
  | { type: "setSettings"; settings: ReferenceSettings }
  | { type: "abort" | "dispose" | "abortRetry" | "compact" }
  /** `tail`: what the log ends with. */
  | { type: "continue"; tail: "failedReply" | "unanswered" | "answered" }
  | { type: "logFailed" }
  /** To another branch of the log. */
  | { type: "moved"; recoveryUsed: boolean }
  /** From the run under way. */
  | { type: "delivered"; ids: readonly string[] }
  | { type: "goodMessage" }
  | RunEnded
  | { type: "graceOver" }
  | { type: "woken" }
  | { type: "compacted"; status: "done" | "failed" | "nothing" | "no_progress" | "aborted" | "log" }
  /** An answer of a run, wait or compaction that is over. */
  | { type: "stale" };

/** Events a session has to tell of, in this order; fields that policy decides. */
export type ReferenceEvent =
  | { type: "agent_start" }
  | { type: "agent_end"; willRetry: boolean; willContinue: boolean }
  | { type: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number }
  | { type: "auto_retry_end"; success: boolean; attempt: number }
  | { type: "compaction_start"; reason: "overflow" | "threshold" | "manual" }
  | { type: "compaction_end"; reason: "overflow" | "threshold" | "manual"; aborted: boolean; willRetry: boolean }
  | { type: "agent_settled"; aborted: boolean; status: "completed" | "failed" | "aborted"; cut: boolean; queued: number }
  | { type: "turn_start" | "turn_end" | "tool_execution_start" | "tool_execution_end" | "entry_appended" | "partial_discarded" }
  | { type: "message_end"; role: "user" | "assistant" | "toolResult"; stopReason?: ReferenceReply["stopReason"] }
  | { type: "queue_update"; steering: number; followUp: number };

/** What a step of the policy leads to. */
export interface PolicyStep {
  state: PolicyState;
  events: ReferenceEvent[];
  /** False: the session refuses it, and nothing has changed. */
  accepted: boolean;
  /** A failed or cut reply is left out of what the model is shown from now on. */
  omitsReply: boolean;
}
