// What a StatefulSet does next: fill the gaps, take away what is too much, then update. In order, one at a time, each after
// those before it are available; or, in parallel, everything at once. Pure.
import { type Instant, resolveIntOrPercent } from "@telltale/kinds";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "@telltale/kinds/builtin";
import { burst } from "../pods/batch.ts";
import { isAvailable, isFinished, isReady, isTerminating, nameOf, type OwnerReference } from "../pods/facts.ts";
import { claimsOf, isConflicting, isStale, ownersWanted } from "./claims.ts";
import { isWanted, ordinalOf, sizeOf, wantedOrdinals } from "./ordinals.ts";
import { knowsItself, memberPod, type Revisions, revisionOfPod } from "./pod.ts";

export interface View {
  readonly set: StatefulSet;
  readonly revisions: Revisions;
  /** The set's own pods. */
  readonly pods: readonly Pod[];
  /** Claims by name. */
  readonly claims: Pick<ReadonlyMap<string, PersistentVolumeClaim>, "get">;
}

export type Action =
  | { readonly do: "create"; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[] }
  | { readonly do: "remove"; readonly pod: Pod }
  | { readonly do: "furnish"; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[] } // with claims that it lacks
  | { readonly do: "correct"; readonly pod: Pod; readonly ordinal: number; readonly claims: readonly Handover[] } // labels, claims
  | { readonly do: "hand"; readonly pod: Pod; readonly claims: readonly Handover[] }; // claims only

/** A claim, and who is to own it. */
export interface Handover {
  readonly claim: PersistentVolumeClaim;
  readonly to: readonly OwnerReference[];
}

/** Done one after the other; a failure in one leaves out the next. */
export interface Plan {
  readonly order: "in turn" | "at once";
  readonly steps: readonly (readonly Action[])[];
}

/** Undefined: nothing is to be done now. */
export function plan(view: View, now: Instant): Plan | undefined {
  const order = isParallel(view.set) ? "at once" : "in turn";
  const steps = [fill, shrink, update];
  const found: (readonly Action[])[] = [];
  for (const step of steps) {
    const { actions, isBlocked } = step(view, now);
    if (actions.length > 0) found.push(actions);
    if (isBlocked) break;
  }
  return found.length === 0 ? undefined : { order, steps: found };
}

interface Stepped {
  readonly actions: readonly Action[];
  /** What comes after has to wait. */
  readonly isBlocked: boolean;
}

export const isParallel = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy === "Parallel";

/** Every number wanted has a pod that works, and is what it should be. */
function fill(view: View, now: Instant): Stepped {
  const actions: Action[] = [];
  const members = membersOf(view);
  for (const ordinal of wantedOrdinals(view.set)) {
    if (actions.length >= burst) return { actions, isBlocked: true };
    const pod = members.get(ordinal);
    actions.push(...(pod === undefined ? missing(view, ordinal) : kept(view, pod, ordinal, now)));
    const isThere = pod !== undefined && isUsable(view, pod, now) && !isTerminating(pod);
    if (!isThere && !isParallel(view.set)) return { actions, isBlocked: true };
  }
  return { actions, isBlocked: false };
}

function membersOf({ set, pods }: View): ReadonlyMap<number, Pod> {
  const members = new Map<number, Pod>();
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal !== undefined) members.set(ordinal, pod);
  }
  return members;
}

const isUsable = ({ set }: View, pod: Pod, now: Instant): boolean =>
  isRunning(pod) && isAvailable(pod, set.spec?.minReadySeconds, now);

export const isRunning = (pod: Pod): boolean => pod.status?.phase === "Running" && isReady(pod);

function missing(view: View, ordinal: number): readonly Action[] {
  const pod = memberPod(view.set, view.revisions, ordinal);
  const { lacking, there } = claimsFor(view, ordinal);
  return there.some((claim) => isStale(claim, view.set, pod)) ? [] : [{ do: "create", pod, claims: lacking }];
}

/** A finished pod makes room for another; the others are put right, those in order only once they work. */
function kept(view: View, pod: Pod, ordinal: number, now: Instant): readonly Action[] {
  if (isFinished(pod)) return isTerminating(pod) ? [] : [{ do: "remove", pod }];
  if (pod.status?.phase === "Pending") {
    const { lacking } = claimsFor(view, ordinal);
    const furnish: readonly Action[] = lacking.length === 0 ? [] : [{ do: "furnish", pod, claims: lacking }];
    return [...furnish, ...handOver(view, pod, ordinal)];
  }
  if (!isParallel(view.set) && (isTerminating(pod) || !isUsable(view, pod, now))) return [];
  const claims = handovers(view, pod, ordinal);
  return knowsItself(pod) && claims.length === 0 ? [] : [{ do: "correct", pod, ordinal, claims }];
}

