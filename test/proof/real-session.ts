import { vi } from "vitest";
import { EntryLog } from "../../src/log/entry-log.ts";
import { createMemoryLog } from "../../src/log/index.ts";
import type { SessionLog } from "../../src/log/types.ts";
import type { AssistantMessage, Message } from "../../src/model/types.ts";
import { emptyUsage } from "../../src/model/reply.ts";
import { defineTool } from "../../src/agent/tool-set.ts";
import type { StandardSchema } from "../../src/agent/types.ts";
import { CompactionError } from "../../src/session/errors.ts";
import { createSession, type Session } from "../../src/session/session.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import type { SettingsPatch } from "../../src/session/settings.ts";
import {
  CHANCE,
  GRACE_MS,
  heldModel,
  ManualClock,
  MAX_OUTPUT_TOKENS,
  observedEvent,
  TraceChecker,
  type HeldModel,
  type ReferenceAnswer,
  type ReferenceModel,
  type ReferenceSettings,
  type ReferenceState,
  type ScriptedReply,
  type Stimulus,
  type Violation,
} from "../../src/testing/index.ts";
import { failureOf } from "./failures.ts";
import { countChecks } from "./report.ts";
import { holdCompactions, type HeldCompaction } from "./held-compaction.ts";

vi.mock("../../src/compaction/index.ts", async (original) => {
  const room = await original<typeof import("../../src/compaction/index.ts")>();
  const { compactOrHold } = await import("./held-compaction.ts");
  return { ...room, compact: compactOrHold(room.compact) };
});

/** What can be seen of a session between two stimuli. */
export interface Observation {
  events: string[];
  state: string;
  violations: Violation[];
}

interface Tool {
  finish(result: string): void;
}

const BIG = "BIG";
/** Small for every message, unless it says that it is big. */
const estimate = ({ content }: Message): number => {
  const text = typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join("");
  return text.includes(BIG) ? 950 : 1;
};

const anything: StandardSchema = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => ({ value }),
    jsonSchema: { input: () => ({ type: "object" }) },
  },
};

let sessions = 0;

/** A session of the library, driven by stimuli: its model, tools and compactions answer when they are told to, and time is ours. */
export class RealSession {
  #clock: ManualClock;
  #session: Session;
  #log: SessionLog;
  #model: HeldModel;
  #models: HeldModel[];
  readonly #settings: ReferenceSettings;
  #given: SettingsPatch;
  #tools: Tool[] = [];
  #lateTools: Tool[] = [];
  #compactions: HeldCompaction[];
  #events: string[] = [];
  #answers: string[] = [];
  #violations: Violation[] = [];
  #ids = 0;
  #unsubscribe: () => void = () => {};
  #checker = new TraceChecker();
  #sessionEvents: SessionEvent[] = [];

  constructor(initial: ReferenceState) {
    const { settings } = initial.policy;
    this.#settings = settings;
    this.#given = patchOf(settings);
    this.#clock = new ManualClock(1_000_000);
    this.#model = modelOf(initial.model);
    this.#models = [this.#model];
    this.#log = createMemoryLog({ id: `proof-${++sessions}`, now: () => this.#clock.now() });
    if (initial.tail !== "none") this.#log.appendAll(history(initial, this.#model));
    this.#compactions = holdCompactions(this.#log);
    this.#session = this.#open();
  }

  get session(): Session {
    return this.#session;
  }

  /** Every event of the session that is open now. */
  get trace(): readonly SessionEvent[] {
    return this.#sessionEvents;
  }

  apply(stimulus: Stimulus): void {
    this.#events = [];
    this.#act(stimulus);
  }

  /** What promises came to since this was last asked. */
  takeAnswers(): string[] {
    return this.#answers.splice(0).toSorted();
  }

  /** @param settled All that needs no time to pass has run. */
  observe(settled: boolean): Observation {
    return {
      events: this.#events,
      state: this.#state(settled),
      violations: this.#violations,
    };
  }

