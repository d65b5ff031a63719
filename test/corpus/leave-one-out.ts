import { classifyBy, codesOf, subjects } from "../../src/errors/classify.ts";
import { ruleBook } from "../../src/errors/rules/index.ts";
import type { RuleBook } from "../../src/errors/rules/index.ts";
import { wordingsOf } from "../../src/errors/rules/rule.ts";
import type { Rule } from "../../src/errors/rules/rule.ts";
import { textRows } from "./read-corpus.ts";
import type { TextRow } from "./read-corpus.ts";
import { textFacts } from "./score.ts";

/**
 * Leave one source out: how well is a report judged by the rules without every wording and code that only this report needs?
 * A wording that no other report uses is taken out before the report it comes from is judged. Rules fitted to single texts
 * would fall through here.
 */
export function leaveOneSourceOut(): { rows: number; action: number; kind: number } {
  const owners = ownersOfParts();
  const sources = Map.groupBy(textRows, (row) => row.source);
  let action = 0;
  let kind = 0;
  for (const [source, rows] of sources) {
    const book = without(owners, source);
    for (const row of rows) {
      const verdict = classifyBy(book, textFacts(row, true));
      if (verdict.action === row.action) action += 1;
      if (row.labels.includes(verdict.kind)) kind += 1;
    }
  }
  return { rows: textRows.length, action: (100 * action) / textRows.length, kind: (100 * kind) / textRows.length };
}

/** One wording or code of a rule, and the sources whose reports it matches. */
type Owners = Map<string, Set<string>>;

function ownersOfParts(): Owners {
  const owners: Owners = new Map();
  const own = (key: string, row: TextRow): void => {
    const sources = owners.get(key) ?? new Set();
    owners.set(key, sources.add(row.source));
  };
  const parts = allRules().flatMap((rule) =>
    wordings(rule).map((wording) => ({ key: `${rule.id} ${wording}`, pattern: new RegExp(wording) })),
  );
  for (const row of textRows) {
    const facts = textFacts(row, true);
    const texts = subjects(facts);
    for (const { key, pattern } of parts) if (texts.some((text) => pattern.test(text))) own(key, row);
    for (const code of codesOf(facts)) own(`code ${code}`, row);
  }
  return owners;
}

function allRules(): Rule[] {
  return [...ruleBook.rules, ...ruleBook.fallbackRules];
}

function without(owners: Owners, source: string): RuleBook {
  const foreign = (key: string): boolean => {
    const sources = owners.get(key);
    return !(sources?.size === 1 && sources.has(source));
  };
  const strip = (rule: Rule): Rule[] => {
    const says = wordings(rule).filter((wording) => foreign(`${rule.id} ${wording}`));
    const codes = rule.codes?.filter((code) => foreign(`code ${code}`));
    if ((rule.says || rule.codes) && says.length === 0 && (codes ?? []).length === 0) return [];
    const { says: _says, codes: _codes, ...rest } = rule;
    return [{ ...rest, ...(says.length > 0 ? { says: new RegExp(says.join("|")) } : {}), ...(codes ? { codes } : {}) }];
  };
  return { rules: ruleBook.rules.flatMap(strip), fallbackRules: ruleBook.fallbackRules.flatMap(strip) };
}

function wordings(rule: Rule): string[] {
  return rule.says ? wordingsOf(rule.says) : [];
}
