import fc from "fast-check";
import { expect, test } from "vitest";
import { defineTool } from "../../src/agent/tool-set.ts";
import { CompactionError, NothingToContinueError, SessionBusyError, SessionDisposedError } from "../../src/session/errors.ts";
import type { UserMessage } from "../../src/model/types.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { createSession, type Session } from "../../src/session/session.ts";
import { checkTrace, heldModel, ManualClock, type HeldModel, type ScriptedReply } from "../../src/testing/index.ts";
import { failureOf } from "./failures.ts";
import { note } from "./report.ts";
import { runs, seed } from "./seed.ts";

const actions = [
  "prompt",
  "promptSteer",
  "promptFollowUp",
  "steer",
  "followUp",
  "abort",
  "abortRetry",
  "compact",
  "continue",
  "retryOff",
  "retryOn",
  "compactionOff",
  "clearQueue",
  "dispose",
] as const;
type Action = (typeof actions)[number];

const listened = [
  "agent_start",
  "turn_start",
  "message_start",
  "message_end",
  "tool_execution_start",
  "tool_execution_end",
  "turn_end",
  "agent_end",
  "auto_retry_start",
  "auto_retry_end",
  "compaction_start",
  "compaction_end",
  "queue_update",
  "agent_settled",
  "entry_appended",
] as const;

const replies: Record<string, ScriptedReply> = {
  good: { text: "fine" },
  tool: { toolCalls: [{ name: "work" }, { name: "work" }] },
  cut: { text: "half", stopReason: "length", usage: { input: 1, output: 100 } },
  cutCall: { toolCalls: [{ name: "work" }], stopReason: "length", usage: { input: 1, output: 100 } },
  broken: { text: "par", failure: failureOf({ action: "retry", kind: "stream_interrupted" }) },
  overloaded: { failure: failureOf({ action: "retry", kind: "overloaded" }) },
  overflow: { failure: failureOf({ action: "compact", kind: "context_overflow" }) },
  refused: { failure: failureOf({ action: "stop", kind: "auth" }) },
  unfinished: { text: "half", cut: 1 },
  full: { text: "much", usage: { input: 990, output: 1 } },
};

/** A session whose answers, timers and people come in the order a scheduler says, and whose listeners call back into it. */
class Race {
  readonly clock = new ManualClock(1_000_000);
  readonly model: HeldModel = heldModel({ contextWindow: 1000, maxOutputTokens: 100 });
  readonly events: SessionEvent[] = [];
  readonly session: Session;
  readonly promises: Promise<unknown>[] = [];
  readonly accepted: string[] = [];
  readonly takenBack: string[] = [];
  readonly unexpected: unknown[] = [];
  #tools: (() => void)[] = [];
  #texts = 0;

  constructor(reactions: readonly { on: string; does: Action }[]) {
    const execute = (): Promise<string> => new Promise((resolve) => this.#tools.push(() => resolve("done")));
    const parameters = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ type: "object" }) },
      },
    };
    this.session = createSession({
      model: this.model,
      clock: this.clock,
      random: () => 0,
      tools: [defineTool({ name: "work", description: "works", parameters, execute })],
      settings: {
        retry: { maxRetries: 2 },
        abortGraceMs: 50,
        stream: { firstEventMs: undefined, idleMs: undefined },
        compaction: { keepRecentTokens: 1 },
      },
      onListenerError: (error) => this.unexpected.push(error),
    });
    const left = [...reactions];
    this.session.subscribe((event) => {
      this.events.push(event);
      const at = left.findIndex(({ on }) => on === event.type);
      const reaction = at === -1 ? undefined : left.splice(at, 1)[0];
      if (reaction) this.act(reaction.does);
    });
  }

  act(action: Action): void {
    const { session } = this;
    try {
      switch (action) {
        case "prompt":
          return this.#prompt({});
        case "promptSteer":
          return this.#prompt({ streamingBehavior: "steer" });
        case "promptFollowUp":
          return this.#prompt({ streamingBehavior: "followUp" });
        case "steer":
        case "followUp": {
          const text = this.#text();
          session[action](text);
          this.accepted.push(text);
          return;
        }
        case "abort":
          this.promises.push(session.abort());
          return;
        case "abortRetry":
          return session.abortRetry();
        case "compact":
          return this.#watch(session.compact());
        case "continue":
          return this.#watch(session.continue());
        case "retryOff":
          return session.setSettings({ retry: { enabled: false } });
        case "retryOn":
          return session.setSettings({ retry: { enabled: true } });
        case "compactionOff":
          return session.setSettings({ compaction: { enabled: false } });
        case "clearQueue": {
          const { steering, followUp } = session.clearQueue();
          this.takenBack.push(...[...steering, ...followUp].map(textOf));
          return;
        }
        case "dispose":
          this.promises.push(session.dispose());
          return;
      }
    } catch (error) {
      this.#expected(error);
    }
  }

  /** The oldest thing that waits for an answer gets it. */
  answer(reply: ScriptedReply): void {
    const tool = this.#tools.shift();
    if (tool) tool();
    else this.model.waiting[0]?.answer(reply);
  }

  async toRest(): Promise<void> {
    for (let turn = 0; turn < 200 && (this.session.state.busy || this.#tools.length > 0); turn++) {
      this.answer({ text: "fine" });
      await quiet();
      if (this.model.waiting.length === 0 && this.#tools.length === 0) this.clock.runNext();
      await quiet();
    }
  }

  #text(): string {
    return `text ${++this.#texts}`;
  }

  #prompt(options: Parameters<Session["prompt"]>[1]): void {
    const text = this.#text();
    const prompted = this.session.prompt(text, options);
    this.accepted.push(text);
    this.promises.push(
      prompted.catch((error: unknown) => {
        this.accepted.splice(this.accepted.indexOf(text), 1);
        this.#expected(error);
      }),
    );
  }

  #watch(promise: Promise<unknown>): void {
    this.promises.push(promise.catch((error: unknown) => this.#expected(error)));
  }

  #expected(error: unknown): void {
    const known = [CompactionError, NothingToContinueError, SessionBusyError, SessionDisposedError].some(
      (kind) => error instanceof kind,
    );
    if (!known) this.unexpected.push(error);
  }
}

