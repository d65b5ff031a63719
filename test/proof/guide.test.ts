import fc from "fast-check";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { walk } from "../../docs/examples/model-based-test/walk.ts";
import { traceInvariants } from "../../src/testing/index.ts";
import { runs, seed } from "./seed.ts";

test("the guide's example holds on every walk", async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), async (chances) => {
      await walk(() => Number(chances.next().value));
    }),
    { seed, numRuns: runs(50) },
  );
});

test("every invariant is named in the guide", () => {
  const guide = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
  for (const name of Object.keys(traceInvariants)) expect(guide).toContain(`\`${name}\``);
});
