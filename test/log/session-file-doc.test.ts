import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isEntry, isHeader, isKnownType } from "../../src/log/entry-shapes.ts";
import { OVERFLOW_RECOVERY_TYPE, QUEUE_TYPE, RETRY_TYPE } from "../../src/session/durable-state.ts";

const text = readFileSync(new URL("../../docs/session-file.md", import.meta.url), "utf8");

/** First cells of the table that comes after a heading, without their backticks. */
function firstColumn(heading: string): string[] {
  const section = text.slice(text.indexOf(`\n## ${heading}\n`)).split(/\n#{2,3} /)[1] ?? "";
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? "");
}

test("docs/session-file.md has exactly the entry types the log knows", () => {
  const documented = firstColumn("Entries").filter((name) => name !== "type");
  expect(documented.length).toBeGreaterThan(5);
  for (const type of documented) expect([type, isKnownType(type)]).toEqual([type, true]);
  const known = ["message", "context_edit", "compaction", "model_change", "thinking_level_change", "branch_summary", "custom"];
  expect(documented.toSorted()).toEqual([...known, "custom_message", "label", "session_info"].toSorted());
});

test("its example is a session", () => {
  const lines = (/```jsonl\n([^]*?)```/.exec(text)?.[1] ?? "")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(isHeader(lines[0])).toBe(true);
  expect(lines.slice(1).map(isEntry)).toEqual([true]);
});

test("it names every state the session keeps in custom entries", () => {
  for (const type of [QUEUE_TYPE, RETRY_TYPE, OVERFLOW_RECOVERY_TYPE]) expect(text).toContain(`\`${type}\``);
});

test("it names every kind of diagnostic", () => {
  const types = readFileSync(new URL("../../src/log/types.ts", import.meta.url), "utf8");
  const kinds = [...(/kind: (.*);/.exec(types)?.[1] ?? "").matchAll(/"(\w+)"/g)].map((match) => match[1] ?? "");
  expect(firstColumn("Damage").toSorted()).toEqual(["kind", ...kinds].toSorted());
});
