import { afterRun, overThreshold } from "./run-after.ts";
import type { CompactionFor, PolicyInput, PolicyState, PolicyStep, ReferenceEvent, ReferenceOutcome, RunEnded } from "./types.ts";

/** What policy makes of one input: the next state, and what is told of it, in order. Changes nothing it is given. */
export function policyStep(before: PolicyState, input: PolicyInput): PolicyStep {
  const step = new Step(before);
  step.take(input);
  return { state: step.state, events: step.events, accepted: step.accepted, omitsReply: step.omitsReply };
}

const reasonOf = (purpose: CompactionFor): "overflow" | "threshold" | "manual" => {
  if (purpose === "manual") return "manual";
  return purpose === "overflow" || purpose === "length" || purpose === "fullAnswer" ? "overflow" : "threshold";
};

/** These omit a reply and repeat its request. */
const recovers = (purpose: CompactionFor): boolean => purpose === "overflow" || purpose === "length";

class Step {
  readonly state: PolicyState;
  readonly events: ReferenceEvent[] = [];
  accepted = true;
  omitsReply = false;

  constructor(before: PolicyState) {
    this.state = { ...before };
  }

  take(input: PolicyInput): void {
    const { state } = this;
    switch (input.type) {
      case "setModel":
        state.model = input.model;
        state.window = input.window;
        return;
      case "setSettings":
        state.settings = input.settings;
        // Turning retry off under a wait is giving the retry up.
        if (state.phase === "backoff" && !input.settings.retry) this.#giveUpRetry({ status: "failed", cut: false });
        return;
      case "steer":
        state.steering = [...state.steering, input.id];
        if (state.phase === "rest") this.#beginAtRest(input.tokens);
        return;
      case "followUp":
        state.followUp = [...state.followUp, input.id];
        if (state.phase === "rest") this.#beginAtRest(input.tokens);
        return;
      case "unqueue":
        this.#unqueue(input.ids);
        return;
      case "prompt":
        if (state.phase !== "rest") return this.#refuse();
        Object.assign(state, { attempt: 0, recoveryUsed: false, muted: false });
        return this.#beginAtRest(input.tokens);
      case "compact":
        return state.phase === "rest" ? this.#compact("manual") : this.#refuse();
      case "continue":
        return state.phase === "rest" ? this.#continue(input.tail) : this.#refuse();
      case "abort":
        return this.#abort(false);
      case "dispose":
        return this.#abort(true);
      case "abortRetry":
        if (state.phase === "backoff") this.#giveUpRetry({ status: "failed", cut: false });
        return;
      case "delivered":
        this.#unqueue(input.ids);
        Object.assign(state, { recoveryUsed: false, muted: false });
        return;
      case "goodMessage":
        if (state.phase === "running") this.#closeStreak(true);
        return;
      case "runEnded":
        return this.#runEnded(state.phase === "aborting" ? { ...input, status: "aborted" } : input);
      case "graceOver":
        return this.#runEnded({ type: "runEnded", status: "aborted", reply: null, failure: null, tokens: 0, random: 0 });
      case "woken":
        return this.#run();
      case "compacted":
        return this.#compacted(input.status);
      case "logFailed":
        if (state.phase === "backoff") this.#closeStreak(false);
        if (state.phase === "backoff" || state.phase === "rest") this.#settle({ status: "failed", cut: false });
        return;
      case "moved":
        if (state.phase === "rest") Object.assign(state, { pending: null, muted: false, recoveryUsed: input.recoveryUsed });
        return;
      case "stale":
        return;
    }
  }

