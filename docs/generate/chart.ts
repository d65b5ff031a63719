/** Draws the statechart: `node docs/generate/chart.ts` places it with elkjs and writes the picture and the page's copy. */
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chartGraph, type ChartGraph } from "../../src/inspect/chart-graph.ts";
import { CHART_STYLE } from "../../src/inspect/view/chart-style.ts";
import { chartSvg } from "../../src/inspect/view/chart-svg.ts";
import type { ChartLayout } from "../../src/inspect/view/chart-types.ts";
import { countCrossings, countLinesOverWords } from "./chart-crossings.ts";
import { placeChart } from "./chart-place.ts";

export const PICTURES = {
  wide: new URL("../images/statechart.svg", import.meta.url),
  narrow: new URL("../images/statechart-narrow.svg", import.meta.url),
} as const;
const MODULE = new URL("../../src/inspect/view/chart-layout.ts", import.meta.url);

/** The picture as a file of its own: it brings its colours, light and dark. */
export function pictureOf(layout: ChartLayout): string {
  const title = "The statechart of a session: idle, running, deciding, backoff, compacting and settled";
  return chartSvg(layout, { id: "statechart", title, style: `<style>${CHART_STYLE}</style>\n` });
}

/** What a layout says about the machine, without places: differs from `chartGraph()` when it is out of date. */
export function graphOf({ states, edges }: ChartLayout): ChartGraph {
  return {
    states: states.map(({ id, title, parent }) => ({ id, title, ...(parent === undefined ? {} : { parent }) })),
    edges: edges.map(({ steps, source, target, label }) => ({ steps, source, target, lines: [label.lines.join(" ")] })),
  };
}

async function generate(): Promise<void> {
  const graph = chartGraph();
  const wide = await placeChart(graph, { direction: "DOWN", maxWidth: 980, textSize: 12, lineLength: 26, labels: "full" });
  const narrow = await placeChart(graph, { direction: "DOWN", maxWidth: 440, textSize: 15, lineLength: 9, labels: "numbers" });
  const small = await placeChart(graph, { direction: "RIGHT", maxWidth: 600, textSize: 12, lineLength: 0, labels: "none" });
  const layouts = { wide, narrow, small };
  for (const [name, layout] of Object.entries(layouts)) {
    console.log(
      `${name}: ${layout.width} x ${layout.height}, ${countCrossings(layout)} crossings, ${countLinesOverWords(layout)} lines over words`,
    );
  }
  writeFileSync(
    MODULE,
    `// Generated: node docs/generate/chart.ts\nimport type { ChartLayout } from "./chart-types.ts";\n\nexport const chartLayouts: Record<"wide" | "narrow" | "small", ChartLayout> = ${JSON.stringify(layouts)};\n`,
  );
  writeFileSync(PICTURES.wide, pictureOf(wide));
  writeFileSync(PICTURES.narrow, pictureOf(narrow));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await generate();
