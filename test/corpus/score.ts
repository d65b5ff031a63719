import { describeFailure } from "../../src/errors/index.ts";
import type { Classification, FailureFacts } from "../../src/errors/types.ts";
import type { TextRow, ThrownRow } from "./read-corpus.ts";
import { textRows, thrownRows } from "./read-corpus.ts";
import { rebuild } from "./rebuild.ts";

type Judge = (facts: FailureFacts) => Classification;

export interface Miss {
  id: string;
  action: boolean;
  wanted: string;
  got: string;
  rule: string;
  text: string;
}

export interface Score {
  rows: number;
  action: number;
  kind: number;
  misses: Miss[];
}

/** Scores the texts: with the status and provider that came with them, or as bare text. */
export function scoreTexts(judge: Judge, withContext: boolean, rows: readonly TextRow[] = textRows): Score {
  return score(rows, (row) => {
    const facts = textFacts(row, withContext);
    return miss(row.id, row.action, row.labels, judge(facts), row.text);
  });
}

export function textFacts(row: TextRow, withContext: boolean): FailureFacts {
  return describeFailure(
    row.text,
    withContext ? { provider: row.provider, ...(row.status === null ? {} : { status: row.status }) } : {},
  );
}

export function scoreThrown(judge: Judge): Score {
  return score(thrownRows, (row) =>
    miss(row.id, row.action, [row.label], judge(thrownFacts(row)), `${row.scenario}: ${row.thrown.message ?? ""}`),
  );
}

export function thrownFacts(row: ThrownRow): FailureFacts {
  const before = row.thrown.observed_before;
  return describeFailure(rebuild(row.thrown), { partial: (before?.events ?? 0) > 0 || (before?.bytes ?? 0) > 0 });
}

function miss(id: string, action: string, labels: readonly string[], verdict: Classification, text: string): Miss | undefined {
  if (verdict.action === action && labels.includes(verdict.kind)) return undefined;
  return { id, action: verdict.action !== action, wanted: labels.join(" or "), got: verdict.kind, rule: verdict.rule, text };
}

function score<Row>(rows: readonly Row[], judge: (row: Row) => Miss | undefined): Score {
  const misses = rows.flatMap((row) => judge(row) ?? []);
  const share = (wrong: number): number => (100 * (rows.length - wrong)) / rows.length;
  return { rows: rows.length, action: share(misses.filter((one) => one.action).length), kind: share(misses.length), misses };
}
