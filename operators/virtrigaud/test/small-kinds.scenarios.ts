// Classes, images and networks in the simulation: an image that two machines want, one that fails at first, one that is changed by
// force; a pool that machines come to and leave; a class and a network that are deleted while they are in use.
import type { KindRef, KubeObject } from "@telltale/kinds";
import { ConfigMap } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";
import type { Deed, Fault, Scenario } from "@telltale/simulation";
import { Provider, VirtualMachine, VMClass, VMImage, VMNetworkAttachment } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Links } from "../src/link/links.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import { fail } from "../src/simulated/faults.ts";
import { vmClasses } from "../src/vm-class/controller.ts";
import { vmImages } from "../src/vm-image/controller.ts";
import { vmNetworkAttachments } from "../src/vm-network-attachment/controller.ts";
import { Hypervisor } from "./scenarios.ts";
import { providerSpec } from "./stage.ts";

const namespace = "default";
const second = 1_000;

const of = (kind: KindRef, name: string, more: object): KubeObject =>
  ({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, ...more }) as KubeObject;

const box = of(Provider, "box", { spec: providerSpec });
const image = of(VMImage, "tiny", {
  spec: { source: { http: { url: "https://images.example/tiny.qcow2" } }, prepare: { retries: 10 } },
});
const pool = of(ConfigMap, "pool", { data: { ranges: "10.0.0.0/24" } });
const network = of(VMNetworkAttachment, "net", {
  spec: { network: { type: "nat" }, ipAllocation: { type: "Pool", poolConfig: { poolRef: { name: "pool" } } } },
});
const small = of(VMClass, "small", { spec: { cpu: 1, memory: "512Mi" } });
const machine = (name: string): KubeObject =>
  of(VirtualMachine, name, {
    spec: {
      providerRef: { name: "box" },
      classRef: { name: "small" },
      imageRef: { name: "tiny" },
      networks: [{ name: "eth0", networkRef: { name: "net" } }],
    },
  });

/** Every Provider runs and imports images. */
const ready = (): Controller =>
  controller(Provider, "ready-providers").reconcile({
    observe: (it) => it,
    status({ metadata }, draft) {
      const runtime = { phase: "Running", endpoint: `${metadata.name}.svc:9443` } as const;
      draft.set({ healthy: true, runtime, reportedCapabilities: { supportsImageImport: true } });
      draft.condition("Ready", true, "ProviderHealthy", "Provider is healthy and ready");
    },
  });