function handOver(view: View, pod: Pod, ordinal: number): readonly Action[] {
  const claims = handovers(view, pod, ordinal);
  return claims.length === 0 ? [] : [{ do: "hand", pod, claims }];
}

/** Claims whose owners are not what the set now says. */
function handovers(view: View, pod: Pod, ordinal: number): readonly Handover[] {
  return claimsFor(view, ordinal).there.flatMap((claim) => {
    const to = ownersWanted(claim, view.set, pod);
    return to === undefined ? [] : [{ claim, to }];
  });
}

function claimsFor({ set, claims }: View, ordinal: number) {
  const wanted = claimsOf(set, ordinal);
  // One on its way out is not good for a pod: whoever makes the claim finds out, and says so.
  const isLacking = (found: PersistentVolumeClaim | undefined) => found === undefined || isTerminating(found);
  return {
    lacking: wanted.filter((it) => isLacking(claims.get(nameOf(it)))),
    there: wanted.flatMap((it) => claims.get(nameOf(it)) ?? []),
  };
}

/** Whom the retention of claims does not reach, because somebody else manages one of them. */
export const conflictsOf = (view: View, pod: Pod): readonly PersistentVolumeClaim[] =>
  claimsFor(view, ordinalOf(view.set, pod) ?? -1).there.filter((claim) => isConflicting(claim, view.set, pod));

/** Who is not wanted any more goes, the highest number first. */
function shrink(view: View, now: Instant): Stepped {
  const { set } = view;
  const condemned = [...membersOf(view)].filter(([ordinal]) => !isWanted(set, ordinal)).sort(([a], [b]) => b - a);
  const actions: Action[] = condemned.flatMap(([ordinal, pod]) => handOver(view, pod, ordinal));
  if (isParallel(set)) {
    actions.push(
      ...condemned.filter(([, pod]) => !isTerminating(pod)).map(([, pod]) => ({ do: "remove", pod }) as const),
    );
    return { actions, isBlocked: false };
  }
  const [highest] = condemned;
  if (highest === undefined) return { actions, isBlocked: false };
  const [, pod] = highest;
  const unavailable = condemned.findLast(([, it]) => isUnavailable(view, it, now))?.[1];
  // One that does not work goes only when it is the lowest such: the others may be waiting for it.
  const isFree = !isTerminating(pod) && (isUsable(view, pod, now) || pod === unavailable);
  if (isFree) actions.push({ do: "remove", pod });
  return { actions, isBlocked: true };
}

const isUnavailable = ({ set }: View, pod: Pod, now: Instant): boolean =>
  isTerminating(pod) || !isAvailable(pod, set.spec?.minReadySeconds, now);

/** Members of another revision go, the highest number first, as far down as the partition. */
function update(view: View, now: Instant): Stepped {
  const { set, revisions } = view;
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const done = (pods: readonly Pod[]): Stepped => ({
    actions: pods.map((pod) => ({ do: "remove", pod })),
    isBlocked: false,
  });
  if (type === "OnDelete") return done([]);
  const members = membersOf(view);
  // A missing member is about to be made, and is not available before that.
  const targets = Array.from(wantedOrdinals(set), (ordinal) => members.get(ordinal));
  const reached = targets.slice(rollingUpdate?.partition ?? 0).reverse();
  const isOld = (pod: Pod | undefined): pod is Pod =>
    pod !== undefined && !isTerminating(pod) && !isFinished(pod) && revisionOfPod(pod) !== nameOf(revisions.update);
  const isOut = (pod: Pod | undefined) => pod === undefined || isUnavailable(view, pod, now);
  if (rollingUpdate?.maxUnavailable !== undefined) {
    const most = resolveIntOrPercent(rollingUpdate.maxUnavailable, sizeOf(set), "down") ?? 1;
    const allowed = Math.max(1, most) - targets.filter(isOut).length;
    return done(reached.filter(isOld).slice(0, Math.max(0, allowed)));
  }
  const stop = reached.findIndex((pod) => isOld(pod) || isOut(pod));
  const first = reached[stop];
  return done(isOld(first) ? [first] : []);
}
