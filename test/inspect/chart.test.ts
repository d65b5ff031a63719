import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { countCrossings, countLinesOverWords } from "../../docs/generate/chart-crossings.ts";
import { graphOf, pictureOf, PICTURES } from "../../docs/generate/chart.ts";
import { chartGraph } from "../../src/inspect/chart-graph.ts";
import { chartLayouts } from "../../src/inspect/view/chart-layout.ts";
import { arrowsOf } from "../../src/inspect/view/chart-steps.ts";

const arrows = new Set(chartLayouts.wide.edges.flatMap(({ steps }) => steps));

describe("the picture of the statechart", () => {
  test("is up to date with the machine (else: node docs/generate/chart.ts)", () => {
    const { states, edges } = chartGraph();
    const joined = edges.map((edge) => ({ ...edge, lines: [edge.lines.join(" ")] }));
    expect(graphOf(chartLayouts.wide)).toEqual({ states, edges: joined });
    for (const size of ["narrow", "small"] as const) {
      expect(graphOf(chartLayouts[size]).edges.map(({ steps }) => steps)).toEqual(edges.map(({ steps }) => steps));
    }
  });

  test.each(["wide", "narrow"] as const)("is the %s file in docs/images", (size) => {
    expect(readFileSync(PICTURES[size], "utf8")).toBe(pictureOf(chartLayouts[size]));
  });

  test.each(["wide", "narrow", "small"] as const)("%s: no lines cross, and none runs through words", (size) => {
    expect(countCrossings(chartLayouts[size])).toBe(0);
    expect(countLinesOverWords(chartLayouts[size])).toBe(0);
  });

  test("is readable: the wide one at its full size on 1200 pixels, the narrow one on a phone with letters above 9 pixels", () => {
    const { wide, narrow } = chartLayouts;
    expect(wide.width).toBeLessThanOrEqual(1200);
    expect(wide.textSize).toBeGreaterThanOrEqual(12);
    expect((narrow.textSize * 360) / narrow.width).toBeGreaterThan(9);
  });

  test("has colours for light and dark, and nothing from elsewhere", () => {
    const picture = pictureOf(chartLayouts.wide);
    expect(picture).toContain("prefers-color-scheme:dark");
    expect(picture.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|<script|href=/);
  });

  test("crossings are counted: two lines that cross, two that only meet", () => {
    const label = { x: 0, y: 0, width: 0, height: 0, lines: [] };
    const line = (...points: [number, number][]) => ({
      steps: [],
      source: "",
      target: "",
      label,
      points: points.map(([x, y]) => ({ x, y })),
    });
    expect(countCrossings({ edges: [line([0, 5], [10, 5]), line([5, 0], [5, 10])] })).toBe(1);
    expect(countCrossings({ edges: [line([0, 5], [5, 5]), line([5, 5], [5, 10])] })).toBe(0);
  });
});

describe("the arrows a step went along", () => {
  test.each([
    ["PROMPT", ["idle>running.live"], ["idle>running"]],
    ["xstate.done.actor.agentRun", ["running.live>deciding", "deciding>backoff"], ["running>deciding", "deciding>backoff"]],
    ["ABORT", ["running.live>running.aborting"], ["running.live>running.aborting"]],
    ["xstate.done.actor.abortGrace", ["running.aborting>deciding"], ["running.aborting>deciding"]],
    ["xstate.done.actor.agentRun", ["running.aborting>deciding", "deciding>settled"], ["running>deciding", "deciding>settled"]],
    ["xstate.done.actor.retryWait", ["backoff>running.live"], ["backoff>running"]],
  ])("%s %j: %j", (type, path, expected) => {
    expect(arrowsOf({ input: { type }, path }, arrows)).toEqual(expected);
  });

  test("every arrow is one some step goes along", () => {
    expect(
      [...arrows].every(
        (arrow) => arrowsOf({ input: { type: "xstate.done.actor.abortGrace" }, path: [arrow] }, arrows)[0] === arrow,
      ),
    ).toBe(true);
  });
});
