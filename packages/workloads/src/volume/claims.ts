// PersistentVolumeClaims: each gets a volume, one that is there or one that is made. `claim-plan.ts` decides.
import type { KubeObject } from "@telltale/kinds";
import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look, type MapLook, type Name } from "@telltale/runtime";
import { change } from "../objects/change.ts";
import { isFinished, nameOf } from "../pods/facts.ts";
import { bindCompleted, boundByController, type Plan, planOf, statusOf, type World } from "./claim-plan.ts";
import { classOf, isBoundTo } from "./match.ts";
import { isOurs, referenceTo, volumeFor } from "./provision.ts";
import { defaultClass, provisioner } from "./storage-class.ts";

/** Claims without a volume, by their class. */
const waiting = "waiting of class";
/** Claims by the volume that they name. */
const naming = "named volume";
/** Pods by the claims that they mount. */
const mounting = "mounted claim";
/** Volumes that no claim has, by their class. */
const free = "free of class";
/** Volumes by the claim that they are for. */
export const kept = "kept for claim";

export function claims(folder: string): Controller {
  return controller(PersistentVolumeClaim, "persistentvolume-controller")
    .index(PersistentVolumeClaim, waiting, (it) => ((it.spec?.volumeName ?? "") === "" ? [classOf(it) ?? ""] : []))
    .index(PersistentVolumeClaim, naming, (it) => (it.spec?.volumeName === undefined ? [] : [it.spec.volumeName]))
    .index(PersistentVolume, free, (it) => (it.spec?.claimRef === undefined ? [classOf(it) ?? ""] : []))
    .index(PersistentVolume, kept, keptFor)
    .index(Pod, mounting, (pod) => mountedBy(pod))
    .watches(PersistentVolume, ({ old, new: next }, look) => concernedBy([old, next], look))
    .watches(StorageClass, ({ old, new: next }, look) => ofClass(nameOf(next ?? old ?? {}), look))
    .watches(Pod, ({ old, new: next }) => mountedBy(next ?? old ?? {}).map(nameFrom), {
      changed: (old, next) => isFinished(old) !== isFinished(next),
    })
    .writes(PersistentVolume, "create", "patch")
    .writes(PersistentVolumeClaim, "patch")
    .reconcile<World, Plan>({
      observe,
      plan: planOf,
      act: (plan, hands, world) => act(plan, hands, world, folder),
      status: (world) => ({ status: statusOf(world) }),
    });
}

export const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;

