import fc from "fast-check";
import { expect, test } from "vitest";
import { answers, checkTrace, initialState, possibleStimuli, referenceSettings, sessionStep, smallModel, type ReferenceState, type Scope, type Stimulus, type World } from "../../src/testing/index.ts";
import { Difference, shrunk, Trial } from "./judge.ts";
import { runs, seed } from "./seed.ts";

const everything: Scope = { steering: 3, followUp: 3, awaited: 2, settings: true, reopen: true, late: 3, sameTick: true };

/** Worlds that differ in their settings: waits with jitter, policies of their own, both ways to deliver a queue. */
const settings = fc.record({
  maxRetries: fc.integer({ min: 0, max: 5 }),
  jitter: fc.constantFrom(0, 0.5),
  queueMode: fc.constantFrom("one-at-a-time" as const, "all" as const),
  waitUpToMs: fc.constantFrom(0, 9000),
  policies: fc.constantFrom({}, { auth: { action: "retry" as const, maxRetries: 1, baseDelayMs: 10 } }, { overloaded: { action: "stop" as const } }, { rate_limited: { maxAgentDelayMs: 20_000 } }),
});

const worldOf = fc.record({ settings, history: fc.constantFrom("small" as const, "big" as const) }).map(({ settings: some, history }): World => ({
  name: "a random world",
  scope: everything,
  initial: initialState({ model: smallModel, settings: { ...referenceSettings, ...some }, history }),
}));

/** One step of a walk: a stimulus is chosen among those that are possible by then. */
class Step implements fc.AsyncCommand<{ state: ReferenceState }, Trial> {
  readonly #chance: number;
  #taken: Stimulus | undefined;

  constructor(chance: number) {
    this.#chance = chance;
  }

  check({ state }: { state: ReferenceState }): boolean {
    this.#taken = chosen(state, this.#chance);
    return true;
  }

  async run(model: { state: ReferenceState }, trial: Trial): Promise<void> {
    const stimulus = this.#taken ?? chosen(model.state, this.#chance);
    model.state = sessionStep(model.state, stimulus).state;
    const waiting = trial.step(stimulus);
    if (waiting) await waiting;
  }

  toString(): string {
    return JSON.stringify(this.#taken);
  }
}

/** Retries and overflows are what sessions are for: they come more often than anything else. */
function weight(stimulus: Stimulus): number {
  if (stimulus.type === "timePasses") return 8;
  if (stimulus.type === "compacted") return stimulus.status === "done" ? 8 : 2;
  if (stimulus.type !== "reply") return stimulus.type === "dispose" || stimulus.type === "reopen" ? 0.5 : 1;
  const { answer } = stimulus;
  return answer === answers.overflow || answer === answers.overloaded || answer === answers.interrupted || answer === answers.cutByWindow ? 6 : 1;
}

function chosen(state: ReferenceState, chance: number): Stimulus {
  const stimuli = possibleStimuli(state, everything);
  const total = stimuli.reduce((sum, stimulus) => sum + weight(stimulus), 0);
  let left = chance * total;
  return stimuli.find((stimulus) => (left -= weight(stimulus)) < 0) ?? { type: "abort" };
}

test("random walks are as the reference says, and their traces break no invariant", { timeout: 900_000 }, async () => {
  const command = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((chance) => new Step(chance));
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
});
