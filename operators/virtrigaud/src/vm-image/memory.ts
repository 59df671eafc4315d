// What the status remembers of earlier passes, as far as it still counts: providers go, specs change, and clocks are put back. Pure.
import { formatTime, type Instant, instant, parseTime } from "@telltale/kinds";
import type { ProviderImageStatus, VMImage } from "../kinds/index.ts";
import { dueAt, isReference, standingOf } from "./entry.ts";
import { entryFromMessage } from "./entry-from-message.ts";
import type { Source } from "./source.ts";
import { type Flight, type Memory, type Pair, type Rules, stages } from "./world.ts";

export function remember(
  { metadata, status = {} }: VMImage,
  source: Source,
  rules: Rules,
  pairs: readonly Pair[],
  now: Instant,
): Memory {
  const isNew = status.observedGeneration !== metadata.generation;
  const flight = flightOf(status.prepareTaskRef, status.phase);
  // Another source, or another name on the provider: what was begun is not what is wanted now.
  const isOver =
    flight === undefined || source.is !== "import" || (isNew && rules.isForced) || !hasProvider(flight, pairs);
  const { size, checksum, format, importProgress } = status;
  return {
    entries: kept(status.providerStatus ?? {}, source, pairs, { isNew, rules, flight, now }),
    flight: isOver ? undefined : flight,
    since: isOver ? parseTime(status.lastPrepareTime) : earlier(status.lastPrepareTime, now),
    progress: importProgress,
    facts: {
      ...(size === undefined ? {} : { size: String(size) }),
      ...(checksum === undefined ? {} : { checksum }),
      ...(format === undefined ? {} : { format }),
    },
  };
}

const hasProvider = ({ key }: Flight, pairs: readonly Pair[]): boolean =>
  pairs.some((pair) => pair.key === key && pair.provider !== undefined);

/** `<providerKey>|<taskId>` */
export const refOf = ({ key, task }: Flight): string => `${key}|${task}`;

export function flightOf(ref: string | undefined, phase?: string): Flight | undefined {
  const at = ref?.indexOf("|") ?? -1;
  if (ref === undefined || at <= 0) return undefined;
  const stage = stages.find((it) => it === phase) ?? "Importing";
  return { key: ref.slice(0, at), task: ref.slice(at + 1), stage };
}

interface Change {
  readonly isNew: boolean;
  readonly rules: Rules;
  readonly flight: Flight | undefined;
  readonly now: Instant;
}

function kept(
  stored: Readonly<Record<string, ProviderImageStatus>>,
  source: Source,
  pairs: readonly Pair[],
  change: Change,
): Readonly<Record<string, ProviderImageStatus>> {
  const entries: Record<string, ProviderImageStatus> = {};
  for (const { key, provider, isWanted } of pairs) {
    const last = stored[key];
    const before = last === undefined ? undefined : entryFromMessage(last);
    if (provider === undefined) continue;
    if (before !== undefined && counts(before, key, isWanted, source, change)) {
      entries[key] = { ...before, ...timeOf(before, change) };
    }
  }
  return entries;
}

/**
 * Of a reference nothing is known: no call asks a provider whether it has it. A new spec gives a new chance, but leaves alone what is
 * prepared, unless that is forced. What failed for nobody is forgotten.
 */
function counts(
  entry: ProviderImageStatus,
  key: string,
  isWanted: boolean,
  source: Source,
  { isNew, rules, flight }: Change,
): boolean {
  if (source.is === "reference" || isReference(entry)) return false;
  if (source.is === "none") return entry.available;
  if (isNew && rules.isForced) return false;
  if (standingOf(entry).is === "available") return true;
  if (flight?.key === key) return true;
  return isWanted && !isNew;
}

/** Only where somebody waits for it. */
function timeOf(entry: ProviderImageStatus, { rules, now }: Change): { lastUpdated?: string } {
  const at = earlier(entry.lastUpdated, now);
  const isWaiting = !entry.available && dueAt(entry, rules.retries, "", now) !== "never";
  return at === undefined || !isWaiting ? {} : { lastUpdated: formatTime(at) };
}

/** A time that has not come yet is from before the clock was put back: it counts from now, or nobody would ever be done waiting. */
function earlier(time: string | undefined, now: Instant): Instant | undefined {
  const at = parseTime(time);
  return at === undefined ? undefined : instant(Math.min(at, now));
}
