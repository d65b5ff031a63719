import { afterAll, expect, test } from "vitest";
import { explore, worlds, type Graph } from "../../src/testing/index.ts";
import { Difference, shrunk, Trial } from "./judge.ts";
import { note, noteChecks } from "./report.ts";
import { Tours } from "./tour.ts";

/** Differences that are shrunk and shown. */
const MOST_SHOWN = 3;

const explored = { states: 0, edges: 0 };
afterAll(noteChecks);

test.each(worlds)('every edge of the world "$name" is as the reference says', { timeout: 900_000 }, async (world) => {
  const started = performance.now();
  const graph = explore(world);
  const { steps, differences } = await drive(graph);
  const edges = [...graph.edges.values()].reduce((sum, out) => sum + out.length, 0);
  note({
    about: "world",
    name: world.name,
    states: graph.states.size,
    edges,
    steps,
    seconds: (performance.now() - started) / 1000,
  });
  explored.states += graph.states.size;
  explored.edges += edges;
  expect(differences.join("\n\n")).toBe("");
});

test("the worlds together are more than 2,000 states and 20,000 edges", () => {
  expect(explored.states).toBeGreaterThan(2000);
  expect(explored.edges).toBeGreaterThan(20_000);
});

/** Takes every edge of a graph on real sessions. */
async function drive(graph: Graph): Promise<{ steps: number; differences: string[] }> {
  const tours = new Tours(graph);
  const differences: string[] = [];
  while (!tours.done && differences.length < MOST_SHOWN) {
    const trial = new Trial(graph.world);
    try {
      await trial.drive(tours.next());
    } catch (error) {
      if (!(error instanceof Difference)) throw error;
      differences.push((await shrunk(error)).message);
    } finally {
      await trial.real.close();
    }
  }
  return { steps: tours.steps, differences };
}