  #refuse(): void {
    this.accepted = false;
  }

  #run(): void {
    Object.assign(this.state, { phase: "running", waitMs: null, pending: null, compactingFor: null });
    this.events.push({ type: "agent_start" });
  }

  /** A message came at rest. It is the next user message: what was pending, and what was muted, is over. */
  #beginAtRest(tokens: number): void {
    const { state } = this;
    state.pending = null;
    if (state.settings.compaction && overThreshold(state, tokens)) this.#compact("prompt");
    else this.#run();
  }

  #unqueue(ids: readonly string[]): void {
    this.state.steering = this.state.steering.filter((id) => !ids.includes(id));
    this.state.followUp = this.state.followUp.filter((id) => !ids.includes(id));
  }

  #continue(tail: "failedReply" | "unanswered" | "answered"): void {
    const { state } = this;
    if (state.pending?.kind === "retry") {
      const { attempt, waitMs, failureKind } = state.pending;
      Object.assign(state, { phase: "backoff", attempt, waitMs, failureKind, pending: null });
      const maxAttempts = state.settings.policies[failureKind]?.maxRetries ?? state.settings.maxRetries;
      this.events.push({ type: "auto_retry_start", attempt, maxAttempts, delayMs: waitMs });
    } else if (state.pending?.kind === "compaction") {
      const { purpose } = state.pending;
      state.pending = null;
      this.#compact(purpose);
    } else if (tail !== "answered" || state.steering.length + state.followUp.length > 0) {
      this.#run();
    } else {
      this.#refuse();
    }
  }

  #abort(keepPending: boolean): void {
    const { state } = this;
    if (state.phase === "running") {
      state.phase = "aborting";
    } else if (state.phase === "backoff") {
      if (keepPending) {
        const { attempt, waitMs, failureKind } = state;
        state.pending = { kind: "retry", attempt, waitMs: waitMs ?? 0, failureKind: failureKind ?? "" };
      }
      this.#giveUpRetry({ status: "aborted", cut: false });
    } else if (state.phase === "compacting") {
      const purpose = state.compactingFor ?? "manual";
      if (keepPending && purpose !== "manual") state.pending = { kind: "compaction", purpose };
      this.events.push({ type: "compaction_end", reason: reasonOf(purpose), aborted: true, willRetry: false });
      if (purpose === "manual") this.#rest();
      else this.#settle({ status: "aborted", cut: false });
    }
  }

  #giveUpRetry(outcome: ReferenceOutcome): void {
    this.#closeStreak(false);
    this.#settle(outcome);
  }

  #closeStreak(success: boolean): void {
    const { state } = this;
    if (state.attempt === 0) return;
    this.events.push({ type: "auto_retry_end", success, attempt: state.attempt });
    Object.assign(state, { attempt: 0, waitMs: null, failureKind: null });
  }

  #runEnded(run: RunEnded): void {
    const { state } = this;
    const taught = run.reply === null || run.reply.model === state.model ? run.failure?.contextWindow : undefined;
    if (state.window === null && taught !== undefined) state.window = taught;
    state.lastCut = run.reply?.stopReason === "length";

    const next = afterRun(state, run);
    const willRetry = next.go === "backoff" || (next.go === "compact" && recovers(next.purpose));
    this.events.push({ type: "agent_end", willRetry, willContinue: next.go !== "settle" });
    if (next.go === "backoff") {
      const { waitMs, maxAttempts } = next;
      Object.assign(state, { phase: "backoff", attempt: state.attempt + 1, waitMs, failureKind: run.failure?.kind ?? null });
      this.events.push({ type: "auto_retry_start", attempt: state.attempt, maxAttempts, delayMs: waitMs });
      this.omitsReply = true;
      return;
    }
    this.#closeStreak(false);
    if (next.go === "settle") this.#settle(next.outcome);
    else if (next.go === "run") this.#run();
    else this.#compact(next.purpose);
  }

  #compact(purpose: CompactionFor): void {
    Object.assign(this.state, { phase: "compacting", compactingFor: purpose });
    this.events.push({ type: "compaction_start", reason: reasonOf(purpose) });
  }

  #compacted(status: Extract<PolicyInput, { type: "compacted" }>["status"]): void {
    const { state } = this;
    const purpose = state.compactingFor ?? "manual";
    const done = status === "done";
    this.events.push({
      type: "compaction_end",
      reason: reasonOf(purpose),
      aborted: status === "aborted",
      willRetry: done && recovers(purpose),
    });
    const queued = state.steering.length + state.followUp.length > 0;
    if (purpose === "manual") return queued ? this.#run() : this.#rest();
    // A log that cannot be written is no log to go on with.
    if (status === "log") return this.#settle({ status: "failed", cut: false });
    if (recovers(purpose)) {
      if (!done)
        return this.#settle(purpose === "overflow" ? { status: "failed", cut: false } : { status: "completed", cut: true });
      state.recoveryUsed = true;
      this.omitsReply = true;
      return this.#run();
    }
    if (!done) state.muted = true;
    if ((purpose === "answer" || purpose === "fullAnswer") && !queued)
      return this.#settle({ status: "completed", cut: state.lastCut });
    this.#run();
  }

  #rest(): void {
    Object.assign(this.state, { phase: "rest", compactingFor: null });
  }

  #settle(outcome: ReferenceOutcome): void {
    const { state } = this;
    Object.assign(state, { outcome, waitMs: null });
    this.#rest();
    const { status, cut } = outcome;
    const queued = state.steering.length + state.followUp.length;
    // A session is only ever interrupted by the death of its process, which settles nothing.
    this.events.push({
      type: "agent_settled",
      aborted: status === "aborted",
      status: status === "interrupted" ? "aborted" : status,
      cut,
      queued,
    });
  }
}
