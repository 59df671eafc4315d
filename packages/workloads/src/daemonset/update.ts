// The rolling update of a DaemonSet: old pods go, or new ones come beside them, within what may be missing or too much. Pure.
import { type Instant, resolveIntOrPercent } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { isAvailable, isTerminating } from "../pods/facts.ts";
import type { Plan, Removal } from "./plan.ts";
import type { Place, View } from "./view.ts";

export interface Budget {
  readonly surge: number;
  readonly unavailable: number;
  /** Whether a node may have two pods at all, however few nodes there are. */
  readonly allowsSurge: boolean;
}

export function budgetOf({ set, places }: View): Budget {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return { surge: 0, unavailable: 0, allowsSurge: false };
  const desired = places.filter(({ fit }) => fit === "home").length;
  const of = (total: number) => ({
    surge: resolveIntOrPercent(rollingUpdate?.maxSurge ?? 0, total, "up") ?? 0,
    unavailable: resolveIntOrPercent(rollingUpdate?.maxUnavailable ?? 1, total, "up") ?? 1,
  });
  const { surge, unavailable } = of(desired);
  return {
    surge,
    unavailable: surge === 0 ? Math.max(1, unavailable) : unavailable,
    allowsSurge: of(1).surge > 0,
  };
}

const nothing: Plan = { create: [], remove: [] };

export function update(view: View, budget: Budget, now: Instant): Plan {
  if (view.set.spec?.updateStrategy?.type === "OnDelete") return nothing;
  const standings = view.places.flatMap((place) => standingOf(view, place, now) ?? []);
  return budget.surge === 0 ? replace(standings, budget.unavailable) : surge(view, standings, budget.surge);
}

/** How a node stands in an update. */
interface Standing {
  readonly place: Place;
  readonly old?: Member;
  readonly fresh?: Member;
  /** More than one of a kind: those too many go first. */
  readonly isCrowded: boolean;
}

interface Member {
  readonly pod: Pod;
  readonly isAvailable: boolean;
}

/** Undefined: a node without pods that is to have none. */
function standingOf({ set }: View, place: Place, now: Instant): Standing | undefined {
  if (place.fit !== "home" && place.pods.length === 0) return undefined;
  const staying = place.pods.filter((pod) => !isTerminating(pod));
  const [fresh, ...moreFresh] = staying.filter((pod) => place.updated.has(pod));
  const [old, ...moreOld] = staying.filter((pod) => !place.updated.has(pod));
  const member = (pod: Pod): Member => ({ pod, isAvailable: isAvailable(pod, set.spec?.minReadySeconds, now) });
  return {
    place,
    ...(old === undefined ? {} : { old: member(old) }),
    ...(fresh === undefined ? {} : { fresh: member(fresh) }),
    isCrowded: moreFresh.length + moreOld.length > 0,
  };
}

/** Old pods that do not work go at once; of the others as many as may still be missing. */
function replace(standings: readonly Standing[], most: number): Plan {
  const broken: Removal[] = [];
  const candidates: Removal[] = [];
  let unavailable = 0;
  for (const { place, old, fresh, isCrowded } of standings) {
    if (!isCrowded && old !== undefined && fresh === undefined) {
      const removal = { pod: old.pod, node: place.node, because: "unwanted" } as const;
      (old.isAvailable ? candidates : broken).push(removal);
      if (!old.isAvailable) unavailable += 1;
    } else if (isCrowded || fresh?.isAvailable !== true || old !== undefined) unavailable += 1;
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, most - unavailable))] };
}

/** New pods come beside old ones; an old one goes when its successor works. */
function surge({ places }: View, standings: readonly Standing[], most: number): Plan {
  const remove: Removal[] = [];
  const sunset: Removal[] = []; // works, on a node that is no longer for it
  const needed: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { place, old, fresh, isCrowded } of standings) {
    if (isCrowded) {
      surging += 1;
      continue;
    }
    if ((old ?? fresh)?.isAvailable === true) available += 1;
    if (old === undefined) continue;
    const removal = { pod: old.pod, node: place.node, because: "unwanted" } as const;
    if (fresh !== undefined) {
      if (fresh.isAvailable) remove.push(removal);
      else surging += 1;
    } else if (place.fit !== "home") (old.isAvailable ? sunset : remove).push(removal);
    else (old.isAvailable ? candidates : needed).push(place.node);
  }
  const desired = places.filter(({ fit }) => fit === "home").length;
  return {
    create: [...needed, ...candidates.slice(0, Math.max(0, most - surging))],
    remove: [...remove, ...sunset.slice(0, Math.max(0, available - desired))],
  };
}
