import { initialTransition, transition, type SnapshotFrom } from "xstate";
import { sessionMachine } from "../../machines/session.ts";
import type {
  CompactionOutcome,
  RunOutcome,
  SessionInput,
  SessionMachineAnswer,
  SessionMachineEmitted,
  SessionMachineEvent,
} from "../../machines/types.ts";
import { input, outcome } from "./facts.ts";

type Snapshot = SnapshotFrom<typeof sessionMachine>;

/** Replays the machine with XState's pure `transition()`, as a durable engine would. */
export class PureHost {
  snapshot: Snapshot;
  /** What the last event made the machine say. */
  said: SessionMachineEmitted[] = [];

  constructor(given: SessionInput = input) {
    [this.snapshot] = initialTransition(sessionMachine, given);
  }

  get state(): Snapshot["value"] {
    return this.snapshot.value;
  }

  get token(): number {
    return this.snapshot.context.token;
  }

  send(event: SessionMachineEvent | SessionMachineAnswer): this {
    const [snapshot, effects] = transition(sessionMachine, this.snapshot, event);
    this.snapshot = snapshot;
    this.said = effects.filter(({ type }) => type === ("xstate.emit" as typeof type)).map(({ params }) => Object(params).event);
    return this;
  }

  types(): string[] {
    return this.said.map(({ type }) => type);
  }

  prompt(contextTokens = 100): this {
    return this.send({ type: "PROMPT", contextTokens });
  }

  runEnds(parts: Partial<RunOutcome> = {}): this {
    return this.send({ type: "xstate.done.actor.agentRun", output: outcome({ token: this.token, ...parts }) });
  }

  waitEnds(): this {
    return this.send({ type: "xstate.done.actor.retryWait", output: { token: this.token } });
  }

  graceEnds(): this {
    return this.send({ type: "xstate.done.actor.abortGrace", output: { token: this.token } });
  }

  compactionEnds(parts: Partial<CompactionOutcome> = {}): this {
    const output = { token: this.token, status: "done" as const, contextTokens: 50, entryId: "compaction", ...parts };
    return this.send({ type: "xstate.done.actor.compaction", output });
  }
}
