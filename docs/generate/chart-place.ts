/** Places the statechart with elkjs, the way that crosses the fewest lines. */
import ELKConstructor, { type ElkExtendedEdge, type ElkNode } from "elkjs/lib/elk.bundled.js";
import type { ChartEdge, ChartGraph, ChartState } from "../../src/inspect/chart-graph.ts";
import { lineHeight, titleSize } from "../../src/inspect/view/chart-svg.ts";
import type { ChartLayout, PlacedEdge, PlacedState, Point } from "../../src/inspect/view/chart-types.ts";
import { countCrossings, countLinesOverWords } from "./chart-crossings.ts";

export interface Placing {
  direction: "RIGHT" | "DOWN";
  /** Units of the picture that its width may not pass. */
  maxWidth: number;
  /** Size of the letters of labels, in the picture's units. */
  textSize: number;
  /** Letters of a label line; a longer one is broken. */
  lineLength: number;
  /** `numbers`: rules by their numbers alone, all in one line. `none`: arrows have no words. */
  labels: "full" | "numbers" | "none";
}

const SEEDS = 40;
const STRATEGIES = ["NETWORK_SIMPLEX", "BRANDES_KOEPF"].flatMap((placement) =>
  ["GREEDY", "DEPTH_FIRST", "MODEL_ORDER"].map((cycleBreaking) => ({
    "elk.layered.nodePlacement.strategy": placement,
    "elk.layered.cycleBreaking.strategy": cycleBreaking,
  })),
);
/** Width of a letter, as a share of its size. */
const LETTER_WIDTH = 0.55;
const MARGIN = 12;

// The package's types name a default export, which under Node is the constructor itself.
const Elk = ELKConstructor as unknown as { new (): { layout(graph: ElkNode): Promise<ElkNode> } };

/** @returns The layout with the fewest crossings that is narrow enough; among those the smallest. */
export async function placeChart(graph: ChartGraph, placing: Placing): Promise<ChartLayout> {
  const elk = new Elk();
  let best: { layout: ChartLayout; cost: number } | undefined;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    for (const strategies of STRATEGIES) {
      const layout = toLayout(await elk.layout(elkGraph(graph, placing, seed, strategies)), graph, placing);
      const cost = costOf(layout, placing);
      if (!best || cost < best.cost) best = { layout, cost };
    }
  }
  if (!best) throw new Error("elkjs gave no layout.");
  return best.layout;
}

function costOf(layout: ChartLayout, { maxWidth }: Placing): number {
  const bends = layout.edges.reduce((sum, { points }) => sum + points.length, 0);
  const excess = Math.max(0, layout.width - maxWidth);
  return (
    countCrossings(layout) * 1e9 + countLinesOverWords(layout) * 1e8 + excess * 1e6 + layout.width * layout.height + bends * 2000
  );
}

function elkGraph({ states, edges }: ChartGraph, placing: Placing, seed: number, strategies: Record<string, string>): ElkNode {
  const nodeOf = ({ id, title }: ChartState): ElkNode => {
    const children = states.filter(({ parent }) => parent === id).map(nodeOf);
    if (children.length === 0)
      return { id, width: Math.max(84, Math.ceil(title.length * 0.6 * titleSize(placing.textSize)) + 20), height: 38 };
    return { id, children, layoutOptions: { "elk.padding": "[top=32,left=14,bottom=14,right=14]" } };
  };
  return {
    id: "chart",
    children: states.filter(({ parent }) => parent === undefined).map(nodeOf),
    edges: edges.map((edge, index) => elkEdge(edge, index, placing)),
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": placing.direction,
      "elk.hierarchyHandling": "INCLUDE_CHILDREN",
      "elk.edgeRouting": "ORTHOGONAL",
      "elk.randomSeed": String(seed),
      "elk.json.edgeCoords": "ROOT",
      "elk.json.shapeCoords": "ROOT",
      "elk.layered.thoroughness": "40",
      ...strategies,
      "elk.layered.crossingMinimization.strategy": "LAYER_SWEEP",
      "elk.layered.spacing.nodeNodeBetweenLayers": "22",
      "elk.layered.spacing.edgeNodeBetweenLayers": "12",
      "elk.spacing.nodeNode": "18",
      "elk.spacing.edgeNode": "12",
      "elk.spacing.edgeEdge": "10",
      "elk.spacing.edgeLabel": "3",
      "elk.padding": `[top=${MARGIN},left=${MARGIN},bottom=${MARGIN},right=${MARGIN}]`,
    },
  };
}

function elkEdge({ source, target, lines }: ChartEdge, index: number, placing: Placing): ElkExtendedEdge {
  const broken = labelLines(lines, placing);
  if (broken.length === 0) return { id: String(index), sources: [source], targets: [target] };
  const width = Math.max(...broken.map((line) => line.length)) * LETTER_WIDTH * placing.textSize + 8;
  const label = { text: broken.join("\n"), width: Math.ceil(width), height: broken.length * lineHeight(placing.textSize) + 2 };
  return {
    id: String(index),
    sources: [source],
    targets: [target],
    labels: [{ ...label, layoutOptions: { "elk.edgeLabels.inline": "true" } }],
  };
}

/** Lines broken at spaces where they are too long; a rule keeps its number beside its name. */
function labelLines(lines: readonly string[], { lineLength, labels }: Placing): string[] {
  const rules = lines.every((line) => /^\d/.test(line));
  if (labels === "none") return [];
  if (rules && labels === "numbers") return [`rule ${lines.map((line) => line.split(" ")[0]).join(" ")}`];
  if (rules) return [...lines];
  return lines.flatMap((line) => {
    const broken: string[] = [];
    for (const word of line.split(" ")) {
      const last = broken.at(-1);
      if (last !== undefined && last.length + word.length < lineLength) broken[broken.length - 1] = `${last} ${word}`;
      else broken.push(word);
    }
    return broken;
  });
}

function toLayout(root: ElkNode, graph: ChartGraph, placing: Placing): ChartLayout {
  const nodes = new Map(allNodes(root).map((node) => [node.id, node]));
  const states = graph.states.map((state): PlacedState => {
    const { x = 0, y = 0, width = 0, height = 0, children } = nodes.get(state.id) ?? {};
    return {
      ...state,
      frame: children !== undefined && children.length > 0,
      x: round(x),
      y: round(y),
      width: round(width),
      height: round(height),
    };
  });
  const edges = graph.edges.map(({ steps, source, target, lines }, index): PlacedEdge => {
    const edge = root.edges?.find(({ id }) => id === String(index));
    const label = edge?.labels?.[0];
    return {
      steps,
      source,
      target,
      points: pointsOf(edge),
      label: {
        x: round(label?.x ?? 0),
        y: round(label?.y ?? 0),
        width: round(label?.width ?? 0),
        height: round(label?.height ?? 0),
        lines: labelLines(lines, placing),
      },
    };
  });
  return { textSize: placing.textSize, width: Math.ceil(root.width ?? 0), height: Math.ceil(root.height ?? 0), states, edges };
}

function allNodes(node: ElkNode): ElkNode[] {
  return [node, ...(node.children ?? []).flatMap(allNodes)];
}

function pointsOf(edge: ElkExtendedEdge | undefined): Point[] {
  return (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => ({ x: round(x), y: round(y) })),
  );
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
