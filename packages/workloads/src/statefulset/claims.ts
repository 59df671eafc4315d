// The volume claims of a StatefulSet's members: what they are called, and who takes them along at the end. Pure.

import type { KindRef, KubeObject } from "@telltale/kinds";
import { type PersistentVolumeClaim, Pod, StatefulSet } from "@telltale/kinds/builtin";
import { nameOf, type OwnerReference, uidOf } from "../pods/facts.ts";
import { isWanted, ordinalOf } from "./ordinals.ts";

export const claimName = (set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string =>
  `${nameOf(template)}-${nameOf(set)}-${ordinal}`;

/** The claims that a member needs, as they are made. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    metadata: {
      ...template.metadata,
      name: claimName(set, template, ordinal),
      labels: { ...template.metadata?.labels, ...set.spec?.selector.matchLabels },
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  }));
}

/** Whether a claim of this name is one of the set's. */
export function isClaimOf(set: StatefulSet, name: string): boolean {
  return (set.spec?.volumeClaimTemplates ?? []).some((template) => {
    const prefix = `${nameOf(template)}-${nameOf(set)}-`;
    return name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
  });
}

/**
 * Who should own a member's claim, by what the set says of the end of claims. Undefined: they are the right ones, or it is not
 * for us to say, because a set or a pod of the same name from before owns it.
 */
export function ownersWanted(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): readonly OwnerReference[] | undefined {
  const owners = claim.metadata?.ownerReferences ?? [];
  if (owners.some((it) => isOfFormer(it, StatefulSet, set) || isOfFormer(it, Pod, pod))) return undefined;
  const ours = owners.filter((it) => it.uid === uidOf(set) || it.uid === uidOf(pod));
  const others = owners.filter((it) => !ours.includes(it));
  const wanted = isConflicting(claim, set, pod) ? [] : ownersBy(set, pod);
  const isRight = ours.length === wanted.length && wanted.every((it) => isAmong(ours, it));
  return isRight ? undefined : [...others, ...wanted];
}

/** The set takes its claims along, or a member does that is no longer wanted; never both. */
function ownersBy(set: StatefulSet, pod: Pod): readonly OwnerReference[] {
  const { whenDeleted, whenScaled } = policyOf(set);
  const isCondemned = !isWanted(set, ordinalOf(set, pod) ?? -1);
  if (whenScaled === "Delete" && isCondemned) return [referenceTo(Pod, pod)];
  return whenDeleted === "Delete" ? [referenceTo(StatefulSet, set)] : [];
}

const isAmong = (owners: readonly OwnerReference[], { uid }: OwnerReference): boolean =>
  owners.some((it) => it.uid === uid && it.controller === true);

/** Whether somebody else manages a claim that the set would have an end put to. */
export function isConflicting(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenDeleted !== "Delete" && whenScaled !== "Delete") return false;
  const owners = claim.metadata?.ownerReferences ?? [];
  return owners.some((it) => it.controller === true && it.uid !== uidOf(set) && it.uid !== uidOf(pod));
}

/** Whether a claim still goes away with a member of the same name from before: the new one waits for a new claim. */
export function isStale(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  if (policyOf(set).whenScaled !== "Delete") return false;
  return claim.metadata?.ownerReferences?.some((it) => isOfFormer(it, Pod, pod)) ?? false;
}

const isOfFormer = (it: OwnerReference, kind: KindRef, object: KubeObject): boolean =>
  it.apiVersion === kind.apiVersion && it.kind === kind.kind && it.name === nameOf(object) && it.uid !== uidOf(object);

const referenceTo = ({ apiVersion, kind }: KindRef, object: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name: nameOf(object),
  uid: uidOf(object),
  controller: true,
  blockOwnerDeletion: true,
});

const policyOf = ({ spec }: StatefulSet) => spec?.persistentVolumeClaimRetentionPolicy ?? {};
