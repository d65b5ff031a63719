import type { ReferenceOutcome, ReferencePending } from "./types.ts";
import type { QueuedItem, ReferenceModel, ReferenceState } from "./world.ts";
import type { ReferenceSettings } from "./types.ts";

export interface InitialState {
  model: ReferenceModel;
  settings: ReferenceSettings;
  /** The session is opened on a log with one answered prompt; `big`: which fills the context over the threshold. */
  history?: "small" | "big";
}

/** A session before anything happened to it. */
export function initialState({ model, settings, history }: InitialState): ReferenceState {
  return {
    policy: {
      phase: "rest",
      settings,
      model: model.name,
      window: model.window,
      attempt: 0,
      waitMs: null,
      failureKind: null,
      recoveryUsed: false,
      muted: false,
      steering: [],
      followUp: [],
      lastCut: false,
      compactingFor: null,
      pending: null,
      outcome: history === undefined ? null : { status: "completed", cut: false },
    },
    disposed: false,
    doing: "nothing",
    model,
    asked: model.name,
    tail: history === undefined ? "none" : "answer",
    tailCut: false,
    tailOmitted: false,
    overflowOpen: false,
    big: history === "big",
    unannounced: 0,
    lengthStops: 0,
    lastReply: null,
    queued: {},
    nextId: 0,
    open: 0,
    compactAwaited: false,
    retryRecord: null,
    lateTools: 0,
    lateCompactions: 0,
  };
}

/** The session opened again from its log: what was durable is there, what was under way is closed truthfully and waits. */
export function restoredState(before: ReferenceState): ReferenceState {
  const { policy, retryRecord } = before;
  const fresh = initialState({ model: before.model, settings: policy.settings });
  const callOpen = before.doing === "tool";
  const pending: ReferencePending | null = retryRecord
    ? { kind: "retry", ...retryRecord }
    : before.overflowOpen && !policy.recoveryUsed
      ? { kind: "compaction", purpose: "overflow" }
      : null;
  const queued: Record<string, QueuedItem> = {};
  for (const [id, item] of Object.entries(before.queued)) queued[id] = { ...item, awaited: false };
  return {
    ...fresh,
    tail: callOpen ? "toolResult" : before.tail,
    tailCut: before.tailCut && !callOpen,
    tailOmitted: before.tailOmitted,
    overflowOpen: before.overflowOpen,
    big: before.big,
    queued,
    nextId: before.nextId,
    retryRecord,
    policy: {
      ...fresh.policy,
      recoveryUsed: policy.recoveryUsed,
      steering: policy.steering,
      followUp: policy.followUp,
      pending,
      outcome: outcomeOf(before, callOpen, pending),
    },
  };
}

/** Null for a log without entries: nothing has happened yet. */
function outcomeOf(
  { tail, tailCut, tailOmitted, policy }: ReferenceState,
  callOpen: boolean,
  pending: ReferencePending | null,
): ReferenceOutcome | null {
  const interrupted =
    callOpen || pending !== null || tail === "user" || tail === "toolResult" || (tail === "answer" && tailOmitted);
  if (interrupted) return { status: "interrupted", cut: false };
  if (tail === "failed") return { status: "failed", cut: false };
  if (tail === "aborted") return { status: "aborted", cut: false };
  if (tail === "answer") return { status: "completed", cut: tailCut };
  return policy.outcome === null && policy.steering.length + policy.followUp.length === 0
    ? null
    : { status: "completed", cut: false };
}
