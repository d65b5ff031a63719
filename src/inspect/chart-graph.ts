/** The statechart as a graph to draw: read from the machine itself, so that the picture cannot say anything else. */
import { runAfterRules } from "../../machines/run-after.ts";
import { sessionMachine } from "../../machines/session.ts";

export interface ChartState {
  id: string;
  title: string;
  /** The state it is inside of. */
  parent?: string;
}

/** One arrow: every transition between two states. */
export interface ChartEdge {
  /** The steps it stands for, as a trace names them: `source>target`. */
  steps: string[];
  source: string;
  target: string;
  /** Events and rules that lead along it, one or more a line. */
  lines: string[];
}

export interface ChartGraph {
  states: ChartState[];
  edges: ChartEdge[];
}

/** Drawn around the states in which nothing automatic follows; what leaves all of them leaves the frame. */
export const AT_REST = "at rest";
const RESTING = ["idle", "settled"];

type StateNode = typeof sessionMachine.root;

const ANSWERS: Record<string, string> = {
  "xstate.done.actor.agentRun": "run ended",
  "xstate.error.actor.agentRun": "run broke",
  "xstate.done.actor.abortGrace": "grace over",
  "xstate.done.actor.retryWait": "due",
  "xstate.done.actor.compaction": "done",
  "xstate.error.actor.compaction": "broke",
};

const CONDITIONS: Record<string, string> = {
  overThreshold: "over the threshold",
  overThresholdUnmuted: "over the threshold",
  retryPending: "retry pending",
  compactionPending: "pending",
  byHand: "by hand",
  turnsRetryOff: "retry off",
};

/** States, and arrows grouped by their ends. Transitions that stay where they are have no arrow. */
export function chartGraph(): ChartGraph {
  const states: ChartState[] = [{ id: AT_REST, title: AT_REST }];
  const edges: ChartEdge[] = [];
  const visit = (node: StateNode): void => {
    const id = node.path.join(".");
    const parent = RESTING.includes(id) ? AT_REST : node.path.slice(0, -1).join(".");
    if (id !== "") states.push({ id, title: node.key, ...(parent === "" ? {} : { parent }) });
    edges.push(...arrowsFrom(node, id));
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(sessionMachine.root);
  return { states, edges: edges.reduce(mergeAtRest, []) };
}

/** What idle and settled have in common is one arrow from the frame around them. */
function mergeAtRest(edges: ChartEdge[], edge: ChartEdge): ChartEdge[] {
  if (!RESTING.includes(edge.source) || RESTING.includes(edge.target)) return [...edges, edge];
  const twin = edges.find(({ source, target }) => source === AT_REST && target === edge.target);
  if (!twin) return [...edges, { ...edge, source: AT_REST }];
  return edges.map((other) => (other === twin ? { ...twin, steps: [...twin.steps, ...edge.steps] } : other));
}

function arrowsFrom(node: StateNode, source: string): ChartEdge[] {
  const causes = new Map<string, Map<string, string[]>>();
  for (const { target, cause, condition } of transitionsOf(node)) {
    const byCondition = causes.get(target) ?? new Map<string, string[]>();
    const named = byCondition.get(condition) ?? [];
    if (!named.includes(cause)) byCondition.set(condition, [...named, cause]);
    causes.set(target, byCondition);
  }
  return [...causes].map(([target, byCondition]) => ({
    steps: [`${source}>${target}`],
    source,
    target,
    lines: linesOf(byCondition),
  }));
}

function linesOf(byCondition: Map<string, string[]>): string[] {
  return [...byCondition].flatMap(([condition, causes]) => {
    // Rules have a line each; of events there may be many.
    if (causes.some((cause) => /^\d/.test(cause))) return causes;
    return [`${causes.join(", ")}${condition === "" ? "" : ` if ${condition}`}`];
  });
}

interface Transition {
  target: string;
  cause: string;
  condition: string;
}

function transitionsOf(node: StateNode): Transition[] {
  const named = [...node.transitions.values()].flat().map((transition) => ({
    transition,
    cause: ANSWERS[transition.eventType] ?? transition.eventType,
  }));
  const eventless = (node.always ?? []).map((transition, index) => ({
    transition,
    cause: node.key === "deciding" ? `${index + 1} ${runAfterRules[index]?.name ?? ""}` : "restored",
  }));
  return [...named, ...eventless].flatMap(({ transition, cause }) =>
    (transition.target ?? []).map((target) => ({
      target: target.path.join("."),
      cause,
      condition: conditionOf(transition.guard),
    })),
  );
}

function conditionOf(guard: unknown): string {
  return typeof guard === "string" ? (CONDITIONS[guard] ?? "") : "";
}
