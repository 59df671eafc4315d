// The controller of VMNetworkAttachments: what it watches, and its steps in a row. It alone writes who has which address.
import { deepEqual } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import {
  type Controller,
  controller,
  done,
  type Finalized,
  type Hands,
  type MapLook,
  type Name,
  waiting,
} from "@telltale/runtime";
import { text } from "@telltale/status";
import { Provider, VirtualMachine, VMNetworkAttachment } from "../kinds/index.ts";
import { annotations, fieldManager } from "../names.ts";
import { answering } from "../reachable.ts";
import type { Crossing } from "../references.ts";
import {
  byMachineProvider,
  byNamespace,
  byNetwork,
  byPool,
  machinesOn,
  networksOf,
  observe,
  observePaused,
  poolOf,
  providerOf,
} from "./observe.ts";
import { type NetworkDraft, status } from "./status.ts";
import type { World } from "./world.ts";

export interface VMNetworkAttachmentOptions {
  readonly crossing: Crossing;
  readonly workers: number;
}

/** Machines come by the hundred: addresses are given to all that came within a second at once. */
const spacing = 1_000;

export function vmNetworkAttachments({ crossing, workers }: VMNetworkAttachmentOptions): Controller {
  return controller(VMNetworkAttachment, "vmnetworkattachment")
    .on("generation", "deletion", "labels", "annotations", "finalizers", "status")
    .gate((network, look) => {
      const { annotations: notes, deletionTimestamp } = network.metadata;
      if (notes?.[annotations.paused] !== "true" || deletionTimestamp !== undefined) return "go";
      return {
        only(it, draft, now) {
          status(observePaused(it, look, crossing), draft, now);
          draft.set({ message: "Paused" });
        },
      };
    })
    .watches(VirtualMachine, ({ old, new: next }) => [...namesOf(old), ...namesOf(next)], { changed: isNews })
    .index(VirtualMachine, byNetwork, networksOf)
    .index(VirtualMachine, byMachineProvider, (vm) => (networksOf(vm).length === 0 ? [] : [providerOf(vm)]))
    .watches(Provider, ({ old, new: next }, look) => around(next ?? old, look), {
      changed: (a, b) => a.spec.type !== b.spec.type || answering(a) !== answering(b),
    })
    .watches(ConfigMap, ({ old, new: next }, look) => fedBy(next ?? old, look), { metadataOnly: true })
    .gets(ConfigMap)
    .index(VMNetworkAttachment, byPool, (network) => {
      const pool = poolOf(network);
      return pool === undefined ? [] : [`${network.metadata.namespace}/${pool}`];
    })
    .index(VMNetworkAttachment, byNamespace, ({ metadata }) => [metadata.namespace ?? ""])
    .finalize((network, hands, draft) => finalize(network, hands, draft, crossing))
    .events("none")
    .status({ as: "patch", fieldManager })
    .workers(workers)
    .spacing(spacing)
    .backoff({ first: 1_000, longest: 300_000, jitter: 0.1 })
    .resync(36_000_000)
    .reconcile<World>({ observe: (network, look) => observe(network, look, crossing), status });
}

const split = (key: string): Name => {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
};

const namesOf = (vm: VirtualMachine | undefined): readonly Name[] =>
  vm === undefined ? [] : networksOf(vm).map(split);

const isNews = (a: VirtualMachine, b: VirtualMachine): boolean =>
  !deepEqual(a.spec.networks, b.spec.networks) ||
  providerOf(a) !== providerOf(b) ||
  (a.status?.id ?? "") !== (b.status?.id ?? "") ||
  !deepEqual(a.status?.ips, b.status?.ips);

const refOf = ({ metadata: { namespace = "", name = "" } }: VMNetworkAttachment): Name => ({ namespace, name });

/** The networks that a provider counts for: those of its namespace, and those of its machines. */
function* around(provider: Provider | undefined, look: MapLook): Iterable<Name> {
  const { namespace = "", name = "" } = provider?.metadata ?? {};
  yield* look.where(VMNetworkAttachment, byNamespace, namespace).map(refOf);
  const machines = look.where(VirtualMachine, byMachineProvider, `${namespace}/${name}`);
  yield* [...new Set(machines.flatMap(networksOf))].map(split);
}

const fedBy = (pool: ConfigMap | undefined, look: MapLook): readonly Name[] => {
  const { namespace = "", name = "" } = pool?.metadata ?? {};
  return look.where(VMNetworkAttachment, byPool, `${namespace}/${name}`).map(refOf);
};

async function finalize(
  network: VMNetworkAttachment,
  hands: Hands<typeof VMNetworkAttachment>,
  draft: NetworkDraft,
  crossing: Crossing,
): Promise<Finalized> {
  // One that does not exist yet counts too: it could not be made without it.
  const users = machinesOn(network, hands, crossing).length;
  if (users === 0) return done;
  if (network.metadata.annotations?.[annotations.forceDelete] === "true") {
    hands.event("Warning", "ForceDeleted", `deleted while ${users} VirtualMachines are on it`);
    return done;
  }
  const message = text`${users} VirtualMachines are still on this network`;
  draft.set({ ready: false, message });
  draft.condition("Ready", false, "InUse", message);
  return waiting(60_000);
}
