import { policyStep } from "./policy.ts";
import { overThreshold, recoverableLength } from "./run-after.ts";
import { restoredState } from "./restored.ts";
import type { PolicyInput, ReferenceEvent, ReferenceFailure, ReferenceReply, RunEnded } from "./types.ts";
import type { QueuedItem, ReferenceAnswer, ReferenceState, ReferenceStep, Stimulus } from "./world.ts";

/** Tokens of a context with something big in it, and of one without. */
export const BIG_TOKENS = 950;
const SMALL_TOKENS = 10;
/** Output tokens the models of the reference may give. */
export const MAX_OUTPUT_TOKENS = 100;
/** What chance gives in the reference's world, for jitter: give a session `random: () => CHANCE`. */
export const CHANCE = 0.5;
/** Milliseconds an aborted run may take. */
export const GRACE_MS = 500;

/** What a session makes of one stimulus. Changes nothing it is given. */
export function sessionStep(before: ReferenceState, stimulus: Stimulus): ReferenceStep {
  const step = new SessionStep(before);
  step.take(stimulus);
  const { state, events, accepted, answers, inputs } = step;
  return { state, events, accepted, answers, inputs };
}

class SessionStep {
  state: ReferenceState;
  readonly events: ReferenceEvent[] = [];
  readonly answers: string[] = [];
  readonly inputs: PolicyInput[] = [];
  accepted = true;
  /** The reply under way had content. */
  #partial = false;
  /** A run that starts does nothing in the tick it starts in. */
  #sameTick = false;

  constructor(before: ReferenceState) {
    this.state = { ...before };
  }

  take(stimulus: Stimulus): void {
    const { state } = this;
    const { phase } = state.policy;
    const atRest = phase === "rest";
    if (state.disposed && REFUSED_ONCE_DISPOSED.has(stimulus.type)) return this.#refuse();
    switch (stimulus.type) {
      case "prompt":
        if (atRest) return this.#prompt(stimulus.big === true);
        return stimulus.as === undefined ? this.#refuse() : this.#enqueue(stimulus.as, stimulus.big === true, true);
      case "promptThenAbort":
        if (!atRest) return this.#refuse();
        this.#sameTick = true;
        this.#prompt(false);
        this.#policy({ type: "abort" });
        if (state.policy.phase === "aborting") this.#endRun({ status: "aborted" });
        return;
      case "steer":
      case "followUp":
        return this.#enqueue(stimulus.type, stimulus.big === true, false);
      case "clearQueue":
        return this.#clearQueue();
      case "abort":
      case "abortRetry":
        return this.#policy({ type: stimulus.type });
      case "dispose":
        state.disposed = true;
        this.#policy({ type: "dispose" });
        // A request obeys the order to stop at once; a tool may take its time.
        if (state.policy.phase === "aborting" && state.doing === "request") this.#handBack();
        return;
      case "compact":
        if (!atRest) return this.#refuse();
        state.compactAwaited = true;
        return this.#policy({ type: "compact" });
      case "continue":
        return this.#continue();
      case "setModel":
        state.model = stimulus.model;
        return this.#policy({ type: "setModel", model: stimulus.model.name, window: stimulus.model.window });
      case "setSettings":
        return this.#policy({ type: "setSettings", settings: { ...state.policy.settings, ...stimulus.settings } });
      case "reopen":
        this.state = restoredState(state);
        return;
      case "reply":
        return this.#reply(stimulus.answer);
      case "toolEnds":
        return this.#toolEnds(stimulus.big === true);
      case "handBack":
        return this.#handBack();
      case "compacted":
        if (stimulus.status === "done") Object.assign(state, { big: false, overflowOpen: false });
        return this.#policy({ type: "compacted", status: stimulus.status });
      case "timePasses":
        return phase === "backoff" ? this.#waitIsOver() : this.#graceOver();
      case "lateTool":
        state.lateTools--;
        return this.#policy({ type: "stale" });
      case "lateCompaction":
        state.lateCompactions--;
        return this.#policy({ type: "stale" });
    }
  }

