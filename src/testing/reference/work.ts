import { GRACE_MS } from "./session.ts";
import type { Scope } from "./stimuli.ts";
import type { ReferenceState, ReferenceWork } from "./world.ts";

/** What is at work in a state; nothing else may be. */
export function workOf({ policy, doing }: ReferenceState): ReferenceWork {
  const waits: number[] = [];
  if (policy.phase === "backoff") waits.push(policy.waitMs ?? 0);
  if (policy.phase === "aborting") waits.push(GRACE_MS);
  return {
    requests: doing === "request" && policy.phase === "running" ? 1 : 0,
    tools: doing === "tool" ? 1 : 0,
    compactions: policy.phase === "compacting" ? 1 : 0,
    waits,
  };
}

/** Names a state by what can still matter within the scope: ids are replaced by their place, and what no step looks at is left out. */
export function stateKey(state: ReferenceState, scope: Scope): string {
  const {
    policy,
    queued,
    model,
    disposed,
    doing,
    tail,
    big,
    unannounced,
    tailOmitted,
    open,
    compactAwaited,
    asked,
    lengthStops,
  } = state;
  const { phase, attempt, waitMs, recoveryUsed, muted, compactingFor, settings, window } = policy;
  const place = (ids: readonly string[]): unknown[] => ids.map((id) => queued[id]);
  const inRun = phase === "running" || phase === "aborting";
  return JSON.stringify([
    [
      phase,
      doing,
      disposed,
      attempt,
      waitMs,
      recoveryUsed,
      muted,
      compactingFor,
      window,
      model.name,
      settings.retry,
      settings.compaction,
    ],
    [tail, tailOmitted, big, unannounced, open, compactAwaited, place(policy.steering), place(policy.followUp)],
    inRun ? [asked === policy.model, lengthStops] : null,
    compactingFor === "answer" ? policy.lastCut : null,
    phase === "rest" || compactingFor === "manual" ? policy.outcome : null,
    scope.reopen === true ? [policy.pending, state.overflowOpen, state.tailCut, state.retryRecord] : null,
    scope.late === undefined ? null : [state.lateTools, state.lateCompactions],
  ]);
}
