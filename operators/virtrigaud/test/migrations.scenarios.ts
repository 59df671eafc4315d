// Migrations in the simulation: over NFS, and over the claim of a person, where Jobs convert a disk and remove what was staged.
import type { Clock, Random } from "@telltale/clock";
import type { KubeObject } from "@telltale/kinds";
import { PersistentVolumeClaim } from "@telltale/kinds/builtin";
import type { Deed, Fault, Scenario } from "@telltale/simulation";
import { Provider, VirtualMachine, VMClass, VMImage, VMMigration } from "../src/kinds/index.ts";
import type { HostOptions } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { vmMigrations } from "../src/vm-migration/controller.ts";
import { vmSnapshots } from "../src/vm-snapshot/controller.ts";
import { claimSpec, jobControllers, jobPods, mover, node, storageClass, tools, untaint } from "./job-pods.ts";
import { readyProviders } from "./ready-providers.ts";
import { Hypervisor } from "./scenarios.ts";
import { kinds, of, second, sensesOf } from "./simulated-world.ts";
import { providerSpec } from "./stage.ts";

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

/**
 * What people made and somebody takes away for good, nobody puts back. A Provider in use is not let go, a machine goes with its
 * definition once it is there, and a migration that comes a second time may find the machine that the first has made. The target is
 * made once.
 */
const differs = ({ p, again, then, kind, on }: Fault): boolean =>
  (p === "P26" && [Provider.kind, VirtualMachine.kind, VMMigration.kind].some((it) => it === kind)) ||
  (p === "P18" && again === false) ||
  (p === "P28" && (then === "gone" || /\/(vmmigrations|virtualmachines\/default\/web2)/.test(String(on))));

function operatorOf(clock: Clock, random: Random, backend: Hypervisor) {
  const senses = sensesOf(clock, random, backend.host);
  return [
    virtualMachines({ senses, workers: 10 }),
    vmSnapshots({ ...senses, workers: 5 }),
    vmMigrations({ ...senses, addresses: {}, lookup: async () => ["192.0.2.7"], workers: 3, tools }),
  ];
}

const base = (how: Partial<HostOptions> = {}): Omit<Scenario<Hypervisor>, "name"> => ({
  kinds,
  given: [
    of(Provider, "box", providerSpec),
    of(VMClass, "small", { cpu: 1, memory: "512Mi" }),
    of(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } }),
    web,
  ],
  apply: [of(VMMigration, "move", migration("web"))],
  operator: ({ clock, random, backend }) => operatorOf(clock, random, backend),
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

const ground = [node, storageClass, of(PersistentVolumeClaim, "shared", claimSpec)];
const ready: Deed = {
  at: 500,
  what: "takes the taint off the node",
  act: untaint,
};

/** Over the claim of a person, with Jobs. */
function claimed(name: string, format: string, ...extensions: readonly string[]): Scenario<Hypervisor> {
  const before = base({ profile: mover([format], extensions) });
  const [applied] = before.apply;
  return {
    ...before,
    name,
    given: [...ground, ...(before.given ?? [])],
    apply: [
      { ...applied, spec: { ...migration("web"), storage: { type: "pvc", pvc: { name: "shared" } } } } as KubeObject,
    ],
    people: [ready],
    others: ({ backend }) => [
      ...readyProviders(undefined, { supportedImportFormats: [format] }),
      ...jobControllers(jobPods(() => backend.host.staging, { jobRunTime: 20_000 })),
    ],
    free: [...(before.free ?? []), "Pod *", "Job *"],
  };
}

export const scenarios: readonly Scenario<Hypervisor>[] = [
  { ...base(), name: "moved" },
  { ...base({ profile: { work: "inline" } }), name: "moved-without-tasks" },
  // The provider reads raw, and writes qcow2.
  claimed("converted-by-a-job", "raw", "cleanup-staged"),
  // It cannot remove what it has staged.
  claimed("removed-by-a-job", "qcow2"),
];
