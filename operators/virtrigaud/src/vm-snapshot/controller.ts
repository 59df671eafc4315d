// The controller of VMSnapshots: what it watches, and its steps in a row.

import { deepEqual } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook, type Name, pausedBy } from "@telltale/runtime";
import { findCondition } from "@telltale/status";
import { snapshotsByVM, vmsByProvider } from "../indexes.ts";
import { Provider, VirtualMachine, VMClone, VMMigration, VMSnapshot, type VMSnapshotStatus } from "../kinds/index.ts";
import { annotations, fieldManager } from "../names.ts";
import { act } from "./act.ts";
import { tell } from "./events.ts";
import { finalize } from "./finalize.ts";
import { bySnapshot, observe } from "./observe.ts";
import type { Ways } from "./reach.ts";
import { status } from "./status.ts";
import { usedBy } from "./users.ts";
import type { World } from "./world.ts";

export interface VMSnapshotOptions extends Ways {
  readonly workers: number;
}

export function vmSnapshots({ workers, ...ways }: VMSnapshotOptions): Controller {
  return (
    controller(VMSnapshot, "vmsnapshot")
      .on("generation", "deletion", "annotations", "labels", "finalizers", "status")
      .gate(
        pausedBy(annotations.paused, {
          value: "true",
          say({ status: said }, draft) {
            draft.aside().set({ message: "Paused" });
            // One that nobody has looked at yet is not there.
            if (findCondition(said?.conditions, "Ready") === undefined)
              draft.condition("Ready", false, "Creating", "Paused");
          },
        }),
      )
      .owns(VMSnapshot, { verbs: ["create", "delete"] })
      .watches(VMSnapshot, ({ old, new: next }, look) => relatives(next ?? old, look), { changed: isOther })
      .watches(VirtualMachine, ({ old, new: next }, look) => ofMachine(next ?? old, look), { changed: isOtherMachine })
      .watches(Provider, ({ old, new: next }, look) => ofProvider(next ?? old, look), {
        changed: (a, b) => !deepEqual(a.status?.runtime, b.status?.runtime),
      })
      .watches(VMMigration, ({ old, new: next }) => used(next ?? old), { changed: isOtherUser })
      .watches(VMClone, ({ old, new: next }) => used(next ?? old), { changed: isOtherUser })
      .index(VMSnapshot, snapshotsByVM.name, snapshotsByVM.values)
      .index(VirtualMachine, vmsByProvider.name, vmsByProvider.values)
      .index(VMMigration, bySnapshot, (it) => usedBy(it).map((name) => `${it.metadata.namespace}/${name}`))
      .index(VMClone, bySnapshot, (it) => usedBy(it).map((name) => `${it.metadata.namespace}/${name}`))
      .gets(Secret)
      .writes(VirtualMachine, "patch")
      .records(annotations.pendingOp)
      .checkpoints("taking")
      .finalize((snapshot, hands, draft) => finalize(snapshot, hands, draft, ways))
      .events("none")
      .status({ as: "patch", fieldManager })
      .workers(workers)
      // As long as a provider takes to say which snapshots a machine has, twice over.
      .timeout(300_000)
      .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
      .resync(36_000_000)
      .reconcile<World, undefined>({
        observe: (snapshot, look) => observe(snapshot, look, ways),
        plan: () => undefined,
        act,
        status,
        // The status is the one that `status` made.
        after: ({ world, status: after }, hands) => tell(world, after as VMSnapshotStatus, hands),
      })
  );
}

const nameOf = ({ metadata }: VMSnapshot): Name => ({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" });

/** The other snapshots of its machine: they count it, wait for it, and are its parent or its children. */
const relatives = (snapshot: VMSnapshot | undefined, look: MapLook): readonly Name[] =>
  snapshot === undefined
    ? []
    : look
        .where(VMSnapshot, snapshotsByVM.name, `${snapshot.metadata.namespace}/${snapshot.spec.vmRef.name}`)
        .filter(({ metadata }) => metadata.uid !== snapshot.metadata.uid)
        .map(nameOf);

const ofMachine = (vm: VirtualMachine | undefined, look: MapLook): readonly Name[] =>
  look.where(VMSnapshot, snapshotsByVM.name, `${vm?.metadata.namespace}/${vm?.metadata.name}`).map(nameOf);

const ofProvider = (provider: Provider | undefined, look: MapLook): readonly Name[] =>
  look
    .where(VirtualMachine, vmsByProvider.name, `${provider?.metadata.namespace}/${provider?.metadata.name}`)
    .flatMap((vm) => ofMachine(vm, look));

const used = (it: VMMigration | VMClone | undefined): readonly Name[] =>
  it === undefined ? [] : usedBy(it).map((name) => ({ namespace: it.metadata.namespace ?? "", name }));

/** What relatives and schedules look at. */
const isOther = (a: VMSnapshot, b: VMSnapshot): boolean =>
  a.status?.phase !== b.status?.phase ||
  a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp ||
  a.spec.metadata?.pinned !== b.spec.metadata?.pinned ||
  !deepEqual(a.status?.parent, b.status?.parent);

const isOtherMachine = (a: VirtualMachine, b: VirtualMachine): boolean =>
  a.status?.id !== b.status?.id ||
  a.status?.phase !== b.status?.phase ||
  !deepEqual(a.status?.conditions, b.status?.conditions);

const isOtherUser = (a: VMMigration | VMClone, b: VMMigration | VMClone): boolean =>
  a.status?.phase !== b.status?.phase ||
  a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp ||
  !deepEqual(usedBy(a), usedBy(b));
