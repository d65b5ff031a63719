import type { SettledOutcome } from "../../machines/types.ts";
import type { SessionParts } from "./session-parts.ts";

/** A session's state, as plain data. */
export interface SessionState {
  /** Name of the statechart's state. */
  state: "idle" | "running" | "aborting" | "backoff" | "compacting" | "settled";
  /** Something is under way. */
  busy: boolean;
  /** The retry that is waited for or under way, from 1; 0 outside a streak. */
  attempt: number;
  maxAttempts: number;
  /** When the wait under way ends, in milliseconds since the epoch. */
  retryAt: number | null;
  /** Ids of queued messages. */
  steering: readonly string[];
  followUp: readonly string[];
  /** Estimated tokens of the context. */
  contextTokens: number;
  contextWindow: number | null;
  model: string;
  /** How the last prompt ended. */
  outcome: SettledOutcome | null;
}

type Snapshot = ReturnType<SessionParts["actor"]["getSnapshot"]>;

const states = new WeakMap<Snapshot, SessionState>();

/** The state of a snapshot and a context of this size: the same object until one of the two changes. */
export function stateOf(snapshot: Snapshot, contextTokens: number): SessionState {
  let state = states.get(snapshot);
  if (state?.contextTokens !== contextTokens) {
    const { context, value } = snapshot;
    const name = typeof value === "string" ? value : value.running === "aborting" ? "aborting" : "running";
    state = Object.freeze({
      state: name === "deciding" ? "running" : name,
      busy: isBusy(snapshot),
      attempt: context.attempt,
      maxAttempts: context.settings.retry.maxRetries,
      retryAt: context.retryAt,
      steering: context.steering,
      followUp: context.followUp,
      contextTokens,
      contextWindow: context.model.contextWindow,
      model: context.model.key,
      outcome: context.outcome,
    });
    states.set(snapshot, state);
  }
  return state;
}

export function isBusy({ status, value }: Snapshot): boolean {
  return status === "active" && value !== "idle" && value !== "settled";
}
