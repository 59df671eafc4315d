// Sets of completion indexes, as a Job's status writes them: `0-2,5`. Pure.

/** Ascending, with a gap between any two. */
export type Indexes = readonly Interval[];

interface Interval {
  readonly first: number;
  readonly last: number;
}

export const noIndexes: Indexes = [];

/** What lies below the limit. A part that cannot be read is left out. */
export function parseIndexes(text: string | undefined, limit: number): Indexes {
  const found: Interval[] = [];
  for (const part of (text ?? "").split(",")) {
    const [, from, to] = /^(\d{1,10})(?:-(\d{1,10}))?$/.exec(part.trim()) ?? [];
    if (from === undefined) continue;
    const first = Number(from);
    const last = Math.min(Number(to ?? from), limit - 1);
    if (first <= last) found.push({ first, last });
  }
  return joined(found);
}

export function formatIndexes(indexes: Indexes): string {
  return indexes
    .map(({ first, last }) => {
      if (first === last) return `${first}`;
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(",");
}

export const total = (indexes: Indexes): number => indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);

export function has(indexes: Indexes, index: number): boolean {
  return indexes.some(({ first, last }) => first <= index && index <= last);
}

export function including(indexes: Indexes, more: readonly number[]): Indexes {
  return union(
    indexes,
    more.map((index) => ({ first: index, last: index })),
  );
}

export const union = (some: Indexes, others: Indexes): Indexes =>
  others.length === 0 ? some : joined([...some, ...others]);

/** How many of the one are in the other. */
export function overlap(some: Indexes, others: Indexes): number {
  return some.reduce((sum, a) => {
    return others.reduce((count, b) => {
      return count + Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
    }, sum);
  }, 0);
}

/** The lowest that are missing below a limit, so many at most. */
export function firstMissing(indexes: Indexes, count: number, limit: number): readonly number[] {
  const found: number[] = [];
  let next = 0;
  for (const { first, last } of [...indexes, { first: limit, last: limit }]) {
    for (; next < Math.min(first, limit) && found.length < count; next += 1) found.push(next);
    next = Math.max(next, last + 1);
  }
  return found;
}

function joined(intervals: readonly Interval[]): Indexes {
  const done: Interval[] = [];
  for (const next of [...intervals].sort((a, b) => a.first - b.first)) {
    const before = done.at(-1);
    if (before === undefined || next.first > before.last + 1) done.push(next);
    else done[done.length - 1] = { first: before.first, last: Math.max(before.last, next.last) };
  }
  return done;
}
