import type { SessionMachineEmitted } from "../../machines/types.ts";
import type { CompactionFor, PolicyState, ReferenceEvent, ReferencePending } from "../../src/testing/index.ts";
import { settingsOf, type MachineSnapshot } from "./machine-events.ts";

/** The statechart's state in the words of the reference. */
export function policyOf(snapshot: MachineSnapshot): PolicyState {
  const { context } = snapshot;
  const { run, compaction, pending, outcome } = context;
  return {
    phase: phaseOf(snapshot),
    settings: settingsOf(context.settings),
    model: context.model.key,
    window: context.model.contextWindow,
    attempt: context.attempt,
    waitMs: snapshot.matches("backoff") ? context.retryAt : null,
    failureKind: snapshot.matches("backoff") ? (run?.failure?.kind ?? null) : null,
    recoveryUsed: context.overflowRecoveryUsed,
    muted: context.thresholdMuted,
    steering: context.steering,
    followUp: context.followUp,
    lastCut: run?.reply?.stopReason === "length",
    compactingFor: compaction && purposeOf(compaction),
    pending: pendingOf(pending),
    outcome: outcome && { status: outcome.status, cut: outcome.cut },
  };
}

/** The part of a state that can still matter: two states alike in it are one. */
export function relevant(policy: PolicyState): string {
  const { phase, compactingFor, lastCut, failureKind, waitMs } = policy;
  return JSON.stringify({
    ...policy,
    // It is only carried along until the session rests again.
    outcome: phase === "rest" || (phase === "compacting" && compactingFor === "manual") ? policy.outcome : null,
    compactingFor: phase === "compacting" ? compactingFor : null,
    lastCut: phase === "compacting" && (compactingFor === "answer" || compactingFor === "fullAnswer") ? lastCut : null,
    failureKind: phase === "backoff" ? failureKind : null,
    waitMs: phase === "backoff" ? waitMs : null,
  });
}

function phaseOf(snapshot: MachineSnapshot): PolicyState["phase"] {
  if (snapshot.matches({ running: "aborting" })) return "aborting";
  if (snapshot.matches("running")) return "running";
  if (snapshot.matches("backoff")) return "backoff";
  return snapshot.matches("compacting") ? "compacting" : "rest";
}

function purposeOf({ purpose, reason }: { purpose: Exclude<CompactionFor, "fullAnswer">; reason: string }): CompactionFor {
  return purpose === "answer" && reason === "overflow" ? "fullAnswer" : purpose;
}

function pendingOf(pending: MachineSnapshot["context"]["pending"]): ReferencePending | null {
  if (pending === null) return null;
  if (pending.kind === "compaction") return { kind: "compaction", purpose: purposeOf(pending.task) };
  return { kind: "retry", attempt: pending.attempt, waitMs: pending.retryAt, failureKind: pending.failure.kind };
}

/** What the statechart says, in the words of the reference; undefined for its orders to the controller. */
export function emittedEvent(emitted: SessionMachineEmitted): ReferenceEvent | undefined {
  switch (emitted.type) {
    case "agent_start":
      return { type: "agent_start" };
    case "agent_end":
      return { type: "agent_end", willRetry: emitted.willRetry, willContinue: emitted.willContinue };
    case "auto_retry_start":
      return { type: "auto_retry_start", attempt: emitted.attempt, maxAttempts: emitted.maxAttempts, delayMs: emitted.delayMs };
    case "auto_retry_end":
      return { type: "auto_retry_end", success: emitted.success, attempt: emitted.attempt };
    case "compaction_start":
      return { type: "compaction_start", reason: emitted.reason };
    case "compaction_end":
      return { type: "compaction_end", reason: emitted.reason, aborted: emitted.aborted, willRetry: emitted.willRetry };
    case "agent_settled": {
      const { aborted, outcome, queued } = emitted;
      return {
        type: "agent_settled",
        aborted,
        status: outcome.status === "interrupted" ? "aborted" : outcome.status,
        cut: outcome.cut,
        queued,
      };
    }
    default:
      return undefined;
  }
}