  /** Lets go of everything. */
  async close(): Promise<void> {
    countChecks(this.#checker.checked);
    const closing = this.#session.dispose();
    this.#clock.advance(GRACE_MS);
    await closing;
    for (const tool of [...this.#tools, ...this.#lateTools]) tool.finish("");
    for (const compaction of [...this.#compactions]) compaction.answer("aborted");
  }

  #open(): Session {
    const session = createSession({
      model: this.#model,
      log: this.#log,
      clock: this.#clock,
      random: () => CHANCE,
      newId: () => `q${++this.#ids}`,
      estimate,
      settings: this.#given,
      tools: [
        defineTool({
          name: "work",
          description: "works",
          parameters: anything,
          execute: () => new Promise<string>((resolve) => this.#tools.push({ finish: resolve })),
        }),
      ],
    });
    this.#sessionEvents = [];
    const { policies } = this.#settings;
    countChecks(this.#checker.checked);
    const checker = new TraceChecker({
      retriedKinds: Object.keys(policies).filter((kind) => policies[kind]?.action === "retry"),
    });
    this.#checker = checker;
    this.#unsubscribe = session.subscribe((event) => {
      this.#sessionEvents.push(event);
      this.#violations.push(...checker.push(event));
      const observed = observedEvent(event);
      if (observed) this.#events.push(JSON.stringify(observed));
    });
    return session;
  }

  #act(stimulus: Stimulus): void {
    const session = this.#session;
    switch (stimulus.type) {
      case "prompt":
        return this.#settles(session.prompt(text(stimulus.big), stimulus.as ? { streamingBehavior: stimulus.as } : {}));
      case "promptThenAbort":
        this.#settles(session.prompt(text()));
        return void session.abort();
      case "steer":
      case "followUp":
        try {
          session[stimulus.type](text(stimulus.big));
        } catch {
          this.#answers.push("refused");
        }
        return;
      case "clearQueue":
        return void session.clearQueue();
      case "abort":
        return void session.abort();
      case "abortRetry":
        return session.abortRetry();
      case "compact":
        return this.#settles(
          session.compact().then(
            () => ({ status: "compacted" }),
            (error: unknown) => (error instanceof CompactionError ? { status: "not compacted" } : Promise.reject(error)),
          ),
        );
      case "continue":
        return this.#settles(session.continue());
      case "dispose":
        return void session.dispose();
      case "setModel":
        try {
          const model = modelOf(stimulus.model);
          session.setModel(model);
          this.#models = [...this.#models.filter(({ waiting }) => waiting.length > 0), model];
          this.#model = model;
        } catch {
          this.#answers.push("refused");
        }
        return;
      case "setSettings":
        return session.setSettings(patchOf(stimulus.settings));
      case "reopen":
        return this.#reopen();
      case "reply":
        return this.#waiting()[0]?.answer(scriptedReply(stimulus.answer));
      case "toolEnds":
        return this.#tools.shift()?.finish(text(stimulus.big));
      case "handBack":
        return;
      case "compacted":
        return this.#compactions.find(({ aborted }) => !aborted)?.answer(stimulus.status);
      case "timePasses":
        return this.#pass();
      case "lateTool":
        return this.#lateTools.shift()?.finish(text());
      case "lateCompaction":
        return this.#compactions.find(({ aborted }) => aborted)?.answer("done");
    }
  }

  /** Requests of all models: a model that was changed may still have one under way. */
  #waiting(): HeldModel["waiting"] {
    return this.#models.flatMap(({ waiting }) => waiting);
  }

  #pass(): void {
    const { state, retryAt } = this.#session.state;
    if (state === "aborting") this.#lateTools.push(...this.#tools.splice(0));
    this.#clock.advance(state === "backoff" ? (retryAt ?? 0) - this.#clock.now() : GRACE_MS);
  }

  #settles(outcome: Promise<{ status: string }>): void {
    const session = this.#session;
    outcome.then(
      ({ status }) => session === this.#session && this.#answers.push(status),
      () => {
        if (session === this.#session) this.#answers.push("refused");
      },
    );
  }

