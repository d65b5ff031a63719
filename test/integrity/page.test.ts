import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PAGE, rowsOf, titleOf } from "../../docs/generate/stream-integrity.ts";
import { adapters } from "./adapters.ts";

const page = readFileSync(PAGE, "utf8");

describe("the page of measured results", () => {
  test.each(adapters)("has every step that $name meets, in order, and nothing that this library takes wrongly", (adapter) => {
    const section = page.split("\n## ").find((part) => part.startsWith(titleOf(adapter))) ?? "";
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    expect(rows.map((row) => row.split("`")[1])).toEqual(rowsOf(adapter).map(({ step }) => step));
    const ours = rows.map((row) => row.split(" | ").at(-1) ?? "");
    expect(ours.filter((told) => told.startsWith("**wrong**"))).toEqual([]);
  });
});
