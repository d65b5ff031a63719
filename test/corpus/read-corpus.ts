import { readFileSync } from "node:fs";
import type { FailureAction, FailureKind } from "../../src/errors/types.ts";
import type { ThrownRecord } from "./rebuild.ts";

/** An error as text. Any of `labels` is right. */
export interface TextRow {
  id: string;
  provider: string;
  status: number | null;
  text: string;
  labels: FailureKind[];
  action: FailureAction;
  /** The public report it was seen in. */
  source: string;
}

/** An error as an object. */
export interface ThrownRow {
  id: string;
  scenario: string;
  thrown: ThrownRecord & { observed_before?: { events?: number; bytes?: number } };
  label: FailureKind;
  action: FailureAction;
}

/** A wording that was once new to the rules; any of `labels` is right. */
export interface WordingRow {
  labels: FailureKind[];
  status?: number;
  text: string;
}

function read<Row>(file: string): Row[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

export const textRows = read<TextRow>("errors.jsonl");
export const wordingRows = read<WordingRow>("wordings.jsonl");
export const thrownRows = read<ThrownRow>("thrown.jsonl");
