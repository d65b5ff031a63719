import type { AssistantMessage, Message } from "../model/types.ts";
import type { SessionEvent } from "../session/events.ts";
import type { TraceInvariant, Violation } from "./trace-invariants.ts";

export interface TraceOptions {
  /** Retries of a streak; default what `auto_retry_start` says. */
  maxRetries?: number;
  /** Kinds of failure that `retry.policies` says to retry although they are stopped at by default; default none. */
  retriedKinds?: readonly string[];
}

/**
 * Checks the events of a session, from its first one on, against what is guaranteed of every session.
 *
 * @returns What does not hold; nothing for a session that behaved.
 */
export function checkTrace(events: Iterable<SessionEvent>, options: TraceOptions = {}): Violation[] {
  const checker = new TraceChecker(options);
  const violations: Violation[] = [];
  for (const event of events) violations.push(...checker.push(event));
  return violations;
}

type Of<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** As `checkTrace`, event by event, for a session that is still going on. */
export class TraceChecker {
  readonly #options: TraceOptions;
  /** How often each invariant was looked at. */
  readonly checked: { [invariant in TraceInvariant]?: number } = {};
  #violations: Violation[] = [];
  #index = -1;
  /** Between `agent_start` and `agent_end`. */
  #running = false;
  #turnOpen = false;
  /** Something was started and has not settled. */
  #active = false;
  /** What the last `agent_end` promised; undefined once it was kept. */
  #promised: Of<"agent_end"> | undefined;
  #streak: Of<"auto_retry_start"> | undefined;
  #compaction: Of<"compaction_start"> | undefined;
  #summaryWait = false;
  #recovered = false;
  #retries = 0;
  #message: Message | undefined;
  #reply: AssistantMessage | undefined;
  #openCalls = new Set<string>();
  /** Calls whose turn ended without their result. */
  #unanswered: string[] = [];
  #cutInARow = 0;

  constructor(options: TraceOptions = {}) {
    this.#options = options;
  }

  /** @returns What does not hold because of this event. */
  push(event: SessionEvent): readonly Violation[] {
    this.#index++;
    this.#violations = [];
    this.#take(event);
    return this.#violations;
  }

