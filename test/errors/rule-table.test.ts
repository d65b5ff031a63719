import { describe, expect, test } from "vitest";
import { classifyFailure, describeFailure, ruleTable } from "../../src/errors/index.ts";
import type { Example } from "../../src/errors/index.ts";
import { wordingsOf } from "../../src/errors/rules/rule.ts";
import { textRows } from "../corpus/read-corpus.ts";

function judge(example: Example): { rule: string; kind: string; action: string } {
  const facts =
    typeof example === "string" ? describeFailure(example) : describeFailure(example.text, { status: example.status });
  const { rule, kind, action } = classifyFailure(facts);
  return { rule, kind, action };
}

describe.each(ruleTable.map((rule) => [rule.id, rule] as const))("%s", (_id, rule) => {
  test.each(rule.examples.map((example) => [example]))("decides %j", (example) => {
    expect(judge(example)).toEqual({ rule: rule.id, kind: rule.kind, action: rule.action });
  });

  test.each(rule.nearMisses.map((example) => [example]))("leaves %j to others", (example) => {
    expect(judge(example).rule).not.toBe(rule.id);
  });
});

test("every rule has an id of its own, a reason, a source and an example", () => {
  expect(new Set(ruleTable.map((rule) => rule.id)).size).toBe(ruleTable.length);
  const lacking = ruleTable.filter((rule) => rule.why === "" || rule.source === "" || rule.examples.length === 0);
  expect(lacking.map((rule) => rule.id)).toEqual([]);
});

test("no wording is a whole text of the corpus", () => {
  const wordings = ruleTable.flatMap((rule) => (rule.says ? wordingsOf(rule.says) : []));
  const texts = new Set(textRows.map((row) => row.text.toLowerCase()));
  expect(wordings.filter((wording) => texts.has(wording) && wording.split(/\s+/).length > 3)).toEqual([]);
});

test("no wording repeats without bound, which keeps the time linear", () => {
  const open = ruleTable.filter((rule) => /(?<!\\)[.\]][*+]/.test(rule.says?.source ?? ""));
  expect(open.map((rule) => rule.id)).toEqual([]);
});
