import { appendFileSync } from "node:fs";

/** What a test of the proof has counted, for the verification report. */
export type Note =
  | { about: "world"; name: string; states: number; edges: number; steps: number; seconds: number }
  | { about: "statechart"; states: number; edges: number; transitions: number }
  | { about: "random"; name: string; runs: number; seed: number }
  | { about: "invariants"; checked: Record<string, number> };

/** Adds a line to the file that PROOF_REPORT names; without it nothing is written. */
export function note(what: Note): void {
  const file = process.env["PROOF_REPORT"];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(what)}\n`);
}

const checked: Record<string, number> = {};

/** Adds up how often invariants were looked at. */
export function countChecks(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) checked[name] = (checked[name] ?? 0) + count;
}

export function noteChecks(): void {
  note({ about: "invariants", checked });
}
