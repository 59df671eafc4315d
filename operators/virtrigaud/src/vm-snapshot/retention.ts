// How long a snapshot is kept (3.6, "Retention"). Pure: everything follows from times that are stored.
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { lengthOr, parseLength } from "../durations.ts";
import type { VMSnapshot } from "../kinds/index.ts";
import { labels } from "../names.ts";

export type Keeping =
  | { readonly is: "kept"; readonly why?: "pinned" | "used"; readonly expires?: Instant }
  | { readonly is: "expired"; readonly since: Instant; readonly until: Instant }; // it is deleted then

const day: Ms = 86_400_000;

export interface Kept {
  readonly snapshot: VMSnapshot;
  /** The others of the same machine. */
  readonly siblings: readonly VMSnapshot[];
  readonly isUsed: boolean;
  /** Since when it has been said to be expired. */
  readonly told: Instant | undefined;
  readonly now: Instant;
}

export function keepingOf({ snapshot, siblings, isUsed, told, now }: Kept): Keeping {
  const { maxAge, maxCount, gracePeriod } = snapshot.spec.retentionPolicy ?? {};
  if (isPinned(snapshot)) return { is: "kept", why: "pinned" };
  const length = maxAge === undefined ? undefined : parseLength(maxAge);
  const age = length === undefined ? undefined : plus(bornOf(snapshot) ?? now, length);
  const isTooMany = maxCount !== undefined && newer(snapshot, siblings).length >= maxCount;
  const isOver = isTooMany || (age !== undefined && age <= now);
  if (!isOver) return { is: "kept", ...(age === undefined ? {} : { expires: age }) };
  if (isUsed) return { is: "kept", why: "used", ...(age === undefined ? {} : { expires: age }) };
  const counted = isTooMany ? (told === undefined || told > now ? now : told) : undefined;
  const since = earliest(age !== undefined && age <= now ? age : undefined, counted) ?? now;
  return { is: "expired", since, until: plus(since, lengthOr(gracePeriod, day)) };
}

const earliest = (a: Instant | undefined, b: Instant | undefined): Instant | undefined =>
  a === undefined ? b : b === undefined || a <= b ? a : b;

export const isPinned = ({ spec }: VMSnapshot): boolean =>
  spec.metadata?.pinned === true && spec.retentionPolicy?.preservePinned !== false;

/** Those of its series that are ready and were taken after it. The pinned ones do not count. */
function newer(snapshot: VMSnapshot, siblings: readonly VMSnapshot[]): readonly VMSnapshot[] {
  return siblings.filter(
    (it) =>
      it.status?.phase === "Ready" &&
      it.spec.schedule?.enabled !== true &&
      it.metadata.deletionTimestamp === undefined &&
      seriesOf(it) === seriesOf(snapshot) &&
      !isPinned(it) &&
      byBirth(it, snapshot) > 0,
  );
}

const seriesOf = ({ metadata }: VMSnapshot): string => metadata.labels?.[labels.snapshotSchedule] ?? "";

/** When it was taken, as far as anybody knows. */
const bornOf = ({ status, metadata }: VMSnapshot): Instant | undefined =>
  parseTime(status?.creationTime) ?? parseTime(status?.completionTime) ?? parseTime(metadata.creationTimestamp);

/** From the oldest to the newest. */
export function byBirth(a: VMSnapshot, b: VMSnapshot): number {
  const apart = (bornOf(a) ?? 0) - (bornOf(b) ?? 0);
  if (apart !== 0) return apart;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
