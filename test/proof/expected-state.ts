import { workOf, type ReferenceState } from "../../src/testing/index.ts";

/** What has to be seen of a real session in a state of the reference, in the words of `RealSession`. */
export function expectedState(state: ReferenceState, settled: boolean): string {
  const { policy } = state;
  const { phase, attempt, waitMs, steering, followUp, outcome, recoveryUsed, muted, pending } = policy;
  const { requests, tools, compactions, waits } = workOf(state);
  return JSON.stringify({
    state: phase === "rest" ? (outcome === null ? "idle" : "settled") : phase,
    attempt,
    wait: phase === "backoff" ? waitMs : null,
    steering: steering.length,
    followUp: followUp.length,
    outcome: outcome && [outcome.status, outcome.cut],
    recoveryUsed,
    muted,
    pending: pending?.kind ?? null,
    requests,
    tools,
    compactions,
    timers: settled ? waits.length : null,
    showsFailedReply: false,
  });
}