  #waitIsOver(): void {
    const { state } = this;
    // The record of the wait stays in the log until a message follows it; what is left of it is nothing.
    if (state.retryRecord) state.retryRecord = { ...state.retryRecord, waitMs: 0 };
    this.#policy({ type: "woken" });
  }

  #refuse(): void {
    this.accepted = false;
  }

  #emit(...events: ReferenceEvent[]): void {
    this.events.push(...events);
  }

  /** Hands an input to the policy, and does what it leads to. */
  #policy(input: PolicyInput): void {
    const { state } = this;
    const before = state.policy;
    this.inputs.push(input);
    const step = policyStep(before, input);
    state.policy = step.state;
    this.#emit(...step.events);
    if (step.omitsReply) this.#omitReply(step.state.phase === "backoff");
    if (step.state.phase === "backoff" && before.phase !== "backoff" && input.type !== "continue") this.#recordRetry();
    if (before.phase === "compacting" && step.state.phase !== "compacting") {
      if (input.type === "abort" || input.type === "dispose") state.lateCompactions++;
      if (before.compactingFor === "manual") this.#answerCompact(input.type === "compacted" && input.status === "done");
      const aborted =
        input.type === "abort" || input.type === "dispose" || (input.type === "compacted" && input.status === "aborted");
      // It rests without settling: what waits in a queue waits for whatever comes next.
      if (before.compactingFor === "manual" && aborted) this.#answerQueued();
    }
    if (step.events.some(({ type }) => type === "agent_settled")) this.#settled(step.state.outcome?.status ?? "");
    if (step.events.some(({ type }) => type === "agent_start")) this.#runStarts();
  }

  #answerCompact(done: boolean): void {
    if (this.state.compactAwaited) this.answers.push(done ? "compacted" : "not compacted");
    this.state.compactAwaited = false;
  }

  #settled(status: string): void {
    const { state } = this;
    for (let prompt = 0; prompt < state.open; prompt++) this.answers.push(status);
    state.open = 0;
    this.#answerQueued();
    if (state.policy.pending === null) state.retryRecord = null;
  }

  #answerQueued(): void {
    const { state } = this;
    const queued: Record<string, QueuedItem> = {};
    for (const [id, item] of Object.entries(state.queued)) {
      if (item.awaited) this.answers.push("queued");
      queued[id] = { ...item, awaited: false };
    }
    state.queued = queued;
  }

  #recordRetry(): void {
    const { attempt, waitMs, failureKind } = this.state.policy;
    this.state.retryRecord = { attempt, waitMs: waitMs ?? 0, failureKind: failureKind ?? "" };
  }

  #omitReply(forRetry: boolean): void {
    const { state } = this;
    state.tailOmitted = true;
    state.overflowOpen = false;
    if (forRetry) this.#emit({ type: "entry_appended" });
    if (forRetry && this.#partial) this.#emit({ type: "partial_discarded" });
  }

  /** A message goes into the log. */
  #append(tail: ReferenceState["tail"]): void {
    Object.assign(this.state, { tail, tailCut: false, tailOmitted: false, overflowOpen: false, retryRecord: null });
  }

  #tokens(next: readonly string[] = []): number {
    const { big, queued } = this.state;
    return big || next.some((id) => queued[id]?.big === true) ? BIG_TOKENS : SMALL_TOKENS;
  }

  #prompt(big: boolean): void {
    const { state } = this;
    this.#append("user");
    state.big ||= big;
    state.unannounced++;
    state.open++;
    this.#policy({ type: "prompt", tokens: this.#tokens() });
  }

  #enqueue(type: "steer" | "followUp", big: boolean, awaited: boolean): void {
    const { state } = this;
    const id = `queued-${++state.nextId}`;
    state.queued = { ...state.queued, [id]: { big, awaited } };
    const later = this.events.length;
    const { phase } = state.policy;
    this.inputs.push({ type, id, tokens: this.#tokens([id]) });
    const step = policyStep(state.policy, { type, id, tokens: this.#tokens([id]) });
    state.policy = step.state;
    this.#emit(...step.events);
    this.#announceQueue();
    if (phase === "rest" && later < this.events.length && step.state.phase === "running") this.#runStarts();
  }

  #announceQueue(): void {
    const { steering, followUp } = this.state.policy;
    this.#emit({ type: "queue_update", steering: steering.length, followUp: followUp.length });
  }

  #clearQueue(): void {
    const { state } = this;
    const ids = Object.keys(state.queued);
    if (ids.length === 0) return;
    this.#policy({ type: "unqueue", ids });
    for (const { awaited } of Object.values(state.queued)) if (awaited) this.answers.push("aborted");
    state.queued = {};
    this.#announceQueue();
  }

  #continue(): void {
    const { state } = this;
    const unanswered = state.tail === "user" || state.tail === "toolResult" || (state.tail === "answer" && state.tailOmitted);
    const failed = state.tail === "failed" || state.tail === "aborted";
    const input = { type: "continue", tail: failed ? "failedReply" : unanswered ? "unanswered" : "answered" } as const;
    if (!policyStep(state.policy, input).accepted) {
      this.inputs.push(input);
      return this.#refuse();
    }
    state.open++;
    if (failed && !state.tailOmitted && state.policy.pending === null) {
      this.#emit({ type: "entry_appended" });
      state.tailOmitted = true;
      state.overflowOpen = false;
    }
    this.#policy(input);
  }

  // The agent loop.

  #runStarts(): void {
    const { state } = this;
    Object.assign(state, { lengthStops: 0, lastReply: null });
    if (this.#sameTick) return;
    const needsReply = state.tail !== "none" && (state.tail !== "answer" || state.tailOmitted);
    this.#turn(needsReply);
  }

  #turn(replyWanted: boolean): void {
    const { state } = this;
    const { policy } = state;
    // A prompt goes to the model alone; steering comes before follow-ups, and these wait until nothing else asks for a reply.
    const steering = state.unannounced > 0 ? [] : this.#deliverable(policy.steering);
    const next = state.unannounced > 0 || steering.length > 0 || replyWanted ? steering : this.#deliverable(policy.followUp);
    if (!replyWanted && next.length === 0) return this.#endRun({ status: "completed" });
    if (policy.settings.compaction && !policy.muted && overThreshold(policy, this.#tokens(next)))
      return this.#endRun({ status: "paused" });

    this.#emit({ type: "turn_start" });
    for (; state.unannounced > 0; state.unannounced--) this.#emit({ type: "message_end", role: "user" });
    if (next.length > 0) this.#deliver(next);
    state.doing = "request";
    state.asked = state.model.name;
  }

  #deliverable(ids: readonly string[]): readonly string[] {
    return this.state.policy.settings.queueMode === "all" ? ids : ids.slice(0, 1);
  }

  #deliver(ids: readonly string[]): void {
    const { state } = this;
    const queued = { ...state.queued };
    for (const id of ids) {
      const item = queued[id];
      delete queued[id];
      if (item?.awaited === true) state.open++;
      state.big ||= item?.big === true;
    }
    state.queued = queued;
    this.#append("user");
    this.#policy({ type: "delivered", ids });
    this.#announceQueue();
    for (const _ of ids) this.#emit({ type: "message_end", role: "user" });
  }

  #reply(answer: ReferenceAnswer): void {
    const { state } = this;
    const { stopReason, failure = null } = answer;
    const reply: ReferenceReply = {
      stopReason,
      model: state.asked,
      inputTokens: answer.inputTokens ?? 0,
      outputTokens: answer.outputTokens ?? 0,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
    };
    state.lastReply = reply;
    state.doing = "nothing";
    this.#append(stopReason === "error" ? "failed" : "answer");
    this.#emit({ type: "message_end", role: "assistant", stopReason });
    this.#partial = answer.partial === true;
    if (stopReason === "error") {
      state.overflowOpen = failure?.action === "compact";
      this.#emit({ type: "turn_end" });
      return this.#endRun({ status: "failed", failure });
    }
    state.tailCut = stopReason === "length";
    state.big ||= answer.big === true;
    this.#policy({ type: "goodMessage" });
    if (stopReason === "length") return this.#cutReply(reply, answer.callsTool === true);
    state.lengthStops = 0;
    if (answer.callsTool === true) {
      state.doing = "tool";
      return this.#emit({ type: "tool_execution_start" });
    }
    this.#emit({ type: "turn_end" });
    this.#turn(false);
  }

  /** The calls of a cut reply are never run: each gets a result that says so. */
  #cutReply(reply: ReferenceReply, callsTool: boolean): void {
    const { state } = this;
    if (callsTool) {
      this.#append("toolResult");
      this.#emit({ type: "message_end", role: "toolResult" });
    }
    this.#emit({ type: "turn_end" });
    state.lengthStops++;
    const { policy } = state;
    if (state.lengthStops > 1 || (policy.settings.compaction && recoverableLength(policy, reply)))
      return this.#endRun({ status: "completed" });
    this.#turn(callsTool);
  }

  #toolEnds(big: boolean): void {
    const { state } = this;
    const aborting = state.policy.phase === "aborting";
    this.#closeCall();
    if (aborting) return this.#endRun({ status: "aborted" });
    state.big ||= big;
    this.#turn(true);
  }

  #closeCall(): void {
    this.state.doing = "nothing";
    this.#append("toolResult");
    this.#emit({ type: "tool_execution_end" }, { type: "message_end", role: "toolResult" }, { type: "turn_end" });
  }

  #handBack(): void {
    const { state } = this;
    state.doing = "nothing";
    this.#append("aborted");
    this.#emit({ type: "message_end", role: "assistant", stopReason: "aborted" }, { type: "turn_end" });
    this.#endRun({ status: "aborted" });
  }

  #graceOver(): void {
    this.#closeCall();
    this.state.lateTools++;
    this.#policy({ type: "graceOver" });
  }

  #endRun({ status, failure = null }: { status: RunEnded["status"]; failure?: ReferenceFailure | null }): void {
    const { state } = this;
    const { steering, followUp } = state.policy;
    const tokens = this.#tokens([...steering, ...followUp].slice(0, 1));
    this.#policy({ type: "runEnded", status, reply: state.lastReply, failure, tokens, random: CHANCE });
  }
}

const REFUSED_ONCE_DISPOSED = new Set<Stimulus["type"]>([
  "prompt",
  "promptThenAbort",
  "steer",
  "followUp",
  "compact",
  "continue",
  "setModel",
]);
