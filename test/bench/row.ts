/** One measured figure. */
export interface Row {
  name: string;
  unit: string;
  ours: number;
  /** The same work by a bare hand-written loop (or bare file writes, or the bare client) on the same machine in the same run. */
  bare?: number;
  /** What the design asks for: at most this, or with `atLeast` at least this. */
  reach?: number;
  atLeast?: boolean;
  note?: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds, with the fraction the clock has. */
export const now = (): number => performance.now();

export function printRows(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`);
  console.table(
    rows.map(({ name, unit, ours, bare, reach, atLeast, note }) => ({
      what: name,
      unit,
      ours: rounded(ours),
      bare: bare === undefined ? "" : rounded(bare),
      reach: reach === undefined ? "" : `${atLeast ? ">=" : "<="} ${reach}`,
      reached: reach === undefined ? "" : (atLeast ? ours >= reach : ours <= reach) ? "yes" : "NO",
      note: note ?? "",
    })),
  );
}

function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