function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** All messages of these tests are plain text. */
function textOf({ content }: UserMessage): string {
  return typeof content === "string" ? content : "";
}

function answered(promises: readonly Promise<unknown>[]): Promise<boolean> {
  return Promise.race([Promise.all(promises).then(() => true), patience()]);
}

/** Says no after a while in which nothing but time was lacking. */
async function patience(): Promise<boolean> {
  for (let turn = 0; turn < 20; turn++) await quiet();
  return false;
}

const story = fc.record({
  replies: fc.array(fc.constantFrom(...Object.keys(replies)), { minLength: 3, maxLength: 8 }),
  actions: fc.array(fc.constantFrom(...actions), { minLength: 1, maxLength: 6 }),
  ticks: fc.integer({ min: 0, max: 4 }),
  reactions: fc.array(fc.record({ on: fc.constantFrom(...listened), does: fc.constantFrom(...actions) }), { maxLength: 3 }),
});

test("whatever the order of answers, timers, people and listeners, every guarantee holds", { timeout: 900_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), story, async (scheduler, told) => {
      const race = new Race(told.reactions);
      const at = (label: string, what: () => void): void => void scheduler.schedule(Promise.resolve(), label).then(what);
      race.act("prompt");
      for (const name of told.replies) at(`answers ${name}`, () => race.answer(replies[name] ?? {}));
      for (const action of told.actions) at(action, () => race.act(action));
      for (let tick = 0; tick < told.ticks; tick++) at("time passes", () => void race.clock.runNext());
      while (scheduler.count() > 0) await scheduler.waitNext(1);
      await race.toRest();

      expect(race.session.state.busy).toBe(false);
      expect(checkTrace(race.events)).toEqual([]);
      expect(race.unexpected).toEqual([]);
      expectNothingLost(race);
      // Everyone who waits is answered, at once.
      expect(await answered([race.session.dispose(), ...race.promises])).toBe(true);
      expect(race.clock.pending).toBe(0);
      expect(race.model.waiting).toEqual([]);
    }),
    { seed, numRuns: runs(400), endOnFailure: false },
  );
  note({ about: "random", name: "interleavings of answers, timers, people and listeners that call back", runs: runs(400), seed });
});

/** Each accepted message is in the log, in a queue, or was taken back: once. Each call of a good reply has one result. */
function expectNothingLost({ session, events, accepted, takenBack }: Race): void {
  const entries = session.log.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const inLog = entries.flatMap((message) => (message.role === "user" ? [textOf(message)] : []));
  const last = events.findLast(({ type }) => type === "queue_update");
  const queued = last?.type === "queue_update" ? [...last.steering, ...last.followUp] : [];
  expect([...inLog, ...queued, ...takenBack].toSorted()).toEqual(accepted.toSorted());
  const calls = entries.flatMap((message) =>
    message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted"
      ? message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
      : [],
  );
  const results = entries.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
  expect(results.toSorted()).toEqual(calls.toSorted());
}
