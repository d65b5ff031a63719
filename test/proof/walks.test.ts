import fc from "fast-check";
import { expect, test } from "vitest";
import {
  answers,
  checkTrace,
  initialState,
  possibleStimuli,
  referenceSettings,
  sessionStep,
  smallModel,
  type ReferenceState,
  type Scope,
  type Stimulus,
  type World,
} from "../../src/testing/index.ts";
import { Difference, shrunk, Trial } from "./judge.ts";
import { note, noteChecks } from "./report.ts";
import { runs, seed } from "./seed.ts";

const everything: Scope = { steering: 3, followUp: 3, awaited: 2, settings: true, reopen: true, late: 3, sameTick: true };

/** Worlds that differ in their settings: waits with jitter, policies of their own, both ways to deliver a queue. */
const settings = fc.record({
  maxRetries: fc.integer({ min: 0, max: 5 }),
  baseDelayMs: fc.constantFrom(1000, 3000),
  jitter: fc.constantFrom(0, 0.5),
  queueMode: fc.constantFrom("one-at-a-time" as const, "all" as const),
  waitUpToMs: fc.constantFrom(0, 9000),
  policies: fc.constantFrom(
    {},
    { auth: { action: "retry" as const, maxRetries: 1, baseDelayMs: 10 } },
    { overloaded: { action: "stop" as const } },
    { rate_limited: { maxAgentDelayMs: 20_000 } },
  ),
});

const worldOf = fc
  .record({ settings, history: fc.constantFrom("small" as const, "big" as const) })
  .map(({ settings: some, history }): World => ({
    name: "a random world",
    scope: everything,
    initial: initialState({ model: smallModel, settings: { ...referenceSettings, ...some }, history }),
  }));

/** Stimuli that may come in one tick, while an aborted request has not handed back yet. */
const MOST_IN_A_TICK = 4;

/** One step of a walk: a stimulus is chosen among those that are possible by then, and more if they have to come in the same tick. */
class Step implements fc.AsyncCommand<{ state: ReferenceState }, Trial> {
  readonly #chance: number;
  readonly #taken: Stimulus[] = [];

  constructor(chance: number) {
    this.#chance = chance;
  }

  check(): boolean {
    return true;
  }

  async run(model: { state: ReferenceState }, trial: Trial): Promise<void> {
    this.#taken.length = 0;
    for (let chance = this.#chance, waiting: Promise<void> | undefined; waiting === undefined; chance = (chance * 97) % 1) {
      const stimulus: Stimulus = this.#taken.length < MOST_IN_A_TICK ? chosen(model.state, chance) : { type: "handBack" };
      this.#taken.push(stimulus);
      model.state = sessionStep(model.state, stimulus).state;
      waiting = trial.step(stimulus);
      if (waiting) await waiting;
    }
  }

  toString(): string {
    return this.#taken.map((stimulus) => JSON.stringify(stimulus)).join(", ");
  }
}

/** Retries and overflows are what sessions are for: they come more often than anything else. */
function weight(stimulus: Stimulus): number {
  if (stimulus.type === "timePasses") return 8;
  if (stimulus.type === "compacted") return stimulus.status === "done" ? 8 : 2;
  if (stimulus.type !== "reply") return stimulus.type === "dispose" || stimulus.type === "reopen" ? 0.5 : 1;
  const { answer } = stimulus;
  return answer === answers.overflow ||
    answer === answers.overloaded ||
    answer === answers.interrupted ||
    answer === answers.cutByWindow
    ? 6
    : 1;
}

function chosen(state: ReferenceState, chance: number): Stimulus {
  const stimuli = possibleStimuli(state, everything);
  const total = stimuli.reduce((sum, stimulus) => sum + weight(stimulus), 0);
  let left = chance * total;
  return stimuli.find((stimulus) => (left -= weight(stimulus)) < 0) ?? { type: "abort" };
}

test("random walks are as the reference says, and their traces break no invariant", { timeout: 900_000 }, async () => {
  // Evenly spread: doubles would nearly all be next to 0.
  const command = fc.noBias(fc.integer({ min: 0, max: 999_999 })).map((chance) => new Step(chance / 1_000_000));
  await fc.assert(
    fc.asyncProperty(worldOf, fc.commands([command], { maxCommands: 60, size: "max" }), async (world, commands) => {
      const trial = new Trial(world);
      try {
        await fc.asyncModelRun(() => ({ model: { state: world.initial }, real: trial }), commands);
      } catch (error) {
        throw error instanceof Difference ? await shrunk(error) : error;
      } finally {
        await trial.real.close();
      }
      expect(checkTrace(trial.real.trace, { retriedKinds: ["auth"] })).toEqual([]);
    }),
    { seed, numRuns: runs(400), endOnFailure: true },
  );
  note({ about: "random", name: "walks of up to 60 stimuli on a real session, judged by the reference", runs: runs(400), seed });
  noteChecks();
});