/** Names hold no slash. */
function nameFrom(key: string): Name {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

export function keptFor({ spec }: PersistentVolume): readonly string[] {
  const { namespace, name } = spec?.claimRef ?? {};
  return namespace === undefined || name === undefined ? [] : [`${namespace}/${name}`];
}

function mountedBy({ metadata, spec }: Partial<Pod>): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata?.name}-${name}`;
    return claim === undefined ? [] : [`${metadata?.namespace ?? ""}/${claim}`];
  });
}

/** The claim that a volume is for, those that name it, and where it is free, those that wait for one of its class. */
function* concernedBy(volumes: readonly (PersistentVolume | undefined)[], look: MapLook): Iterable<Name> {
  for (const volume of volumes) {
    if (volume === undefined) continue;
    for (const key of keptFor(volume)) yield nameFrom(key);
    for (const claim of look.where(PersistentVolumeClaim, naming, nameOf(volume))) yield nameFrom(keyOf(claim));
    if (volume.status?.phase === "Available") yield* ofClass(classOf(volume) ?? "", look);
  }
}

/** Claims that wait: of a class, or of none, for which a class may be the default. */
function* ofClass(name: string, look: MapLook): Iterable<Name> {
  for (const of of new Set([name, ""])) {
    for (const claim of look.where(PersistentVolumeClaim, waiting, of)) yield nameFrom(keyOf(claim));
  }
}

function observe(claim: PersistentVolumeClaim, look: Look): World {
  const named = claim.spec?.volumeName ?? "";
  const asked = classOf(claim);
  const isWaiting = named === "";
  return {
    claim,
    volume: isWaiting ? undefined : look.get(PersistentVolume, { name: named }),
    candidates: isWaiting
      ? [...look.where(PersistentVolume, kept, keyOf(claim)), ...look.where(PersistentVolume, free, asked ?? "")]
      : [],
    storageClass: asked === undefined || asked === "" ? undefined : look.get(StorageClass, { name: asked }),
    defaultClass: isWaiting ? defaultClass(look.list(StorageClass)) : undefined,
    isUsed: look.where(Pod, mounting, keyOf(claim)).some((pod) => !isFinished(pod)),
  };
}

type ClaimHands = Hands<typeof PersistentVolumeClaim>;

async function act(plan: Plan, hands: ClaimHands, { claim }: World, folder: string): Promise<void> {
  switch (plan.do) {
    case "nothing":
      return;
    case "tell":
      return hands.event(plan.told.type, plan.told.reason, plan.told.message);
    case "classify": {
      const operations = change(claim, { "/spec/storageClassName": plan.name });
      const world = observe(await hands.patch(PersistentVolumeClaim, claim, operations), hands);
      return act(planOf(world), hands, world, folder);
    }
    case "announce":
      await hands.annotate(provisionerNamed(plan.provisioner));
      return hands.event(plan.told.type, plan.told.reason, plan.told.message);
    case "provision":
      return provision(plan.of, claim, hands, folder);
    case "bind":
      return bind(plan.volume, claim, hands);
    case "grow": {
      const { volume, to } = plan;
      await hands.patch(PersistentVolume, volume, change(volume, { "/spec/capacity/storage": to }));
    }
  }
}

const provisionerNamed = (name: string) => ({
  "volume.beta.kubernetes.io/storage-provisioner": name,
  "volume.kubernetes.io/storage-provisioner": name,
});

async function provision(
  of: StorageClass,
  claim: PersistentVolumeClaim,
  hands: ClaimHands,
  folder: string,
): Promise<void> {
  const wanted = volumeFor(claim, of, folder);
  const { as, live } = await hands.ensure(PersistentVolume, wanted, { mode: "createOnly", owner: "none" });
  if (as === "terminating" || !isBoundTo(live, claim)) {
    const message = `the name ${nameOf(live)} of the volume for this claim is taken; it is made once that one is gone`;
    return hands.event("Warning", "ProvisioningFailed", message);
  }
  hands.event(
    "Normal",
    "ProvisioningSucceeded",
    `Successfully provisioned volume ${nameOf(live)} using ${provisioner}`,
  );
  return bind(live, claim, hands);
}

/** First the volume is the claim's, then the claim the volume's: whoever comes in between finds what is still to be done. */
async function bind(volume: PersistentVolume, claim: PersistentVolumeClaim, hands: ClaimHands): Promise<void> {
  if (!isBoundTo(volume, claim)) {
    const isChosen = volume.spec?.claimRef === undefined;
    const annotations = { ...volume.metadata?.annotations, ...(isChosen ? { [boundByController]: "yes" } : {}) };
    const fields = { "/spec/claimRef": referenceTo(claim), "/metadata/annotations": annotations };
    await hands.patch(PersistentVolume, volume, change(volume, fields));
  }
  const isChosen = (claim.spec?.volumeName ?? "") === "";
  const annotations = {
    ...claim.metadata?.annotations,
    ...(isOurs(volume) ? provisionerNamed(provisioner) : {}),
    [bindCompleted]: "yes",
    ...(isChosen ? { [boundByController]: "yes" } : {}),
  };
  const fields = { "/spec/volumeName": nameOf(volume), "/metadata/annotations": annotations };
  const operations = change(claim, fields);
  if (operations.length > 0) await hands.patch(PersistentVolumeClaim, claim, operations);
}
