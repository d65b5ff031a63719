import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plantedFaults } from "../mutants/faults.ts";

test.each(plantedFaults)("the planted fault $name still has its place (npm run mutants plants it)", ({ file, find }) => {
  expect(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")).toContain(find);
});

test("at least thirty faults are planted, each under a name of its own", () => {
  expect(plantedFaults.length).toBeGreaterThanOrEqual(30);
  expect(new Set(plantedFaults.map(({ name }) => name)).size).toBe(plantedFaults.length);
});
