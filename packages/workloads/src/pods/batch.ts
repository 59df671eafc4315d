// Many of the same, carefully: one, two, four, ... at a time, so that what cannot succeed is not tried five hundred times.

/** How far it came. */
export interface Batched {
  readonly done: number;
  /** The first that failed; nothing was begun after its batch. */
  readonly error?: unknown;
}

/** As many as one pass may do. */
export const burst = 500;

export async function slowStart(count: number, run: (index: number) => Promise<void>): Promise<Batched> {
  let begun = 0;
  let done = 0;
  for (let size = 1; begun < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - begun) }, (_, i) => run(begun + i));
    begun += batch.length;
    const ends = await Promise.allSettled(batch);
    const failed = ends.find((end) => end.status === "rejected");
    done += ends.filter((end) => end.status === "fulfilled").length;
    if (failed !== undefined) return { done, error: failed.reason };
  }
  return { done };
}
