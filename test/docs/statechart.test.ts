import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { render } from "../../docs/generate/statechart.ts";

test("docs/statechart.md is up to date with the machine (else: npm run docs)", () => {
  expect(readFileSync(new URL("../../docs/statechart.md", import.meta.url), "utf8")).toBe(render());
});
