import type { Entry } from "./types.ts";

/**
 * Entries that are appended together are kept together or not at all. One write is not enough for that: a process can be killed in
 * the middle of it. So each of their records says its place among them and how many they are, as `batch: [place, of]`, and a file
 * that ends before the last of them is taken back to before the first.
 */
type BatchMark = [place: number, of: number];

/** The records to write for entries that belong together. */
export function markBatch(entries: readonly Entry[]): readonly object[] {
  if (entries.length < 2) return entries;
  return entries.map((entry, index) => ({ ...entry, batch: [index + 1, entries.length] satisfies BatchMark }));
}

/** Follows the marks while records are read one after the other, and takes them off. */
export class BatchTracker {
  /** What was read of the latest batch, as long as nothing came between. */
  #entries: Entry[] = [];
  #of = 0;
  #line = 0;

  /** @param line The entry's line, from 1. */
  see(entry: Entry, line: number): void {
    const mark = takeMark(entry);
    if (mark === undefined) {
      if (this.#entries.length > 0) this.#entries = [];
      return;
    }
    const [place, of] = mark;
    const continues = place === this.#entries.length + 1 && of === this.#of && line === this.#line + 1;
    if (place === 1) this.#entries = [entry];
    else if (continues) this.#entries.push(entry);
    else this.#entries = [];
    this.#of = of;
    this.#line = line;
  }

  /** The entries of a batch that the file ends in the middle of; none when it does not. */
  incomplete(lastLine: number): { entries: readonly Entry[]; of: number } | undefined {
    const { length } = this.#entries;
    return length > 0 && length < this.#of && this.#line === lastLine ? { entries: this.#entries, of: this.#of } : undefined;
  }
}

function takeMark(entry: Entry & { batch?: unknown }): BatchMark | undefined {
  const { batch } = entry;
  if (!Array.isArray(batch) || batch.length !== 2) return undefined;
  const [place, of]: unknown[] = batch;
  if (typeof place !== "number" || typeof of !== "number") return undefined;
  delete entry.batch;
  return [place, of];
}
