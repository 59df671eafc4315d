// What is to be done about a claim, and what is said of it. Pure.
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@telltale/kinds/builtin";
import { nameOf } from "../pods/facts.ts";
import { bestFor, classOf, compareSize, isBoundTo, isKeptFor, misfit, requestOf, sizeOf } from "./match.ts";
import { isOurs } from "./provision.ts";
import { provisioner } from "./storage-class.ts";

export const bindCompleted = "pv.kubernetes.io/bind-completed";
export const boundByController = "pv.kubernetes.io/bound-by-controller";

export interface World {
  readonly claim: PersistentVolumeClaim;
  /** The one that the claim names. */
  readonly volume: PersistentVolume | undefined;
  /** Those that a claim without one could have. */
  readonly candidates: readonly PersistentVolume[];
  /** The class that the claim names. */
  readonly storageClass: StorageClass | undefined;
  readonly defaultClass: StorageClass | undefined;
  /** A pod wants to mount it. */
  readonly isUsed: boolean;
}

/** What people read about a claim that has no volume. */
export interface Told {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type Plan =
  | { readonly do: "nothing" }
  | { readonly do: "tell"; readonly told: Told } // it waits, or has lost its volume
  | { readonly do: "classify"; readonly name: string } // it gets the default class
  | { readonly do: "announce"; readonly provisioner: string; readonly told: Told } // somebody else makes volumes of its class
  | { readonly do: "provision"; readonly of: StorageClass }
  | { readonly do: "bind"; readonly volume: PersistentVolume }
  | { readonly do: "grow"; readonly volume: PersistentVolume; readonly to: string };

const nothing: Plan = { do: "nothing" };
const tell = (type: Told["type"], reason: string, message: string): Plan => ({
  do: "tell",
  told: { type, reason, message },
});

export function planOf(world: World): Plan {
  const { claim, volume } = world;
  if (isComplete(claim)) return afterwards(world);
  const named = claim.spec?.volumeName ?? "";
  if (named === "") return unbound(world);
  if (volume === undefined) return nothing; // it will be seen when it comes
  if (isBoundTo(volume, claim)) return { do: "bind", volume };
  if (volume.spec?.claimRef !== undefined && !isKeptFor(volume, claim))
    return tell("Warning", "FailedBinding", `volume "${named}" already bound to a different claim.`);
  const why = misfit(volume, claim);
  if (why !== undefined) return tell("Warning", "VolumeMismatch", `Cannot bind to requested volume "${named}": ${why}`);
  return { do: "bind", volume };
}

export const isComplete = ({ metadata }: PersistentVolumeClaim): boolean =>
  metadata?.annotations?.[bindCompleted] !== undefined;

function unbound({ claim, candidates, storageClass, defaultClass, isUsed }: World): Plan {
  const asked = classOf(claim);
  if (asked === undefined && defaultClass !== undefined) return { do: "classify", name: nameOf(defaultClass) };
  const isWaiting = storageClass?.volumeBindingMode === "WaitForFirstConsumer" && !isUsed;
  const volume = bestFor(claim, candidates, isWaiting);
  if (volume !== undefined) return { do: "bind", volume };
  if (isWaiting)
    return tell("Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  if (asked === undefined || asked === "")
    return tell(
      "Normal",
      "FailedBinding",
      "no persistent volumes available for this claim and no storage class is set",
    );
  if (storageClass === undefined)
    return tell("Warning", "ProvisioningFailed", `storageclass.storage.k8s.io "${asked}" not found`);
  return storageClass.provisioner === provisioner
    ? { do: "provision", of: storageClass }
    : elsewhere(storageClass.provisioner);
}

function elsewhere(name: string): Plan {
  if (name.startsWith("kubernetes.io/"))
    return tell("Warning", "ProvisioningFailed", `no volume plugin matched name: ${name}`);
  const message = `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  return { do: "announce", provisioner: name, told: { type: "Normal", reason: "ExternalProvisioning", message } };
}

/** Of a claim that has been bound once. */
function afterwards(world: World): Plan {
  const { claim, volume, storageClass } = world;
  const lost = lostOf(world);
  if (lost !== undefined) return claim.status?.phase === "Lost" ? nothing : { do: "tell", told: lost };
  if (volume === undefined) return nothing;
  if (volume.spec?.claimRef?.uid === undefined) return { do: "bind", volume };
  const to = requestOf(claim);
  const mayGrow = isOurs(volume) && storageClass?.allowVolumeExpansion === true;
  return mayGrow && compareSize(to, sizeOf(volume)) > 0 ? { do: "grow", volume, to } : nothing;
}

function lostOf({ claim, volume }: World): Told | undefined {
  const say = (reason: string, message: string): Told => ({ type: "Warning", reason, message });
  if ((claim.spec?.volumeName ?? "") === "")
    return say("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  if (volume === undefined)
    return say("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  if (volume.spec?.claimRef !== undefined && !isKeptFor(volume, claim))
    return say("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
  return undefined;
}

type Status = NonNullable<PersistentVolumeClaim["status"]>;

export function statusOf(world: World): Status {
  const { claim, volume } = world;
  const { accessModes: _, capacity: __, ...others } = claim.status ?? {};
  if (!isComplete(claim)) return { ...others, phase: "Pending" };
  if (lostOf(world) !== undefined) return { ...others, phase: "Lost" };
  const { accessModes, capacity } = volume?.spec ?? {};
  return {
    ...others,
    phase: "Bound",
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(capacity === undefined ? {} : { capacity }),
  };
}
