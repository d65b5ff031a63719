import { compactionThreshold } from "../../machines/window.ts";
import type { SessionContext } from "../../machines/types.ts";
import type { SessionFacts, StateValue } from "./view/records.ts";

/** A state value as a path: `running.live`. */
export function stateName(value: StateValue): string {
  if (typeof value === "string") return value;
  const [entry] = Object.entries(value);
  return entry?.[1] === undefined ? "" : `${entry[0]}.${stateName(entry[1])}`;
}

/** What people and the replay look at; small, whatever the length of the session. */
export function sessionFacts(value: StateValue, context: SessionContext): SessionFacts {
  const { settings, model, run } = context;
  const policy = run?.failure ? settings.retry.policies[run.failure.kind] : undefined;
  return {
    state: stateName(value),
    attempt: context.attempt,
    maxAttempts: policy?.maxRetries ?? settings.retry.maxRetries,
    retryAt: context.retryAt,
    contextTokens: context.contextTokens,
    contextWindow: model.contextWindow,
    threshold: compactionThreshold(model.contextWindow ?? undefined, settings.compaction.reserveTokens) ?? null,
    model: model.key,
    steering: context.steering,
    followUp: context.followUp,
    overflowRecoveryUsed: context.overflowRecoveryUsed,
    thresholdMuted: context.thresholdMuted,
    outcome: context.outcome,
  };
}
