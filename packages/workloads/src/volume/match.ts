// Which volume fits a claim, and why another does not. Pure.
import { compareQuantity, matchesSelector, parseQuantity } from "@telltale/kinds";
import type { PersistentVolume, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { isTerminating, nameOf, uidOf } from "../pods/facts.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Empty: of no class. Undefined: it does not say, and may get the default. */
export function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string | undefined {
  return metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName;
}

/** Whether a volume is this claim's and nobody else's. */
export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return isKeptFor(volume, claim) && volume.spec?.claimRef?.uid === uidOf(claim);
}

/** Whether a volume is meant for a claim of this name, and for no other of that name. */
export function isKeptFor({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { name, namespace, uid = "" } = spec?.claimRef ?? {};
  const isNamed = name === nameOf(claim) && namespace === claim.metadata?.namespace;
  return isNamed && (uid === "" || uid === uidOf(claim));
}

/** Why a volume cannot be a claim's. Undefined: it can. */
export function misfit(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (compareSize(sizeOf(volume), requestOf(claim)) < 0) return "requested PV is too small";
  if ((classOf(volume) ?? "") !== (classOf(claim) ?? "")) return "storageClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  const modes = volume.spec?.accessModes ?? [];
  if (!(claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode))) return "incompatible accessMode";
  return undefined;
}

/** The one that is kept for the claim, else the smallest that is free. `isWaiting`: only one that is kept for it. */
export function bestFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  isWaiting: boolean,
): PersistentVolume | undefined {
  const fitting = volumes.filter((it) => !isTerminating(it) && misfit(it, claim) === undefined);
  const kept = fitting.find((it) => isBoundTo(it, claim)) ?? fitting.find((it) => isKeptFor(it, claim));
  if (kept !== undefined || isWaiting) return kept;
  return fitting
    .filter(({ spec, status }) => spec?.claimRef === undefined && status?.phase === "Available")
    .filter(({ metadata }) => matchesSelector(claim.spec?.selector ?? {}, metadata?.labels))
    .toSorted((a, b) => compareSize(sizeOf(a), sizeOf(b)) || (nameOf(a) < nameOf(b) ? -1 : 1))[0];
}

export const sizeOf = ({ spec }: PersistentVolume): string => spec?.capacity?.["storage"] ?? "0";
export const requestOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.["storage"] ?? "0";

const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string => spec?.volumeMode ?? "Filesystem";

const none = { nano: 0n, format: "DecimalSI" } as const;

export function compareSize(a: string, b: string): -1 | 0 | 1 {
  return compareQuantity(parseQuantity(a) ?? none, parseQuantity(b) ?? none);
}
