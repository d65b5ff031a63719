import { describe, expect, test } from "vitest";
import { classifyFailure, describeFailure, ruleTable } from "../../src/errors/index.ts";
import type { Example } from "../../src/errors/index.ts";

function judge(example: Example): { rule: string; kind: string; action: string } {
  const facts = typeof example === "string" ? describeFailure(example) : describeFailure(example.text, { status: example.status });
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
  for (const rule of ruleTable) {
    expect(rule.why, rule.id).not.toBe("");
    expect(rule.source, rule.id).not.toBe("");
    expect(rule.examples.length, rule.id).toBeGreaterThan(0);
  }
});

test("no wording is a whole error text of the corpus' length, nor open-ended", () => {
  for (const rule of ruleTable) {
    if (!rule.says) continue;
    expect(rule.says.source, rule.id).not.toMatch(/(?<!\\)[.\]][*+]/);
  }
});
