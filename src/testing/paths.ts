import { sessionStep } from "./reference/session.ts";
import { possibleStimuli } from "./reference/stimuli.ts";
import { stateKey } from "./reference/work.ts";
import type { ReferenceState, ReferenceStep, Stimulus } from "./reference/world.ts";
import type { World } from "./reference/worlds.ts";

/** One stimulus in one state, and what has to come of it. */
export interface GraphEdge {
  from: string;
  stimulus: Stimulus;
  to: string;
}

/** Every state of a world that can be reached, and everything that can happen in each. */
export interface Graph {
  world: World;
  /** Key of the state in which it begins. */
  start: string;
  states: ReadonlyMap<string, ReferenceState>;
  /** Edges out of each state. */
  edges: ReadonlyMap<string, readonly GraphEdge[]>;
  /** The edge by which each state but the first is reached in the fewest steps. */
  reachedBy: ReadonlyMap<string, GraphEdge>;
}

/** A way through a world, from its start. */
export type Path = readonly Stimulus[];

/** Explores a world to its end. @throws RangeError when it has more than `limit` states. */
export function explore(world: World, limit = 50_000): Graph {
  const { initial, scope } = world;
  const start = stateKey(initial, scope);
  const states = new Map([[start, initial]]);
  const edges = new Map<string, GraphEdge[]>();
  const reachedBy = new Map<string, GraphEdge>();
  for (const [from, state] of states) {
    const out: GraphEdge[] = [];
    for (const stimulus of possibleStimuli(state, scope)) {
      const next = sessionStep(state, stimulus).state;
      const edge = { from, stimulus, to: stateKey(next, scope) };
      out.push(edge);
      if (states.has(edge.to)) continue;
      if (states.size >= limit)
        throw new RangeError(`The world "${world.name}" has more than ${limit} states: narrow its scope.`);
      states.set(edge.to, next);
      reachedBy.set(edge.to, edge);
    }
    edges.set(from, out);
  }
  return { world, start, states, edges, reachedBy };
}

/** The shortest way to a state. @throws RangeError for a state that the graph does not hold. */
export function pathTo(graph: Graph, key: string): Path {
  if (!graph.states.has(key)) throw new RangeError("There is no such state in this graph.");
  const path: Stimulus[] = [];
  for (let edge = graph.reachedBy.get(key); edge !== undefined; edge = graph.reachedBy.get(edge.from))
    path.unshift(edge.stimulus);
  return path;
}

/** A shortest way to each state, the start's empty one first. */
export function pathsOf(graph: Graph): Path[] {
  return [...graph.states.keys()].map((key) => pathTo(graph, key));
}

/**
 * A way through a world, chosen by chance.
 *
 * @param random Gives the next number from 0 up to but not including 1.
 * @param weigh How likely a stimulus is, compared with the others; default all alike.
 */
export function randomPath(
  { initial, scope }: World,
  length: number,
  random: () => number,
  weigh: (stimulus: Stimulus) => number = () => 1,
): Path {
  const path: Stimulus[] = [];
  let state = initial;
  while (path.length < length) {
    const stimulus = choose(possibleStimuli(state, scope), random, weigh);
    if (stimulus === undefined) break;
    path.push(stimulus);
    ({ state } = sessionStep(state, stimulus));
  }
  return path;
}

/** What the reference says of each step of a path. */
export function stepsOf({ initial }: World, path: Path): ReferenceStep[] {
  let state = initial;
  return path.map((stimulus) => {
    const step = sessionStep(state, stimulus);
    ({ state } = step);
    return step;
  });
}

function choose(stimuli: readonly Stimulus[], random: () => number, weigh: (stimulus: Stimulus) => number): Stimulus | undefined {
  const weights = stimuli.map(weigh);
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  return stimuli.find((_, index) => (left -= weights[index] ?? 0) < 0);
}
