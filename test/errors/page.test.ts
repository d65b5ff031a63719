import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { errorsPage } from "../../docs/generate/errors.ts";

test("docs/errors.md is what its generator makes of the rule table", async () => {
  const page = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");
  expect(page === errorsPage(), "run: node docs/generate/errors.ts").toBe(true);
});
