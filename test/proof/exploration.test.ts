import { expect, test } from "vitest";
import { explore, worlds, type Graph } from "../../src/testing/index.ts";
import { Difference, shrunk, Trial } from "./judge.ts";
import { Tours } from "./tour.ts";

/** Differences that are shrunk and shown. */
const MOST_SHOWN = 3;

test.each(worlds)('every edge of the world "$name" is as the reference says', { timeout: 900_000 }, async (world) => {
  const started = performance.now();
  const graph = explore(world);
  const { steps, differences } = await drive(graph);
  console.log(world.name, graph.states.size, steps, Math.round(performance.now() - started), "differences", differences.length);
  expect(differences.join("\n\n")).toBe("");
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
