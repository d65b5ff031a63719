import type { LogDiagnostic } from "./types.ts";

/** So many of a kind are told one by one; a file that is all damage should not fill the memory with it. */
const TOLD_OF_A_KIND = 100;

/** Collects what was found wrong. */
export class DiagnosticList {
  readonly #told: LogDiagnostic[] = [];
  readonly #counts = new Map<LogDiagnostic["kind"], number>();

  add(kind: LogDiagnostic["kind"], message: string, line?: number): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count <= TOLD_OF_A_KIND) this.#told.push({ kind, message, ...(line === undefined ? {} : { line }) });
  }

  /** All of them, with one line for each kind of which there are too many. */
  toArray(): LogDiagnostic[] {
    const more: LogDiagnostic[] = [];
    for (const [kind, count] of this.#counts) {
      if (count > TOLD_OF_A_KIND) more.push({ kind, message: `And ${count - TOLD_OF_A_KIND} more of this kind.` });
    }
    return [...this.#told, ...more];
  }
}
