import type { InspectionEvent } from "xstate";
import type { Message, ModelEvent } from "../model/types.ts";
import type { SessionEvent } from "../session/events.ts";
import type { Session } from "../session/session.ts";
import { sessionFacts, stateName } from "./facts.ts";
import { isSelfTransition } from "./self-transitions.ts";
import { traceEntry } from "./trace-entry.ts";
import { traceEvent } from "./trace-event.ts";
import type { MachineInput, RecordOf, StateValue, TraceRecord } from "./view/records.ts";

export interface RecorderOptions {
  /** Milliseconds since the epoch; default `Date.now`. */
  now?: () => number;
  /** For how long pieces of a reply are put together, in milliseconds; default 50. */
  deltaIntervalMs?: number;
  /** Entries of the log that are recorded as they are at the beginning, newest first; default 1000. */
  entryLimit?: number;
}

/**
 * Writes down what a session does, from now on: its events, the entries it logs, and each step of its statechart.
 *
 * Steps come from XState's inspection, of which only the event and the state's name are read: nothing is cloned or serialized
 * here, so that a step costs microseconds whatever the session holds.
 *
 * @returns Ends the recording.
 */
export function record(session: Session, write: (record: TraceRecord) => void, options: RecorderOptions = {}): () => void {
  const recorder = new Recorder(session, write, options);
  return () => recorder.stop();
}

class Recorder {
  readonly #session: Session;
  readonly #write: (record: TraceRecord) => void;
  readonly #now: () => number;
  readonly #deltaIntervalMs: number;
  readonly #subscriptions: (() => void)[] = [];
  /** Entries of messages no event has told of yet, by the message. */
  readonly #entryIds = new WeakMap<Message, string>();
  #entriesSeen = 0;
  #state: string;
  /** The step under way. It is written before the first event it raises. */
  #step: { input: MachineInput; path: string[] } | undefined;
  #delta: RecordOf<"delta"> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(session: Session, write: (record: TraceRecord) => void, options: RecorderOptions) {
    const { now = Date.now, deltaIntervalMs = 50, entryLimit = 1000 } = options;
    this.#session = session;
    this.#write = write;
    this.#now = now;
    this.#deltaIntervalMs = deltaIntervalMs;
    this.#state = this.#begin(entryLimit);
    const inspection = session.actor.system.inspect({ next: (event) => this.#inspect(event) });
    this.#subscriptions.push(
      () => inspection.unsubscribe(),
      session.subscribe((event) => this.#event(event)),
    );
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    this.#flushDelta();
  }

  #begin(entryLimit: number): string {
    const { id, actor, log } = this.#session;
    const { value, context } = actor.getSnapshot();
    const facts = sessionFacts(value, context);
    const t = this.#now();
    const earlier = Math.max(0, log.entries.length - entryLimit);
    const settings = context.settings;
    this.#write({ kind: "session", t, version: 1, id, settings, facts, machine: { value, context }, earlier });
    this.#entriesSeen = earlier;
    this.#takeEntries(t);
    return facts.state;
  }

  #event(event: SessionEvent): void {
    if (event.type === "message_update") return this.#update(event.assistantMessageEvent);
    const t = this.#settleDelta();
    this.#takeEntries(t);
    // What the statechart says in a step is told after the step itself.
    this.#writeStep(t);
    this.#write({ kind: "event", t, event: traceEvent(event, (message) => this.#entryIds.get(message)) });
  }

  #update(event: ModelEvent): void {
    switch (event.type) {
      case "text_delta":
        return this.#add("text", event.index, event.delta);
      case "thinking_delta":
        return this.#add("thinking", event.index, event.delta);
      case "toolcall_delta":
        return this.#add("toolCall", event.index, event.delta);
    }
  }

  #add(block: RecordOf<"delta">["block"], index: number, text: string): void {
    const pending = this.#delta;
    if (pending && pending.block === block && pending.index === index) {
      pending.text += text;
      return;
    }
    this.#flushDelta();
    this.#delta = { kind: "delta", t: this.#now(), block, index, text };
    this.#timer = setTimeout(() => this.#flushDelta(), this.#deltaIntervalMs);
    // A recording keeps no process alive.
    this.#timer.unref();
  }

  #flushDelta(): void {
    if (!this.#delta) return;
    clearTimeout(this.#timer);
    const delta = this.#delta;
    this.#delta = undefined;
    this.#write(delta);
  }

  #settleDelta(): number {
    this.#flushDelta();
    return this.#now();
  }

  #inspect(inspected: InspectionEvent): void {
    if (inspected.actorRef !== this.#session.actor) return;
    if (inspected.type === "@xstate.microstep") {
      const state = stateOf(inspected.snapshot) ?? this.#state;
      this.#step ??= { input: inputOf(inspected.event), path: [] };
      if (state !== this.#state || isSelfTransition(state, inspected.event.type)) this.#step.path.push(`${this.#state}>${state}`);
      this.#state = state;
    } else if (inspected.type === "@xstate.snapshot") {
      const t = this.#settleDelta();
      this.#takeEntries(t);
      this.#writeStep(t);
      if (inspected.event.type === "xstate.stop") this.#end(t);
    }
  }

  #takeEntries(t: number): void {
    const { entries } = this.#session.log;
    if (entries.length === this.#entriesSeen) return;
    const added = entries.slice(this.#entriesSeen);
    this.#entriesSeen = entries.length;
    for (const entry of added) if (entry.type === "message") this.#entryIds.set(entry.message, entry.id);
    this.#write({ kind: "entries", t, entries: added.map(traceEntry) });
  }

  #writeStep(t: number): void {
    const step = this.#step;
    if (!step) return;
    this.#step = undefined;
    if (step.input.type === "xstate.stop") return;
    const { value, context } = this.#session.actor.getSnapshot();
    this.#write({ kind: "step", t, ...step, facts: sessionFacts(value, context) });
  }

  #end(t: number): void {
    this.#write({ kind: "end", t });
    this.stop();
  }
}

/** The state a snapshot of a statechart is in. */
function stateOf(snapshot: object): string | undefined {
  return "value" in snapshot ? stateName(snapshot.value as StateValue) : undefined;
}

/** The event as plain data. An error becomes the text the statechart reads from it. */
function inputOf(event: { type: string; [field: string]: unknown }): MachineInput {
  const { actorId: _isInTheType, ...input } = event;
  if (input.error instanceof Error) return { ...input, error: `${input.error.name}: ${input.error.message}` };
  return input;
}