  #expect(invariant: TraceInvariant, holds: boolean, message: string): void {
    this.checked[invariant] = (this.checked[invariant] ?? 0) + 1;
    if (!holds) this.#violations.push({ invariant, message, index: this.#index });
  }

  #take(event: SessionEvent): void {
    switch (event.type) {
      case "agent_start":
        return this.#runStarts();
      case "turn_start":
        return this.#turnStarts();
      case "message_start":
        this.#inTurn(event.type);
        this.#expect("message-paired", this.#message === undefined, "a message starts inside another");
        this.#message = event.message;
        return;
      case "message_update":
        return this.#expect("message-paired", this.#message?.role === "assistant", "message_update outside an assistant message");
      case "message_end":
        return this.#messageEnds(event.message);
      case "tool_execution_start":
        this.#inTurn(event.type);
        this.#expect(
          "only-complete-calls-run",
          this.#mayRun(event.toolCallId),
          `the call ${event.toolCallId} is none of a complete reply`,
        );
        return;
      case "tool_execution_update":
      case "tool_execution_end":
        this.#inTurn(event.type);
        this.#expect(
          "only-complete-calls-run",
          this.#openCalls.has(event.toolCallId),
          `${event.type} of the call ${event.toolCallId}, which is not open`,
        );
        return;
      case "turn_end":
        this.#inTurn(event.type);
        this.#callsAnswered();
        this.#turnOpen = false;
        return;
      case "agent_end":
        return this.#runEnds(event);
      case "auto_retry_start":
        return this.#retryStarts(event);
      case "auto_retry_end":
        return this.#streakEnds(event);
      case "compaction_start":
        return this.#compactionStarts(event);
      case "compaction_end":
        return this.#compactionEnds(event);
      case "summarization_retry_scheduled":
        this.#expect(
          "summary-retry-paired",
          this.#compaction !== undefined && this.#summaryWait === event.attempt > 1,
          `wait ${event.attempt} of a summary request`,
        );
        this.#summaryWait = true;
        return;
      case "summarization_retry_finished":
        this.#expect("summary-retry-paired", this.#summaryWait, "finished without a wait");
        this.#summaryWait = false;
        return;
      case "agent_settled":
        return this.#settles(event);
      case "partial_discarded":
        return this.#expect("streak-closed", this.#streak !== undefined, "partial_discarded outside a retry");
      default:
        return;
    }
  }

  #inTurn(type: string): void {
    this.#expect("run-order", this.#running && this.#turnOpen, `${type} outside a turn`);
  }

  #runStarts(): void {
    this.#expect("run-order", !this.#running, "agent_start inside a run");
    this.#expect("compaction-paired", this.#compaction === undefined, "a run starts while a compaction is open");
    this.#expect(
      "says-what-follows",
      this.#promised?.willContinue !== false,
      "a run follows an agent_end that says the session settles",
    );
    this.#promised = undefined;
    this.#running = true;
    this.#active = true;
    this.#cutInARow = 0;
  }

  #turnStarts(): void {
    this.#expect("run-order", this.#running, "turn_start outside a run");
    // Only a turn whose request was never answered ends without a turn_end.
    this.#expect("run-order", !this.#turnOpen, "turn_start inside a turn");
    this.#expect("second-length-ends", this.#cutInARow < 2, "a third request after two cut replies");
    this.#turnOpen = true;
    this.#reply = undefined;
    this.#openCalls.clear();
  }

  #messageEnds(message: Message): void {
    this.#inTurn("message_end");
    this.#expect(
      "message-paired",
      this.#message?.role === message.role,
      `message_end of a ${message.role} message that did not start`,
    );
    this.#message = undefined;
    if (message.role === "user") {
      this.#recovered = false;
      this.#cutInARow = 0;
    } else if (message.role === "toolResult") {
      this.#expect(
        "calls-answered",
        this.#openCalls.delete(message.toolCallId),
        `a result for the call ${message.toolCallId}, which is not open`,
      );
    } else {
      this.#replyEnds(message);
    }
  }

  #replyEnds(message: AssistantMessage): void {
    this.#reply = message;
    this.#cutInARow = message.stopReason === "length" ? this.#cutInARow + 1 : 0;
    if (message.stopReason === "error") {
      const described = message.failure !== undefined && message.errorMessage === message.failure.message;
      this.#expect("failure-described", described, "a failed reply without a description of its failure");
    }
    if (!isGood(message)) return;
    for (const block of message.content) if (block.type === "toolCall") this.#openCalls.add(block.id);
  }

  #mayRun(toolCallId: string): boolean {
    // Without a reply in this turn, calls of an earlier process are taken up.
    if (this.#reply === undefined) this.#openCalls.add(toolCallId);
    return this.#openCalls.has(toolCallId) && this.#reply?.stopReason !== "length";
  }

  /** Only the settle says whether a log that could not be written excuses it. */
  #callsAnswered(): void {
    if (this.#openCalls.size > 0) this.#unanswered.push(...this.#openCalls);
    this.#openCalls.clear();
  }

  #runEnds(event: Of<"agent_end">): void {
    this.#expect("run-order", this.#running, "agent_end outside a run");
    this.#expect("run-order", !this.#turnOpen || this.#reply === undefined, "agent_end inside a turn that has a reply");
    this.#expect("message-paired", this.#message === undefined, "agent_end inside a message");
    this.#expect("says-what-follows", event.willContinue || !event.willRetry, "willRetry without willContinue");
    this.#callsAnswered();
    this.#running = false;
    this.#turnOpen = false;
    this.#promised = event;
  }

  #retryStarts(event: Of<"auto_retry_start">): void {
    const { attempt, maxAttempts, failure, delayMs } = event;
    const resumed = this.#promised === undefined;
    this.#expect("run-order", !this.#running, "auto_retry_start inside a run");
    this.#expect(
      "says-what-follows",
      resumed || this.#promised?.willRetry === true,
      "a retry follows an agent_end that says there is none",
    );
    this.#expect(
      "bounded-retries",
      resumed ? !this.#active : attempt === (this.#streak?.attempt ?? 0) + 1,
      `attempt ${attempt} follows ${this.#streak?.attempt ?? 0}`,
    );
    this.#expect("bounded-retries", attempt <= (this.#options.maxRetries ?? maxAttempts), `attempt ${attempt} of ${maxAttempts}`);
    const asked =
      failure.action === "retry" || (failure.action === "stop" && this.#options.retriedKinds?.includes(failure.kind) === true);
    this.#expect("retries-only-retryable", asked, `a failure of kind ${failure.kind} that says ${failure.action} is retried`);
    if (!resumed)
      this.#expect(
        "waits-as-demanded",
        delayMs >= (failure.retryAfterMs ?? 0),
        `waits ${delayMs} ms instead of ${failure.retryAfterMs} ms`,
      );
    this.#streak = event;
    this.#active = true;
    this.#retries++;
    this.#promised = undefined;
  }

  #streakEnds({ success, attempt }: Of<"auto_retry_end">): void {
    this.#expect(
      "streak-closed",
      this.#streak?.attempt === attempt,
      `auto_retry_end of attempt ${attempt} in a streak of ${this.#streak?.attempt ?? 0}`,
    );
    const good = this.#running && this.#reply !== undefined && isGood(this.#reply);
    this.#expect(
      "success-is-earned",
      success === good,
      success ? "success without a good message" : "a good message reported as no success",
    );
    this.#streak = undefined;
  }

  #compactionStarts(event: Of<"compaction_start">): void {
    this.#expect(
      "compaction-paired",
      this.#compaction === undefined && !this.#running,
      "a compaction starts inside another, or inside a run",
    );
    this.#expect("streak-closed", this.#streak === undefined, "a compaction starts inside a streak");
    this.#expect(
      "says-what-follows",
      this.#promised?.willContinue !== false,
      "a compaction follows an agent_end that says the session settles",
    );
    if (this.#promised?.willRetry === true)
      this.#expect("says-what-follows", event.reason === "overflow", "willRetry is followed by another compaction");
    this.#compaction = event;
    this.#promised = undefined;
    if (event.reason !== "manual") this.#active = true;
  }

  #compactionEnds({ reason, willRetry, aborted }: Of<"compaction_end">): void {
    this.#expect("compaction-paired", this.#compaction?.reason === reason, `compaction_end (${reason}) without its start`);
    this.#expect("summary-retry-paired", !this.#summaryWait, "a compaction ends inside a wait of its summary");
    this.#expect("success-is-earned", !(aborted && willRetry), "an aborted compaction repeats the request");
    if (willRetry) {
      this.#expect("one-recovery", !this.#recovered, "a second compact-and-retry for one user message");
      this.#recovered = true;
    }
    this.#compaction = undefined;
    this.#summaryWait = false;
  }

  #settles({ aborted, outcome }: Of<"agent_settled">): void {
    // A prompt that could not be written settles without having begun.
    const unwritten = outcome.failure?.kind === "log";
    const answered = unwritten || this.#unanswered.length === 0;
    this.#expect("calls-answered", answered, `no result for ${this.#unanswered.join(", ")}`);
    this.#unanswered = [];
    this.#expect(
      "settles-once",
      (this.#active || unwritten) && !this.#running,
      "agent_settled without anything that was under way",
    );
    this.#expect("streak-closed", this.#streak === undefined, "the session settles inside a streak");
    this.#expect("compaction-paired", this.#compaction === undefined, "the session settles inside a compaction");
    // What an agent_end announced may be given up for an abort, or for a log that cannot be written.
    const kept = this.#promised?.willContinue !== true || outcome.status !== "completed";
    this.#expect("says-what-follows", kept, "the session settles after an agent_end that says it goes on");
    this.#expect(
      "outcome-agrees",
      aborted === (outcome.status === "aborted"),
      `aborted is ${aborted}, the outcome ${outcome.status}`,
    );
    this.#expect(
      "outcome-agrees",
      outcome.retries === this.#retries,
      `the outcome tells of ${outcome.retries} retries, there were ${this.#retries}`,
    );
    this.#expect(
      "failure-described",
      (outcome.status === "failed") === (outcome.failure !== undefined),
      "an outcome and its failure do not agree",
    );
    this.#active = false;
    this.#promised = undefined;
    this.#retries = 0;
  }
}

function isGood({ stopReason }: AssistantMessage): boolean {
  return stopReason === "stop" || stopReason === "length" || stopReason === "toolUse";
}
