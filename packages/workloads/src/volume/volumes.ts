// PersistentVolumes: whose they are, and what becomes of them when their claim is gone.
import { PersistentVolume, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type Look } from "@telltale/runtime";
import { change } from "../objects/change.ts";
import { isTerminating, nameOf } from "../pods/facts.ts";
import { boundByController } from "./claim-plan.ts";
import { kept, keptFor, keyOf } from "./claims.ts";
import { isOurs, provisionedBy } from "./provision.ts";

export interface World {
  readonly volume: PersistentVolume;
  /** The very claim that it is bound to. */
  readonly claim: PersistentVolumeClaim | undefined;
}

/** How a volume stands with its claim. */
export type Standing =
  | "free" // nobody's, or kept for a claim that has not come
  | "binding" // a claim is about to take it
  | "bound"
  | "jilted" // its claim has taken another
  | "released"; // its claim is gone

export function volumes(reclaim: (volume: PersistentVolume) => Promise<void>): Controller {
  return controller(PersistentVolume, "persistentvolume-reclaimer")
    .index(PersistentVolume, kept, keptFor)
    .watches(PersistentVolumeClaim, ({ old, new: next }, look) => {
      const claim = next ?? old ?? {};
      const named = next?.spec?.volumeName ?? old?.spec?.volumeName;
      const own = look.where(PersistentVolume, kept, keyOf(claim)).map((it) => ({ name: nameOf(it) }));
      return named === undefined ? own : [...own, { name: named }];
    })
    .writes(PersistentVolume, "patch", "delete")
    .untilGone()
    .reconcile<World, Standing>({
      observe,
      plan: standingOf,
      act: unbind,
      status: (world) => ({ status: statusOf(world) }),
      async after({ world, object }, hands) {
        if (standingOf(world) !== "released" || !isRemovable(object) || isTerminating(object)) return;
        if (isOurs(object)) await reclaim(object);
        await hands.remove(PersistentVolume, object, "Background");
      },
    });
}

async function observe(volume: PersistentVolume, look: Look): Promise<World> {
  const { namespace, name = "", uid = "" } = volume.spec?.claimRef ?? {};
  if (namespace === undefined || uid === "") return { volume, claim: undefined };
  const isIt = (claim: PersistentVolumeClaim | undefined) => claim?.metadata?.uid === uid;
  const known = look.get(PersistentVolumeClaim, { namespace, name });
  // Nothing is taken away because the cache has not heard of a claim yet.
  const claim = isIt(known) ? known : await look.live(PersistentVolumeClaim, { namespace, name });
  return { volume, claim: isIt(claim) ? claim : undefined };
}

export function standingOf({ volume, claim }: World): Standing {
  const { claimRef } = volume.spec ?? {};
  if (claimRef === undefined || (claimRef.uid ?? "") === "") return "free";
  if (claim === undefined) return "released";
  const named = claim.spec?.volumeName ?? "";
  if (named === "") return "binding";
  return named === nameOf(volume) ? "bound" : "jilted";
}

type Status = NonNullable<PersistentVolume["status"]>;

const phases: Readonly<Partial<Record<Standing, string>>> = { free: "Available", bound: "Bound", released: "Released" };

export function statusOf(world: World): Status | undefined {
  const phase = phases[standingOf(world)];
  return phase === undefined ? undefined : { ...world.volume.status, phase };
}

/** What somebody else has made, somebody else removes. */
export function isRemovable(volume: PersistentVolume): boolean {
  const isForeign = volume.metadata?.annotations?.[provisionedBy] !== undefined && !isOurs(volume);
  return volume.spec?.persistentVolumeReclaimPolicy === "Delete" && !isForeign;
}

/** One that was made for the claim, and not taken, is of no use; any other is free again. */
async function unbind(standing: Standing, hands: Hands<typeof PersistentVolume>, { volume }: World): Promise<void> {
  if (standing !== "jilted" || isTerminating(volume)) return;
  if (isOurs(volume)) return void (await hands.remove(PersistentVolume, volume, "Background"));
  const { [boundByController]: chosen, ...annotations } = volume.metadata?.annotations ?? {};
  const { uid: _, resourceVersion: __, ...name } = volume.spec?.claimRef ?? {};
  const claimRef = chosen === undefined ? name : undefined;
  await hands.patch(
    PersistentVolume,
    volume,
    change(volume, { "/spec/claimRef": claimRef, "/metadata/annotations": annotations }),
  );
}
