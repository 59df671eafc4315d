// The controller of VMClones: what it watches, and its steps in a row.
import { deepEqual } from "@telltale/kinds";
import { Namespace, Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook, type Name, pausedBy } from "@telltale/runtime";
import { findCondition } from "@telltale/status";
import { vmsByProvider } from "../indexes.ts";
import {
  Provider,
  VirtualMachine,
  VMClass,
  VMClone,
  VMImage,
  VMMigration,
  VMPlacementPolicy,
  VMSnapshot,
} from "../kinds/index.ts";
import { annotations, fieldManager } from "../names.ts";
import { placedCopies } from "../placement/copies.ts";
import { unknownBecause } from "../reachable.ts";
import { resolve } from "../references.ts";
import { act } from "./act.ts";
import { finalize } from "./finalize.ts";
import { observe, type Senses } from "./observe.ts";
import { status } from "./status.ts";
import { placeOf } from "./target.ts";
import type { World } from "./world.ts";

const byMachine = "machine";
const bySnapshot = "snapshot";

export interface VMCloneOptions extends Senses {
  readonly workers: number;
}

export function vmClones({ workers, ...senses }: VMCloneOptions): Controller {
  return (
    controller(VMClone, "vmclone")
      .on("generation", "deletion", "annotations", "labels", "finalizers", "status")
      .gate(
        pausedBy(annotations.paused, {
          value: "true",
          say({ status: said }, draft) {
            draft.aside().set({ message: "Paused" });
            // One that nobody has looked at yet is not there.
            if (findCondition(said?.conditions, "Ready") === undefined)
              draft.condition("Ready", false, "Cloning", "Paused");
          },
        }),
      )
      .watches(VirtualMachine, ({ old, new: next }, look) => ofMachine(next ?? old, look), { changed: isOtherMachine })
      .watches(VMSnapshot, ({ old, new: next }, look) => ofSnapshot(next ?? old, look), {
        changed: (a, b) => a.status?.phase !== b.status?.phase,
      })
      .watches(Provider, ({ old, new: next }, look) => ofProvider(next ?? old, look), {
        changed: (a, b) => !deepEqual(a.status?.runtime, b.status?.runtime),
      })
      .index(VMClone, byMachine, machinesOf)
      .index(VMClone, placedCopies.name, placedCopies.values)
      .index(VMClone, bySnapshot, ({ metadata, spec }) =>
        spec.source.snapshotRef === undefined ? [] : [`${metadata.namespace}/${spec.source.snapshotRef.name}`],
      )
      .index(VirtualMachine, vmsByProvider.name, vmsByProvider.values)
      .reads(VMClass, VMImage, VMMigration, VMPlacementPolicy, Namespace)
      .gets(Secret)
      .writes(VirtualMachine, "create", "patch status")
      .records(annotations.pendingOp)
      .checkpoints("copied")
      .finalize((clone, hands, draft) => finalize(clone, hands, draft, senses))
      .gone((clone) => senses.places.forget(clone))
      .events("none")
      .status({ as: "patch", fieldManager })
      .workers(workers)
      // As long as a provider takes to list its machines, twice over.
      .timeout(300_000)
      .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
      .resync(36_000_000)
      .reconcile<World, undefined>({
        observe: (clone, look) => observe(clone, look, senses),
        plan: () => undefined,
        act,
        status,
      })
  );
}

/** Its source and its target. */
function machinesOf(clone: VMClone): readonly string[] {
  const { namespace = "" } = clone.metadata;
  const { vmRef, templateRef } = clone.spec.source;
  const source = vmRef ?? templateRef;
  const names = [...(source === undefined ? [] : [resolve(source, namespace)]), placeOf(clone)];
  return names.map((it) => `${it.namespace}/${it.name}`);
}

const nameOf = ({ metadata }: VMClone): Name => ({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });

const ofMachine = (vm: VirtualMachine | undefined, look: MapLook): readonly Name[] =>
  look.where(VMClone, byMachine, `${vm?.metadata.namespace}/${vm?.metadata.name}`).map(nameOf);

const ofSnapshot = (snapshot: VMSnapshot | undefined, look: MapLook): readonly Name[] =>
  look.where(VMClone, bySnapshot, `${snapshot?.metadata.namespace}/${snapshot?.metadata.name}`).map(nameOf);

const ofProvider = (provider: Provider | undefined, look: MapLook): readonly Name[] =>
  look
    .where(VirtualMachine, vmsByProvider.name, `${provider?.metadata.namespace}/${provider?.metadata.name}`)
    .flatMap((vm) => ofMachine(vm, look));

const isOtherMachine = (a: VirtualMachine, b: VirtualMachine): boolean =>
  a.status?.id !== b.status?.id ||
  a.status?.phase !== b.status?.phase ||
  a.status?.powerState !== b.status?.powerState ||
  unknownBecause(a) !== unknownBecause(b) ||
  !deepEqual(a.status?.ips, b.status?.ips) ||
  !deepEqual(a.metadata.annotations, b.metadata.annotations);