  #state(settled: boolean): string {
    const { state, attempt, retryAt, steering, followUp, outcome } = this.#session.state;
    const { overflowRecoveryUsed, thresholdMuted, pending } = this.#session.actor.getSnapshot().context;
    // A tool has a time limit of its own, until it is told to stop.
    const toolTimers = state === "aborting" ? 0 : this.#tools.length;
    return JSON.stringify({
      state,
      attempt,
      wait: state === "backoff" ? (retryAt ?? 0) - this.#clock.now() : null,
      steering: steering.length,
      followUp: followUp.length,
      outcome: outcome && [outcome.status, outcome.cut],
      recoveryUsed: overflowRecoveryUsed,
      muted: thresholdMuted,
      pending: pending?.kind ?? null,
      requests: this.#waiting().length,
      tools: this.#tools.length,
      compactions: this.#compactions.filter(({ aborted }) => !aborted).length,
      timers: settled ? this.#clock.pending - toolTimers : null,
      showsFailedReply: this.#log.projection.items
        .slice(-3)
        .some(({ message }) => message.role === "assistant" && isFailed(message)),
    });
  }

  #reopen(): void {
    const entries = [...this.#log.entries];
    const old = this.#session;
    this.#given = old.settings;
    const now = this.#clock.now();
    this.#unsubscribe();
    void old.dispose();
    this.#clock.advance(GRACE_MS);
    for (const tool of this.#tools.splice(0)) tool.finish("");
    this.#clock = new ManualClock(now);
    this.#log = new EntryLog({
      header: { ...this.#log.header, id: `proof-${++sessions}` },
      entries,
      now: () => this.#clock.now(),
    });
    this.#tools = [];
    this.#lateTools = [];
    this.#compactions = holdCompactions(this.#log);
    this.#session = this.#open();
    // What the old process would have said is heard by nobody.
    this.#answers = [];
  }
}

function isFailed({ stopReason }: AssistantMessage): boolean {
  return stopReason === "error" || stopReason === "aborted";
}

function text(big?: true): string {
  return big === true ? BIG : "small";
}

/** Lets everything run that needs no time to pass. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function modelOf({ name, window }: ReferenceModel): HeldModel {
  const [provider = "", id = ""] = name.split("/");
  return heldModel({
    provider,
    id,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    record: false,
    ...(window === null ? {} : { contextWindow: window }),
  });
}

function history({ big }: ReferenceState, model: HeldModel): Parameters<SessionLog["appendAll"]>[0] {
  const { api, provider, id } = model;
  return [
    { type: "message", message: { role: "user", content: "before", timestamp: 0 } },
    {
      type: "message",
      message: {
        role: "assistant",
        content: [{ type: "text", text: text(big ? true : undefined) }],
        api,
        provider,
        model: id,
        usage: emptyUsage(),
        stopReason: "stop",
        timestamp: 0,
      },
    },
  ];
}

function scriptedReply({
  stopReason,
  callsTool,
  big,
  partial,
  failure,
  inputTokens = 0,
  outputTokens = 0,
}: ReferenceAnswer): ScriptedReply {
  const content: ScriptedReply = {
    ...(callsTool === true ? { toolCalls: [{ name: "work" }] } : {}),
    ...(stopReason === "error" && partial !== true ? {} : { text: text(big) }),
  };
  if (stopReason === "error") return { ...content, failure: failureOf(failure ?? { action: "stop", kind: "unknown" }) };
  // Tokens are estimated in these tests, so that they are the reference's to say; only a reply's own are reported.
  return { ...content, stopReason, usage: { input: inputTokens, output: outputTokens, totalTokens: 0 } };
}

function patchOf({
  retry,
  maxRetries,
  baseDelayMs,
  maxAgentDelayMs,
  jitter,
  waitUpToMs,
  policies,
  compaction,
  reserveTokens,
  queueMode,
}: Partial<ReferenceSettings>): SettingsPatch {
  return {
    retry: {
      ...(retry === undefined ? {} : { enabled: retry }),
      ...(maxRetries === undefined ? {} : { maxRetries }),
      ...(baseDelayMs === undefined ? {} : { baseDelayMs }),
      ...(maxAgentDelayMs === undefined ? {} : { maxAgentDelayMs }),
      ...(jitter === undefined ? {} : { jitter }),
      ...(waitUpToMs === undefined ? {} : { longWait: { waitUpToMs } }),
      ...(policies === undefined ? {} : { policies }),
    },
    compaction: {
      ...(compaction === undefined ? {} : { enabled: compaction }),
      ...(reserveTokens === undefined ? {} : { reserveTokens }),
    },
    ...(queueMode === undefined ? {} : { steeringMode: queueMode, followUpMode: queueMode }),
    abortGraceMs: GRACE_MS,
    stream: { firstEventMs: undefined, idleMs: undefined, totalMs: undefined },
  };
}
