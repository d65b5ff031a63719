import fc from "fast-check";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { walk } from "../../docs/examples/model-based-test/walk.ts";
import { traceInvariants } from "../../src/testing/index.ts";
import { runs, seed } from "./seed.ts";

const chance = fc.integer({ min: 0, max: 999 }).map((part) => part / 1000);

test("the guide's example holds on every walk", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(chance, { minLength: 40, maxLength: 40 }), (chances) => walk(() => chances.pop() ?? 0)),
    { seed, numRuns: runs(50) },
  );
});

test("every invariant is named in the guide", () => {
  const guide = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
  for (const name of Object.keys(traceInvariants)) expect(guide).toContain(`\`${name}\``);
});
