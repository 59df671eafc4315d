// The controller of VirtualMachines: what it watches, and its steps in a row.

import { deepEqual } from "@telltale/kinds";
import { ConfigMap, Namespace, Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook, type Name, pausedBy } from "@telltale/runtime";
import { snapshotsByVM, vmsByClass, vmsByPolicy, vmsByProvider } from "../indexes.ts";
import {
  Provider,
  VirtualMachine,
  type VirtualMachineStatus,
  VMClass,
  VMClone,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
} from "../kinds/index.ts";
import { annotations, fieldManager } from "../names.ts";
import { placedCopies } from "../placement/copies.ts";
import { isConnected } from "../reachable.ts";
import { resolve } from "../references.ts";
import { act } from "./act.ts";
import { decide } from "./decide.ts";
import { finalize } from "./deletion.ts";
import { tell } from "./events.ts";
import { type AddressSample, FirstAddresses } from "./first-address.ts";
import { clonesByVM, observe, type Senses } from "./observe.ts";
import { remember } from "./remember.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

const byImage = "image";
const byNetwork = "network";
const byLock = "lock";

/** A provider that goes or comes back changes the status of all its machines: they are looked at one after the other. */
const timePerMachine = 50;

export interface VirtualMachineOptions {
  readonly senses: Senses;
  readonly workers: number;
  /** Told when a machine has its first address. */
  readonly onAddress?: (sample: AddressSample) => void;
  /** What comes next in a pass. Given only where a simulation tries it without one of its rules. */
  readonly next?: typeof decide;
}

export function virtualMachines({
  senses,
  workers,
  onAddress = () => {},
  next = decide,
}: VirtualMachineOptions): Controller {
  const addresses = new FirstAddresses(onAddress);
  return (
    controller(VirtualMachine, "virtualmachine")
      .on("generation", "deletion", "annotations", "labels", "finalizers", "status")
      .gate(
        pausedBy(annotations.paused, {
          value: "true",
          say: (_vm, draft) => void draft.aside().set({ message: "Paused" }),
        }),
      )
      .watches(Provider, ({ old, new: next }, look) => using(vmsByProvider.name, next ?? old, look), {
        changed: isOtherProvider,
        spread: timePerMachine,
      })
      .watches(VMClass, ({ old, new: next }, look) => using(vmsByClass.name, next ?? old, look), {
        changed: isOtherSpec,
      })
      .watches(VMImage, ({ old, new: next }, look) => waiting(byImage, next ?? old, look), {
        changed: (a, b) => isOtherSpec(a, b) || !deepEqual(a.status?.providerStatus, b.status?.providerStatus),
      })
      .watches(VMNetworkAttachment, ({ old, new: next }, look) => waiting(byNetwork, next ?? old, look), {
        changed: (a, b) => isOtherSpec(a, b) || !deepEqual(a.status?.ipAllocations, b.status?.ipAllocations),
      })
      .watches(VMPlacementPolicy, ({ old, new: next }, look) => waiting(vmsByPolicy.name, next ?? old, look), {
        changed: (a, b) => isOtherSpec(a, b) || !deepEqual(a.status?.conditions, b.status?.conditions),
      })
      .watches(VMSnapshot, ({ old, new: next }) => machineOf((next ?? old)?.metadata, (next ?? old)?.spec.vmRef.name), {
        changed: (a, b) =>
          a.status?.phase !== b.status?.phase || a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp,
      })
      .watches(VMClone, ({ old, new: next }) => machineOf((next ?? old)?.metadata, sourceOf(next ?? old)), {
        changed: (a, b) => a.status?.phase !== b.status?.phase,
      })
      .watches(VMMigration, ({ old, new: next }, look) => (next === undefined ? using(byLock, old, look) : []))
      .index(VirtualMachine, vmsByProvider.name, vmsByProvider.values)
      .index(VirtualMachine, vmsByClass.name, vmsByClass.values)
      .index(VirtualMachine, byImage, ({ metadata, spec }) =>
        spec.imageRef === undefined ? [] : [named(spec.imageRef, metadata.namespace)],
      )
      .index(VirtualMachine, byNetwork, ({ metadata, spec }) =>
        (spec.networks ?? []).flatMap(({ networkRef }) =>
          networkRef === undefined ? [] : [named(networkRef, metadata.namespace)],
        ),
      )
      .index(VirtualMachine, vmsByPolicy.name, vmsByPolicy.values)
      .index(VirtualMachine, byLock, ({ metadata }) => {
        const [namespace = "", name = ""] = (metadata.annotations?.[annotations.migrationLock] ?? "").split("/");
        return name === "" ? [] : [`${namespace}/${name}`];
      })
      .index(VMSnapshot, snapshotsByVM.name, snapshotsByVM.values)
      .index(VMClone, clonesByVM, ({ metadata, spec: { source } }) => {
        const ref = source.vmRef ?? source.templateRef;
        return ref === undefined ? [] : [named(ref, metadata.namespace)];
      })
      .index(VMClone, placedCopies.name, placedCopies.values)
      .reads(Namespace, { metadataOnly: true })
      .gets(Secret, ConfigMap)
      .writes(VMPlacementPolicy, "patch status")
      .writes(VMSnapshot, "create", "delete")
      .records(annotations.pendingOp)
      .checkpoints("create", "hook", "shutdown")
      .finalize((vm, hands, draft) => finalize(vm, hands, draft, senses))
      .gone((vm) => {
        const { uid = "" } = vm.metadata;
        senses.streaks.forget(uid);
        addresses.forget(uid);
        senses.places.forget(vm);
      })
      .events("none")
      .status({ as: "patch", fieldManager })
      .workers(workers)
      // As long as the longest call may take, and a little.
      .timeout(400_000)
      .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
      .resync(36_000_000)
      .reconcile<World, undefined>({
        observe: (vm, look) => observe(vm, look, senses),
        plan: () => undefined,
        act: (_none, hands, world) => act(_none, hands, world, senses, next),
        status,
        async after({ world, before, status: after }, hands) {
          tell(world, before, after, hands);
          // What the kind's own draft has read and made.
          addresses.see(world, before as VirtualMachineStatus | undefined, after as VirtualMachineStatus);
          await remember(world, hands);
        },
      })
  );
}

