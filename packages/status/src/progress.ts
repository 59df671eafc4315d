// Progress that never runs backwards within one epoch: one attempt, one pod, one generation, as the kind says.

export interface Progress {
  /** What this progress is about; a new epoch starts anew. */
  readonly epoch: string;
  readonly done: number;
  readonly total?: number;
}

/** The progress to show: the highest seen in this epoch, never above the total. A total that shrinks below it is raised. */
export function progress(previous: Progress | undefined, next: Progress): Progress {
  const { epoch, total } = next;
  const seen = Number.isFinite(next.done) && next.done > 0 ? Math.min(next.done, total ?? next.done) : 0;
  const done = previous?.epoch === epoch ? Math.max(previous.done, seen) : seen;
  return total === undefined ? { epoch, done } : { epoch, done, total: Math.max(total, done) };
}

/** Whole percent, 0 to 100; undefined where the total is not known. 100 only when all is done. */
export function percent(p: Progress): number | undefined {
  if (p.total === undefined || p.total <= 0) return undefined;
  return Math.max(0, Math.min(100, Math.floor((100 * p.done) / p.total)));
}

/** A percentage inside the band of one step: `band(30, 48, 0.5)` is 39. */
export function band(entry: number, end: number, fraction: number | undefined): number {
  if (fraction === undefined || !Number.isFinite(fraction)) return entry;
  return Math.floor(entry + (end - entry) * Math.max(0, Math.min(1, fraction)));
}

/** Milliseconds left at the present rate, or undefined when it cannot be told. */
export function remaining(p: Progress, elapsedMs: number): number | undefined {
  if (p.total === undefined || p.done <= 0 || elapsedMs <= 0) return undefined;
  return Math.max(0, Math.round((elapsedMs * (p.total - p.done)) / p.done));
}
