// Which of two resource versions is the newer one. They are decimal numbers of any length; where one is not, nobody knows.

/** Less than, equal to or greater than zero; undefined where the two cannot be compared. */
export function compareVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!decimal.test(a) || !decimal.test(b)) return undefined;
  return a.length - b.length || (a < b ? -1 : 1);
}

/** Whether the first is known to be older. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && (compareVersions(a, b) ?? 0) < 0;
}

/** Whether the first is known to be no newer than the second. */
export function isNoNewer(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && (compareVersions(a, b) ?? 1) <= 0;
}

const decimal = /^(0|[1-9]\d*)$/;
