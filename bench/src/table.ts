// One measured figure, and how figures are printed.

export interface Result {
  readonly suite: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it should stay under, where an aim is declared. */
  readonly aim?: number;
  /** What it should reach, for rates. */
  readonly atLeast?: number;
}

export function printTable(results: readonly Result[]): void {
  const rows = results.map((r) => [r.suite, r.name, `${format(r.value)} ${r.unit}`, aimOf(r), verdict(r)]);
  const all = [["suite", "what", "measured", "aim", ""], ...rows];
  const widths = [0, 1, 2, 3, 4].map((i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  for (const row of all)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

function aimOf({ aim, atLeast, unit }: Result): string {
  if (aim !== undefined) return `${format(aim)} ${unit}`;
  return atLeast === undefined ? "" : `at least ${format(atLeast)} ${unit}`;
}

function verdict({ value, aim, atLeast }: Result): string {
  if (aim === undefined && atLeast === undefined) return "";
  return value <= (aim ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? 0) ? "met" : "MISSED";
}

function format(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** The value below which the given share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
