import {
  possibleStimuli,
  sessionStep,
  type Path,
  type ReferenceState,
  type ReferenceStep,
  type Scope,
  type Stimulus,
  type World,
} from "../../src/testing/index.ts";
import { expectedState } from "./expected-state.ts";
import { quiet, RealSession } from "./real-session.ts";

/** The real session is not what the reference says it has to be. The message is a story that can be pasted as a test. */
export class Difference extends Error {
  override readonly name = "Difference";
  readonly world: World;
  readonly path: Path;

  constructor(world: World, path: Path, difference: string) {
    const lines = path.map((stimulus) => `    ${JSON.stringify(stimulus)},`);
    super(
      [
        difference,
        "",
        'test("the session does what the reference says", async () => {',
        `  await play(world(${JSON.stringify(world.name)}), [`,
        ...lines,
        "  ]);",
        "});",
      ].join("\n"),
    );
    this.world = world;
    this.path = [...path];
  }
}

/** A real session beside the reference: after each stimulus both have to say the same. */
export class Trial {
  readonly #world: World;
  readonly #path: Stimulus[] = [];
  #answers: string[] = [];
  readonly real: RealSession;
  state: ReferenceState;

  constructor(world: World) {
    this.#world = world;
    this.state = world.initial;
    this.real = new RealSession(world.initial);
  }

  /** @throws Difference */
  async drive(path: Iterable<Stimulus>): Promise<void> {
    for (const stimulus of path) {
      const waiting = this.step(stimulus);
      if (waiting) await waiting;
    }
  }

  /**
   * @returns Undefined when what comes next has to come in the same tick: then the caller must not wait.
   * @throws Difference
   */
  step(stimulus: Stimulus): Promise<void> | undefined {
    this.#path.push(stimulus);
    const expected = sessionStep(this.state, stimulus);
    this.state = expected.state;
    // Nobody is left to hear what the old process would have answered.
    if (stimulus.type === "reopen") this.#answers = [];
    this.#answers.push(...expected.answers, ...(expected.accepted ? [] : ["refused"]));
    this.real.apply(stimulus);
    const { policy, doing, disposed } = expected.state;
    // An aborted run hands back as soon as it gets the chance.
    if (policy.phase !== "aborting" || doing !== "request" || disposed) return quiet().then(() => this.#judge(expected, true));
    this.#judge(expected, false);
    return undefined;
  }

  #judge(expected: ReferenceStep, settled: boolean): void {
    const observed = this.real.observe(settled);
    if (observed.violations.length > 0) this.#fail(`broken invariants: ${JSON.stringify(observed.violations)}`);
    const parts: [string, string, string][] = [
      ["events", expected.events.map((event) => JSON.stringify(event)).join(" "), observed.events.join(" ")],
      ["state", expectedState(expected.state, settled), observed.state],
    ];
    // Promises need their turn.
    if (settled) parts.push(["answers", this.#answers.splice(0).toSorted().join(" "), this.real.takeAnswers().join(" ")]);
    const differing = parts.filter(([, wanted, seen]) => wanted !== seen);
    if (differing.length > 0)
      this.#fail(
        differing
          .map(([part, wanted, seen]) => `${part}\n  expected ${wanted || "nothing"}\n  seen     ${seen || "nothing"}`)
          .join("\n"),
      );
  }

  #fail(difference: string): never {
    throw new Difference(this.#world, this.#path, difference);
  }
}

/** Drives one way through a world on a real session. @throws Difference, shrunk to the shortest story that shows one. */
export async function play(world: World, path: Path): Promise<void> {
  const difference = await differenceOf(world, path);
  if (difference) throw await shrunk(difference);
}

async function differenceOf(world: World, path: Path): Promise<Difference | undefined> {
  const trial = new Trial(world);
  try {
    await trial.drive(path);
    return undefined;
  } catch (error) {
    if (error instanceof Difference) return error;
    throw error;
  } finally {
    await trial.real.close();
  }
}

/** Leaves out of a story all that is not needed to show a difference: first large parts of it, then single steps. */
export async function shrunk(difference: Difference): Promise<Difference> {
  const { world } = difference;
  let shortest = difference;
  for (let size = Math.ceil(difference.path.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = shortest.path.length - 1 - size; at >= 0; at -= 1) {
      const shorter = shortest.path.filter((_, index) => index < at || index >= at + size);
      const found = isPossible(world, shorter) ? await differenceOf(world, shorter) : undefined;
      if (found === undefined) continue;
      shortest = found;
      at = Math.min(at, shortest.path.length - size);
    }
  }
  return shortest;
}

function isPossible({ initial, scope }: World, path: Path): boolean {
  let state = initial;
  for (const stimulus of path) {
    if (!possibleIn(state, stimulus, scope)) return false;
    ({ state } = sessionStep(state, stimulus));
  }
  return true;
}

function possibleIn(state: ReferenceState, stimulus: Stimulus, scope: Scope): boolean {
  const wanted = JSON.stringify(stimulus);
  return possibleStimuli(state, scope).some((one) => JSON.stringify(one) === wanted);
}
