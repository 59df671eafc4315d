// The controller of VMMigrations: what it watches, and its steps in a row.
import { deepEqual } from "@telltale/kinds";
import { Deployment, Job, Namespace, PersistentVolumeClaim, Pod, Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, type MapLook, type Name, pausedBy } from "@telltale/runtime";
import {
  Provider,
  VirtualMachine,
  VMClass,
  VMImage,
  VMMigration,
  type VMMigrationStatus,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
} from "../kinds/index.ts";
import { annotations, fieldManager, labels } from "../names.ts";
import { act } from "./act.ts";
import { tell } from "./events.ts";
import { finalize, patience } from "./finalize.ts";
import { Flights } from "./flights.ts";
import { jobPart } from "./job.ts";
import { byJob, observe, type Senses } from "./observe.ts";
import { type Outside, systemOutside } from "./outside.ts";
import { status } from "./status.ts";
import { placeOf } from "./target.ts";
import type { World } from "./world.ts";

const byMachine = "machine";
const bySnapshot = "snapshot";
/** Jobs and pods of ours. */
const ours = { label: `${labels.part}=${jobPart}` };

export interface VMMigrationOptions extends Omit<Senses, "outside" | "flights"> {
  readonly workers: number;
  /** Default: this machine's network. */
  readonly outside?: Outside;
}

export function vmMigrations({ workers, ...options }: VMMigrationOptions): Controller {
  const outside = systemOutside(options.addresses, options.lookup);
  const senses: Senses = { outside, flights: new Flights(), ...options };
  return (
    controller(VMMigration, "vmmigration")
      .on("generation", "deletion", "annotations", "labels", "finalizers", "status")
      .gate(
        pausedBy(annotations.paused, {
          value: "true",
          say: (_migration, draft) => void draft.aside().set({ message: "Paused" }),
        }),
      )
      .owns(VMSnapshot, { verbs: ["create", "delete"] })
      .owns(PersistentVolumeClaim, { verbs: ["create", "delete"] })
      .owns(Job, { ...ours, verbs: ["create", "delete"] })
      .watches(Pod, ({ old, new: next }, look) => ofPod(next ?? old, look), {
        ...ours,
        changed: (a, b) => !deepEqual(a.status, b.status),
      })
      .index(Pod, byJob, ({ metadata }) => metadata?.ownerReferences?.map(({ uid }) => uid) ?? [])
      .watches(VirtualMachine, ({ old, new: next }, look) => ofMachine(next ?? old, look), { changed: isOtherMachine })
      .watches(VMSnapshot, ({ old, new: next }, look) => ofSnapshot(next ?? old, look), {
        changed: (a, b) => a.status?.phase !== b.status?.phase,
      })
      .index(VMMigration, byMachine, machinesOf)
      .index(VMMigration, bySnapshot, ({ metadata, spec }) =>
        spec.source.snapshotRef === undefined ? [] : [`${metadata.namespace}/${spec.source.snapshotRef.name}`],
      )
      .reads(Provider, VMMigration, VMClass, VMImage, VMNetworkAttachment, VMPlacementPolicy, Namespace, Deployment)
      .gets(Secret)
      .writes(VirtualMachine, "create", "patch", "delete")
      .writes(PersistentVolumeClaim, "patch")
      .records(annotations.pendingOp)
      .finalize((migration, hands, draft) => finalize(migration, hands, draft, senses), { limit: patience })
      .events("none")
      .status({ as: "patch", fieldManager })
      .workers(workers)
      // As long as a provider takes to list its machines, twice over.
      .timeout(300_000)
      .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
      .resync(36_000_000)
      .reconcile<World, undefined>({
        observe: (migration, look) => observe(migration, look, senses),
        plan: () => undefined,
        act: (_none, hands, world) => act(world, hands, senses),
        status,
        // The status is the one that `status` made.
        after: ({ world, status: after }, hands) => tell(world, after as VMMigrationStatus, hands),
      })
  );
}

/** Its source and its target. */
function machinesOf(migration: VMMigration): readonly string[] {
  const { namespace } = migration.metadata;
  const at = placeOf(migration);
  return [`${namespace}/${migration.spec.source.vmRef.name}`, `${at.namespace}/${at.name}`];
}

const nameOf = ({ metadata }: VMMigration): Name => ({
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
});

const ofMachine = (vm: VirtualMachine | undefined, look: MapLook): readonly Name[] =>
  look.where(VMMigration, byMachine, `${vm?.metadata.namespace}/${vm?.metadata.name}`).map(nameOf);

/** Whose Job made it. */
function ofPod(pod: Pod | undefined, look: MapLook): readonly Name[] {
  const { namespace = "", ownerReferences = [] } = pod?.metadata ?? {};
  return ownerReferences
    .filter(({ kind }) => kind === Job.kind)
    .flatMap(({ name }) => look.get(Job, { namespace, name })?.metadata?.ownerReferences ?? [])
    .filter(({ kind }) => kind === VMMigration.kind)
    .map(({ name }) => ({ namespace, name }));
}

const ofSnapshot = (snapshot: VMSnapshot | undefined, look: MapLook): readonly Name[] =>
  look.where(VMMigration, bySnapshot, `${snapshot?.metadata.namespace}/${snapshot?.metadata.name}`).map(nameOf);

const isOtherMachine = (a: VirtualMachine, b: VirtualMachine): boolean =>
  a.status?.id !== b.status?.id ||
  a.status?.phase !== b.status?.phase ||
  a.status?.powerState !== b.status?.powerState ||
  !deepEqual(a.status?.conditions, b.status?.conditions) ||
  !deepEqual(a.metadata.annotations, b.metadata.annotations);