/** What people made and somebody takes away for good, nobody puts back. A class or a network in use is not let go. */
const differs = ({ p, again, then, kind, on }: Fault): boolean =>
  (p === "P18" && again === false) ||
  (p === "P28" && (then === "gone" || /\/(vmclasses|vmnetworkattachments)\//.test(String(on)))) ||
  (p === "P26" && (kind === VMClass.kind || kind === VMNetworkAttachment.kind));

const base: Omit<Scenario<Hypervisor>, "name" | "apply"> = {
  kinds: [Provider, VirtualMachine, VMClass, VMImage, VMNetworkAttachment],
  operator({ clock, backend }) {
    const links = new Links({ dial: simulatedDial({ clock, find: () => backend.host }), clock });
    const crossing = { isFree: false };
    const lookup = async () => ["192.0.2.80"];
    return [
      vmClasses({ crossing, workers: 1 }),
      vmImages({ crossing, workers: 2, links, tls: new KnownSecrets(), addresses: {}, lookup }),
      vmNetworkAttachments({ crossing, workers: 1 }),
    ];
  },
  others: () => [ready()],
  backend: ({ clock, random }) => new Hypervisor(clock, random, { durations: { image: 15 * second } }),
  quiet: 660 * second,
  differs,
  free: [
    "*.status.lastPrepareTime",
    "*.status.importProgress",
    // Who finds an image that was prepared before is told no more of it.
    "*.status.checksum",
    "*.status.size",
    "*.status.format",
    "*.status.conditions.Downloading",
    "*.status.providerStatus",
    "*.status.validationResults",
    "*.status.ipAllocations",
  ],
  promise(object) {
    if (object.kind !== VMImage.kind) return true;
    return Object.values((object as VMImage).status?.providerStatus ?? {}).some(({ available }) => available);
  },
};

const made = (at: number, what: string, act: Deed["act"]): Deed => ({ at: at * second, what, act });
const removed = (at: number, kind: KindRef, name: string): Deed =>
  made(at, `deletes ${name}`, (client) => client.delete(kind, { namespace, name }, { propagation: "Background" }));

/** Everybody who is there has an address, and no two the same. */
const addresses: NonNullable<Scenario<Hypervisor>["end"]> = async ({ client }) => {
  const net = await client.get(VMNetworkAttachment, "net", { namespace });
  const { items } = await client.list(VirtualMachine, { namespace });
  const given = net.status?.ipAllocations ?? [];
  const wanted = items.map(({ metadata }) => `${namespace}/${metadata.name}`).sort();
  if (given.map(({ vm }) => vm).join() !== wanted.join()) throw new Error(`addresses: ${JSON.stringify(given)}`);
  if (new Set(given.map(({ ip }) => ip)).size !== given.length) throw new Error(`twice: ${JSON.stringify(given)}`);
};

/** It is there under its name, which another generation may have made another one. */
const prepared =
  (name: RegExp): NonNullable<Scenario<Hypervisor>["end"]> =>
  async ({ client, backend }) => {
    const { status } = await client.get(VMImage, "tiny", { namespace });
    const { id = "" } = status?.providerStatus?.["box"] ?? {};
    const isThere = backend.host.images.some(({ target, isReady }) => target === id && isReady);
    if (status?.phase === "Ready" && name.test(id) && isThere) return;
    throw new Error(`the image is ${status?.phase}, as ${id}: ${status?.message}`);
  };

export const prepares: Scenario<Hypervisor> = {
  ...base,
  name: "prepared",
  given: [box],
  apply: [image, machine("one"), machine("two")],
  end: prepared(/^tiny$/),
};
export const fails: Scenario<Hypervisor> = {
  ...prepares,
  name: "prepared-at-the-third-try",
  backend({ clock, random }) {
    const made = new Hypervisor(clock, random, { durations: { image: 15 * second } });
    made.host.script("imagePrepare", fail("disk on fire"), fail("checksum mismatch"));
    return made;
  },
  // Of two tasks for one name, the simulated host lets the one that fails undo the other: what it has in the end says nothing.
  async end({ client }) {
    const { status } = await client.get(VMImage, "tiny", { namespace });
    if (status?.phase !== "Ready") throw new Error(`the image is ${status?.phase}: ${status?.message}`);
  },
};
export const forced: Scenario<Hypervisor> = {
  ...prepares,
  name: "prepared-anew",
  people: [
    made(900, "forces it", (client) =>
      client.patch(VMImage, { namespace, name: "tiny" }, { merge: { spec: { prepare: { force: true } } } }),
    ),
  ],
  end: prepared(/^tiny-g\d+$/),
};
export const pooled: Scenario<Hypervisor> = {
  ...base,
  name: "pooled",
  given: [box, pool, small],
  apply: [network, machine("one"), machine("two"), machine("three")],
  people: [
    removed(60, VirtualMachine, "two"),
    made(90, "makes another", (client) => client.create(VirtualMachine, machine("four") as VirtualMachine)),
  ],
  end: addresses,
};
export const inUse: Scenario<Hypervisor> = {
  ...base,
  name: "deleted-in-use",
  given: [box, pool],
  apply: [small, network, machine("one")],
  people: [removed(60, VMClass, "small"), removed(60, VMNetworkAttachment, "net"), removed(900, VirtualMachine, "one")],
  async end({ client }) {
    for (const kind of [VMClass, VMNetworkAttachment]) {
      const { items } = await client.list<KubeObject>(kind, { namespace });
      if (items.length > 0) throw new Error(`${kind.kind} is still there`);
    }
  },
};