interface Meta {
  readonly name?: string;
  readonly namespace?: string;
}

const named = (ref: { readonly name: string; readonly namespace?: string }, home = ""): string => {
  const { namespace, name } = resolve(ref, home);
  return `${namespace}/${name}`;
};

const nameOf = ({ metadata }: VirtualMachine): Name => ({
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
});

type Used = { readonly metadata?: Meta } | undefined;

const found = (index: string, object: Used, look: MapLook): readonly VirtualMachine[] =>
  look.where(VirtualMachine, index, `${object?.metadata?.namespace}/${object?.metadata?.name}`);

const using = (index: string, object: Used, look: MapLook): readonly Name[] => found(index, object, look).map(nameOf);

/** Those that do not exist yet: what they are made of is of no use to the others. */
const waiting = (index: string, object: Used, look: MapLook): readonly Name[] =>
  found(index, object, look)
    .filter(({ status }) => (status?.id ?? "") === "")
    .map(nameOf);

function* machineOf(metadata: Meta | undefined, name: string | undefined): Iterable<Name> {
  if (name !== undefined) yield { namespace: metadata?.namespace ?? "", name };
}

const sourceOf = (clone: VMClone | undefined): string | undefined => clone?.spec.source.vmRef?.name;

const isOtherSpec = (
  a: { readonly metadata: { readonly generation?: number; readonly annotations?: object } },
  b: { readonly metadata: { readonly generation?: number; readonly annotations?: object } },
): boolean =>
  a.metadata.generation !== b.metadata.generation || !deepEqual(a.metadata.annotations, b.metadata.annotations);

/** Whether it can be asked, and what it can do. */
const isOtherProvider = (a: Provider, b: Provider): boolean =>
  isOtherSpec(a, b) ||
  isConnected(a) !== isConnected(b) ||
  !deepEqual(a.status?.runtime, b.status?.runtime) ||
  !deepEqual(a.status?.reportedCapabilities, b.status?.reportedCapabilities);
