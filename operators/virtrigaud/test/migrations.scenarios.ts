// A migration in the simulation, beside the controllers of machines and snapshots: whatever goes wrong, there is the old machine and
// one new one in the end, and nothing of the way is left.
import type { KindRef, KubeObject } from "@telltale/kinds";
import type { Fault, Scenario } from "@telltale/simulation";
import {
  Provider,
  VirtualMachine,
  VMClass,
  VMClone,
  VMImage,
  VMMigration,
  VMNetworkAttachment,
  VMPlacementPolicy,
  VMSnapshot,
} from "../src/kinds/index.ts";
import { Links } from "../src/link/links.ts";
import { simulatedDial } from "../src/simulated/dial.ts";
import type { HostOptions } from "../src/simulated/host.ts";
import { TlsSecrets } from "../src/tls-secrets.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { vmMigrations } from "../src/vm-migration/controller.ts";
import { vmSnapshots } from "../src/vm-snapshot/controller.ts";
import { readyProviders } from "./ready-providers.ts";
import { Hypervisor } from "./scenarios.ts";
import { providerSpec } from "./stage.ts";

const namespace = "default";
const second = 1_000;

const of = (kind: KindRef, name: string, spec: object): KubeObject =>
  ({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec }) as KubeObject;

const web = of(VirtualMachine, "web", {
  providerRef: { name: "box" },
  classRef: { name: "small" },
  imageRef: { name: "tiny" },
});
const migration = (vm: string): object => ({
  source: { vmRef: { name: vm } },
  target: { name: `${vm}2`, providerRef: { name: "box" } },
  storage: { type: "nfs", nfs: { server: "192.0.2.7", export: "/srv" } },
  options: { timeout: "12h", retryPolicy: { maxRetries: 10, retryDelay: "1m", backoffMultiplier: 1 } },
});

/** What people made and somebody takes away for good, nobody puts back. A Provider in use is not let go. */
const differs = ({ p, again, then, kind }: Fault): boolean =>
  (p === "P26" && kind === Provider.kind) || (p === "P18" && again === false) || (p === "P28" && then === "gone");

const base = (how: Partial<HostOptions> = {}): Omit<Scenario<Hypervisor>, "name"> => ({
  kinds: [
    Provider,
    VirtualMachine,
    VMClass,
    VMImage,
    VMNetworkAttachment,
    VMPlacementPolicy,
    VMSnapshot,
    VMClone,
    VMMigration,
  ],
  given: [
    of(Provider, "box", providerSpec),
    of(VMClass, "small", { cpu: 1, memory: "512Mi" }),
    of(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } }),
    web,
  ],
  apply: [of(VMMigration, "move", migration("web"))],
  operator({ clock, random, backend }) {
    const links = new Links({ dial: simulatedDial({ clock, find: () => backend.host }), clock });
    const ways = { links, tls: new TlsSecrets() };
    const crossing = { isFree: false };
    const senses = { ...ways, crossing, random, streaks: new Streaks(), httpGet: async () => 200 };
    return [
      virtualMachines({ senses, workers: 10 }),
      vmSnapshots({ ...ways, workers: 5 }),
      vmMigrations({ ...ways, crossing, addresses: {}, lookup: async () => ["192.0.2.7"], workers: 3 }),
    ];
  },
  others: () => readyProviders(),
  backend: ({ clock, random }) => new Hypervisor(clock, random, how),
  crowd: (i) => of(VMMigration, `crowd-${i}`, migration("nobody")),
  // Longer than the longest wait between two tries.
  quiet: 660 * second,
  differs,
  // It runs once: a spec that is another one meanwhile makes another machine, or ends it for good.
  unsuited: ["P22", "P33"],
  free: [
    // Hypervisors number what they make, and failures make more.
    "*.status.id",
    "*.status.consoleURL",
    "*.status.provider",
    "*.status.ips",
    "*.spec.importedDisk",
    "*.metadata.annotations",
    "*.status.progress",
    "*.status.diskInfo",
    "*.status.storageInfo",
    "*.status.snapshotID",
    "*.status.exportID",
    "*.status.importID",
    "*.status.targetVMID",
    "*.status.startTime",
    "*.status.completionTime",
    "*.status.retryCount",
    "*.status.lastRetryTime",
    "*.status.validationResults",
    "*.status.conditions.Failed",
  ],
  outlives: ({ kind }) => kind === VirtualMachine.kind,
  end({ backend }) {
    const names = [...backend.machines].sort().join();
    if (names !== "web,web2") throw new Error(`the hypervisor has ${names}, not web,web2`);
    const staged = backend.host.staging.urls.join();
    if (staged !== "") throw new Error(`the storage has ${staged}`);
  },
});

export const scenarios: readonly Scenario<Hypervisor>[] = [
  { ...base(), name: "moved" },
  { ...base({ profile: { work: "inline" } }), name: "moved-without-tasks" },
];
