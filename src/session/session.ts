import { createActor, type InspectionEvent } from "xstate";
import type { ModelFacts, SessionInput, SessionMachineEvent, SettledOutcome } from "../../machines/types.ts";
import { toolSet } from "../agent/tool-set.ts";
import { ContextMeter, estimateOverheadTokens, type CompactionResult } from "../compaction/index.ts";
import { createMemoryLog, type SessionLog } from "../log/index.ts";
import type { Message, Model, UserContent, UserMessage } from "../model/types.ts";
import { systemClock } from "../retry/clock.ts";
import { moveBranch, type MoveOptions } from "./branch-moves.ts";
import { CompactionHost } from "./compaction-host.ts";
import type { QueueName } from "./durable-state.ts";
import { Emitter } from "./emitter.ts";
import { NothingToContinueError, SessionBusyError, SessionDisposedError } from "./errors.ts";
import { eventStream } from "./event-stream.ts";
import type { PromptOutcome, SessionEvent } from "./events.ts";
import { hostedMachine, registerPorts } from "./hosted-machine.ts";
import { logTail } from "./log-tail.ts";
import { MachineOutput } from "./machine-output.ts";
import { MessageQueue } from "./message-queue.ts";
import { nothingDone, OpenPrompts } from "./open-prompts.ts";
import { PromptCycle } from "./prompt-cycle.ts";
import { Queues } from "./queues.ts";
import { closingDrafts, openCalls } from "./open-calls.ts";
import { restore } from "./restore.ts";
import { RunHost } from "./run-host.ts";
import { contextTokensNow, recordOrFail, type RequestGate, type SessionActor, type SessionParts } from "./session-parts.ts";
import { mergeSettings } from "./merge-settings.ts";
import type { PromptOptions, SessionOptions } from "./session-options.ts";
import { defaultSettings, type Settings, type SettingsPatch } from "./settings.ts";
import { isBusy, stateOf, type SessionState } from "./state.ts";
import { userMessage } from "./user-message.ts";

/**
 * An agent session: prompts in, events out, and a statechart that decides what follows when a model call fails. A log that holds
 * a session is gone on with: the new session rests, and `continue()` takes up what was interrupted.
 *
 * @throws InvalidSettingError, InvalidToolError; RangeError when a session with the same id is open in this process.
 */
export function createSession(options: SessionOptions): Session {
  return new Session(options);
}

export class Session {
  readonly #parts: SessionParts;
  readonly #queues: Queues;
  readonly #compactions: CompactionHost;
  readonly #output: MachineOutput;
  readonly #forget: () => void;
  #disposed: Promise<void> | undefined;
  #starting = false;
  /** A summary of the branch that is left is being written; the statechart rests meanwhile. */
  #move: { abort: () => void; ended: Promise<void> } | undefined;

