import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGE, withTable } from "../../docs/generate/fault-table.ts";

test("the page about the fault server has the steps there are", () => {
  const page = readFileSync(PAGE, "utf8");
  expect(withTable(page)).toBe(page);
});

test("a page without a place for the table is refused", () => {
  expect(() => withTable("# A page")).toThrow("docs/fault-server.md needs the lines");
});
