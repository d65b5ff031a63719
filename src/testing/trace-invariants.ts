/** What holds of the events of every session, by name. The number is that of the guarantee it belongs to. */
export const traceInvariants = {
  "run-order": "1: runs do not overlap; turns, messages and tools are inside a run",
  "settles-once": "1: a prompt settles exactly once, and nothing follows that was not started anew",
  "says-what-follows":
    "1: agent_end says truly whether the session goes on, and whether the request is repeated (an abort may still follow)",
  "bounded-retries": "2: retries of a streak are counted one by one, and are no more than maxAttempts",
  "retries-only-retryable": "3: overflow never enters a backoff; what is to be stopped at only where a policy says so",
  "waits-as-demanded": "3: a retry is never earlier than the provider demanded",
  "one-recovery": "4: at most one compact-and-retry for each user message",
  "streak-closed": "6: each streak of retries is closed by exactly one auto_retry_end before the session settles",
  "compaction-paired": "6: each compaction_start has exactly one compaction_end, and there is no end without a start",
  "summary-retry-paired": "6: the retries of a summary request are counted one by one, and finished before its compaction ends",
  "success-is-earned": "6: a streak ends in success only by a good message; an abort is never a success",
  "only-complete-calls-run": "7: only calls of a complete reply are run",
  "calls-answered": "7: every call of a good reply has exactly one result before the turn ends",
  "second-length-ends": "7: a second reply in a row that was cut ends the run",
  "failure-described": "8: a failed reply says how it failed, and so does a failed outcome",
  "message-paired": "9: every message that starts ends, once, and grows only in between",
  "outcome-agrees": "the outcome agrees with the events: aborted with aborted, retries with auto_retry_start",
} as const;

export type TraceInvariant = keyof typeof traceInvariants;

/** Something in a trace that must not be. */
export interface Violation {
  invariant: TraceInvariant;
  /** What was found. */
  message: string;
  /** Index of the event it was found at. */
  index: number;
}