  constructor(options: SessionOptions) {
    const { model, systemPrompt, classify, estimate } = options;
    const { log = createMemoryLog(), clock = systemClock, newId = randomId } = options;
    const tools = toolSet(options.tools ?? []);
    const settings = options.settings === undefined ? defaultSettings : mergeSettings(defaultSettings, options.settings);
    const overhead = estimateOverheadTokens(systemPrompt, tools.declarations);
    if (options.settings?.durability !== undefined) log.durability = settings.durability;
    const restored = restore(log, clock.now());
    const input: SessionInput = {
      sessionId: log.header.id,
      settings,
      model: factsOf(model),
      ...(restored ? { restored: restored.state } : {}),
    };
    const spawn = options.spawn ?? ((machine, given) => createActor(machine, { input: given, ...xstateInspection(options) }));
    this.#parts = {
      id: log.header.id,
      log,
      clock,
      random: options.random ?? Math.random,
      emitter: new Emitter<SessionEvent>(options.onListenerError ?? warnOfListener),
      meter: new ContextMeter(log.projection, { overheadTokens: () => overhead, ...(estimate ? { estimate } : {}) }),
      tools,
      queue: new MessageQueue(restored?.queued),
      prompts: new OpenPrompts(),
      compaction: options.compaction ?? {},
      systemPrompt,
      classify,
      unannounced: [],
      gates: NO_GATES,
      cutReply: undefined,
      interruptedCalls: restored?.interruptedCalls ?? [],
      actor: spawn(hostedMachine, input),
      model,
      settings,
      cycle: new PromptCycle(),
      retryRecorded: restored?.retryRecorded ?? false,
    };
    this.#queues = new Queues(this.#parts, newId);
    this.#compactions = new CompactionHost(this.#parts);
    const runs = new RunHost(this.#parts, this.#queues);
    this.#output = new MachineOutput(this.#parts, runs, this.#compactions);
    this.#forget = registerPorts(this.id, { runs, compactions: this.#compactions, clock });
    try {
      this.actor.on("*", (emitted) => this.#output.handle(emitted));
      // A parent machine may stop the actor it spawned: that is the end of the session.
      this.actor.subscribe({ complete: () => void this.dispose().catch(() => {}) });
      this.actor.start();
      // Not before whoever makes the session has had the time to listen.
      if (log.diagnostics.length > 0) queueMicrotask(() => this.#tellDiagnostics());
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** The session's id, from its log. */
  get id(): string {
    return this.#parts.id;
  }

  /** The XState actor, to observe. */
  get actor(): SessionActor {
    return this.#parts.actor;
  }

  get log(): SessionLog {
    return this.#parts.log;
  }

  get model(): Model {
    return this.#parts.model;
  }

  get settings(): Settings {
    return this.#parts.settings;
  }

  /** What the model is shown, as a new array. */
  get messages(): Message[] {
    return this.log.projection.messages();
  }

  /** The state as plain data: the same object until something in it changes. */
  get state(): SessionState {
    return stateOf(this.actor.getSnapshot(), contextTokensNow(this.#parts));
  }

  /**
   * Sends a prompt. Resolves when the session has settled, with how it ended: a provider's failure is an outcome.
   *
   * @throws InvalidPromptError for an empty prompt; SessionBusyError while working, without `streamingBehavior`;
   *   SessionDisposedError. All of them reject the promise, and nothing has happened then.
   */
  async prompt(content: string | UserContent[], options: PromptOptions = {}): Promise<PromptOutcome> {
    this.#refuseDisposed();
    const { signal, streamingBehavior } = options;
    const message = userMessage(content, this.#parts.clock.now());
    if (signal?.aborted) return nothingDone();
    if (!this.#busy) return this.#promptAtRest(message, signal);
    this.#refuseWhileMoving();
    if (streamingBehavior) return this.#promptQueued(message, streamingBehavior === "steer" ? "steering" : "followUp", signal);
    throw new SessionBusyError(
      'The session is working on another prompt. Wait for it, abort() it, or queue this one with streamingBehavior: "steer" or "followUp".',
    );
  }

  /**
   * Queues a message that joins the run under way after its current turn. At rest it starts a run.
   *
   * @returns The id it is queued under.
   * @throws InvalidPromptError, SessionDisposedError, LogError, SessionBusyError while moving to another branch: it is not queued then.
   */
  steer(content: string | UserContent[]): string {
    return this.#enqueue("steering", content);
  }

  /** As `steer`, but the message is delivered when the run has nothing else to do. */
  followUp(content: string | UserContent[]): string {
    return this.#enqueue("followUp", content);
  }

  /**
   * Takes back what is queued. Prompts that wait in a queue resolve as aborted.
   *
   * @returns The messages, images included, in order.
   * @throws LogError: they stay queued then. SessionDisposedError
   */
  clearQueue(): { steering: UserMessage[]; followUp: UserMessage[] } {
    this.#refuseDisposed();
    // Not the statechart's word: inside a listener it may have yet to hear of a message.
    const steering = this.#parts.queue.of("steering");
    const followUp = this.#parts.queue.of("followUp");
    this.#queues.remove([...steering, ...followUp].map(({ id }) => id));
    return { steering: steering.map(({ message }) => message), followUp: followUp.map(({ message }) => message) };
  }

  /** Stops whatever is under way. Resolves when the session rests, at the latest after `abortGraceMs`. Queues stay. */
  abort(): Promise<void> {
    this.#move?.abort();
    if (!this.#disposed) this.actor.send({ type: "ABORT", at: this.#parts.clock.now() });
    return this.whenIdle();
  }

  /** Gives up the retry that is waited for: the session settles with the failure that was to be retried. */
  abortRetry(): void {
    if (!this.#disposed) this.actor.send({ type: "ABORT_RETRY" });
  }

  /**
   * Compacts now.
   *
   * @param instructions What the summary should pay attention to.
   * @throws SessionBusyError while working; CompactionError when it was not done, saying why; SessionDisposedError.
   */
  async compact(instructions?: string): Promise<CompactionResult> {
    this.#refuseDisposed();
    if (this.#busy) throw new SessionBusyError("The session is working. Wait for it to settle, or abort() it, then compact.");
    // What it spends, and a run that queued messages start after it, belong to no earlier prompt.
    this.#parts.cycle = new PromptCycle();
    const result = this.#compactions.expectByHand(instructions);
    this.#start({ type: "COMPACT", contextTokens: this.#parts.meter.tokens() });
    return result;
  }

  /**
   * Goes on with what is unfinished: a pending retry, a failed or missing reply, or queued messages.
   *
   * @throws NothingToContinueError, SessionBusyError, SessionDisposedError
   */
  async continue(): Promise<PromptOutcome> {
    this.#refuseDisposed();
    if (this.#busy) throw new SessionBusyError("The session is working already. Wait for it to settle.");
    const { log, clock, meter } = this.#parts;
    const { tail, failedReplyId } = logTail(log);
    const event = {
      type: "CONTINUE" as const,
      tail: openCalls(log).length > 0 ? ("unanswered" as const) : tail,
      at: clock.now(),
      contextTokens: meter.tokens(),
    };
    const snapshot = this.actor.getSnapshot();
    if (!snapshot.can(event)) throw new NothingToContinueError();
    this.#parts.cycle = new PromptCycle();
    const settled = this.#parts.prompts.open();
    // Who is told of the omission must not start something else.
    this.#holdStart();
    recordOrFail(this.#parts, () => {
      // A compaction that is taken up omits the reply itself, together with its own entry.
      if (failedReplyId !== undefined && snapshot.context.pending === null) this.#output.omit([failedReplyId]);
      this.#start(event);
    });
    return settled;
  }

  /**
   * Goes on from another entry of the log: what follows becomes a branch of its own. Null begins anew.
   *
   * @throws SessionBusyError while working; LogError for an unknown entry; CompactionError when the summary that was asked for
   *   failed: the session is where it was then.
   */
  async moveTo(entryId: string | null, options: MoveOptions = {}): Promise<void> {
    this.#refuseDisposed();
    if (this.#busy) throw new SessionBusyError("The session is working. Wait for it to settle, or abort() it, then move.");
    if (!options.summarize) return moveBranch(this.#parts, entryId, options);
    const move = new AbortController();
    const signal = options.signal ? AbortSignal.any([move.signal, options.signal]) : move.signal;
    const ended = moveBranch(this.#parts, entryId, { ...options, signal }).finally(() => (this.#move = undefined));
    this.#move = { abort: () => move.abort(), ended };
    return ended;
  }

  /** Takes effect with the next request. @throws LogError, SessionDisposedError */
  setModel(model: Model): void {
    this.#refuseDisposed();
    this.log.append({ type: "model_change", provider: model.provider, modelId: model.id });
    this.#parts.model = model;
    this.actor.send({ type: "SET_MODEL", model: factsOf(model) });
  }

  /** Changes settings. They take effect with the next request; a wait under way stays. @throws InvalidSettingError, SessionDisposedError */
  setSettings(patch: SettingsPatch): void {
    this.#refuseDisposed();
    this.#parts.settings = mergeSettings(this.#parts.settings, patch);
    if (patch.durability !== undefined) this.log.durability = patch.durability;
    this.actor.send({ type: "SET_SETTINGS", settings: this.#parts.settings });
  }

  /** Calls `listener` with each event, in order. @returns Ends the subscription. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#parts.emitter.subscribe(listener);
  }

  /** The events from now on, until the signal aborts or the session is disposed. A slow reader misses deltas first. */
  events(options: { signal?: AbortSignal } = {}): AsyncIterableIterator<SessionEvent> {
    return eventStream(this.#parts.emitter, options.signal);
  }

  /**
   * Asks `gate` before each request of a run. While it gives a promise the request is held back, so that whoever cannot take more
   * events can say so; an abort ends the wait.
   *
   * @returns Takes the gate away.
   */
  beforeRequest(gate: RequestGate): () => void {
    const own: RequestGate = () => gate();
    this.#parts.gates = [...this.#parts.gates, own];
    return () => {
      this.#parts.gates = this.#parts.gates.filter((other) => other !== own);
    };
  }

  /** Resolves when nothing is under way. */
  whenIdle(): Promise<void> {
    if (this.#starting) return Promise.resolve().then(() => this.whenIdle());
    if (this.#move) return this.#move.ended.then(noop, noop).then(() => this.whenIdle());
    if (!this.#busy) return Promise.resolve();
    return new Promise((resolve) => {
      const subscription = this.actor.subscribe({
        next: (snapshot) => {
          if (isBusy(snapshot)) return;
          subscription.unsubscribe();
          resolve();
        },
        complete: resolve,
      });
    });
  }

  /**
   * Ends the session: as an abort, but a pending retry can be resumed from the log. Open prompts resolve as aborted, the log is
   * flushed and given back, event streams end.
   */
  dispose(): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  get #busy(): boolean {
    const snapshot = this.actor.getSnapshot();
    return (
      this.#starting || this.#move !== undefined || (snapshot.status === "active" && this.#output.unsettled) || isBusy(snapshot)
    );
  }

  /**
   * What starts work at rest is sent next. Inside a listener the statechart takes it only when it is done with what it tells of:
   * until then the session counts as busy, or a second start would be accepted and then ignored.
   */
  #holdStart(): void {
    this.#starting = true;
    queueMicrotask(() => (this.#starting = false));
  }

  #start(event: SessionMachineEvent): void {
    this.#holdStart();
    this.actor.send(event);
  }

  #refuseWhileMoving(): void {
    if (!this.#move) return;
    throw new SessionBusyError("The session is moving to another branch. Wait for that, or abort() it, then send the message.");
  }

  #refuseDisposed(): void {
    if (this.#disposed) throw new SessionDisposedError();
  }

  async #promptAtRest(message: UserMessage, signal: AbortSignal | undefined): Promise<PromptOutcome> {
    this.#parts.cycle = new PromptCycle();
    const settled = this.#parts.prompts.open();
    const stop = (): void => void this.abort();
    signal?.addEventListener("abort", stop, { once: true });
    recordOrFail(this.#parts, () => {
      const closing = closingDrafts(openCalls(this.log), this.#parts.interruptedCalls, message.timestamp);
      this.log.appendAll([...closing, { type: "message", message }]);
      this.#parts.retryRecorded = false;
      this.#parts.unannounced.push(message);
      this.#start({ type: "PROMPT", contextTokens: this.#parts.meter.tokens() });
    });
    return settled.finally(() => signal?.removeEventListener("abort", stop));
  }

  #promptQueued(message: UserMessage, queue: QueueName, signal: AbortSignal | undefined): Promise<PromptOutcome> {
    const { prompts } = this.#parts;
    let settled = Promise.resolve(nothingDone());
    const id = this.#add(queue, message, (accepted) => {
      settled = prompts.openQueued(accepted);
    });
    const stop = (): void => (prompts.isQueued(id) ? this.#takeBack(id) : void this.abort());
    signal?.addEventListener("abort", stop, { once: true });
    return settled.finally(() => signal?.removeEventListener("abort", stop));
  }

  #takeBack(id: string): void {
    try {
      this.#queues.remove([id]);
    } catch {
      // An abort signal has nobody to tell that the log cannot be written: the message stays queued, as it is in the log.
    }
  }

  #enqueue(queue: QueueName, content: string | UserContent[]): string {
    this.#refuseDisposed();
    const message = userMessage(content, this.#parts.clock.now());
    this.#refuseWhileMoving();
    const atRest = !this.#busy;
    if (atRest) this.#parts.cycle = new PromptCycle();
    return this.#add(queue, message);
  }

  /** What the statechart takes only later may start a run then: as `#holdStart`. */
  #add(queue: QueueName, message: UserMessage, onAccepted?: (id: string) => void): string {
    const id = this.#queues.add(queue, message, onAccepted);
    if (!this.actor.getSnapshot().context[queue].includes(id)) this.#holdStart();
    return id;
  }

  #tellDiagnostics(): void {
    const { log, emitter } = this.#parts;
    for (const diagnostic of log.diagnostics) emitter.emit({ type: "log_diagnostic", diagnostic });
  }

  async #dispose(): Promise<void> {
    const { actor, clock, emitter, log, prompts, cycle } = this.#parts;
    this.#move?.abort();
    if (actor.getSnapshot().status === "active") actor.send({ type: "DISPOSE", at: clock.now() });
    await this.whenIdle();
    actor.stop();
    // Those still open had no settle: their actor was stopped from outside, or they wait in a queue.
    prompts.take()(cycle.outcome(ABORTED), undefined);
    this.#forget();
    emitter.close();
    await log.close();
  }
}

const noop = (): void => {};
const ABORTED: SettledOutcome = { status: "aborted", cut: false, failure: null };
const NO_GATES: readonly RequestGate[] = [];

function randomId(): string {
  return crypto.randomUUID();
}

/** @throws TypeError for what is no model. */
function factsOf(model: Model): ModelFacts {
  const { provider, id, stream, contextWindow }: Partial<Model> = Object(model);
  if (typeof provider !== "string" || typeof id !== "string" || typeof stream !== "function") {
    throw new TypeError(
      "A session needs a model: an object with provider, id and stream. The adapters of agent-session-machine/anthropic, /openai and /ai-sdk make one.",
    );
  }
  return { key: `${provider}/${id}`, contextWindow: contextWindow ?? null };
}

function xstateInspection({ inspect }: SessionOptions): { inspect?: (event: InspectionEvent) => void } {
  return inspect ? { inspect } : {};
}

function warnOfListener(error: unknown, event: { type: string }): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`A listener threw on the event ${event.type}: ${text}`, "AgentSessionListenerWarning");
}
