import type { Deed, Fault, Scenario } from "@telltale/simulation";
import { Provider, VirtualMachine, VMClass, VMClone, VMImage, VMSnapshot } from "../src/kinds/index.ts";
import type { HostOptions } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { vmClones } from "../src/vm-clone/controller.ts";
import { vmSnapshots } from "../src/vm-snapshot/controller.ts";
import { readyProviders } from "./ready-providers.ts";
import { Hypervisor } from "./scenarios.ts";
import { kinds, namespace, of, second, sensesOf } from "./simulated-world.ts";
import { providerSpec } from "./stage.ts";

const web = of(VirtualMachine, "web", {
  providerRef: { name: "box" },
  classRef: { name: "small" },
  imageRef: { name: "tiny" },
});
const snapshot = of(VMSnapshot, "before", { vmRef: { name: "web" } });
const copy = of(VMClone, "copy", {
  source: { vmRef: { name: "web" } },
  target: { name: "web2" },
  options: { timeout: "12h", retryPolicy: { maxRetries: 10, retryDelay: "1m", backoffMultiplier: 1 } },
});

/** What people made and somebody takes away for good, nobody puts back. A Provider in use is not let go. */
const differs = ({ p, again, then, kind }: Fault): boolean =>
  (p === "P26" && kind === Provider.kind) || (p === "P18" && again === false) || (p === "P28" && then === "gone");

const base = (how: Partial<HostOptions> = {}): Omit<Scenario<Hypervisor>, "name" | "apply"> => ({
  kinds,
  given: [
    of(Provider, "box", providerSpec),
    of(VMClass, "small", { cpu: 1, memory: "512Mi" }),
    of(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } }),
    web,
  ],
  operator({ clock, random, backend }) {
    const senses = sensesOf(clock, random, backend.host);
    return [
      virtualMachines({ senses, workers: 10 }),
      vmSnapshots({ ...senses, workers: 5 }),
      vmClones({ ...senses, workers: 3 }),
    ];
  },
  others: () => readyProviders(),
  backend: ({ clock, random }) => new Hypervisor(clock, random, how),
  crowd: (i) => of(VMSnapshot, `crowd-${i}`, { vmRef: { name: "nobody" } }),
  quiet: 660 * second,
  differs,
  free: [
    "VirtualMachine/*.status",
    // They name uids and ids.
    "*.metadata.annotations",
    "*.status.snapshotID",
    "*.status.targetVMID",
    "*.status.size",
    "*.status.virtualSize",
    "*.status.progress",
    "*.status.creationTime",
    "*.status.completionTime",
    "*.status.startTime",
    "*.status.providerStatus",
    "*.status.retryCount",
    "*.status.lastRetryTime",
    "*.status.conditions.Failed",
    "*.status.conditions.Creating",
  ],
  outlives: ({ kind }) => kind === VirtualMachine.kind,
  promise(object) {
    if (object.kind === VMSnapshot.kind) return ((object as VMSnapshot).status?.snapshotID ?? "") !== "";
    return object.kind !== VMClone.kind || ((object as VMClone).status?.targetVMID ?? "") !== "";
  },
});

const has = ({ host }: Hypervisor, snapshots: readonly string[], machines: readonly string[]): void => {
  const found = host.machine("web")?.snapshots.map(({ name }) => name) ?? [];
  const there = host.machines.filter(({ isGoing }) => !isGoing).map(({ name }) => name);
  const is = `${found.join()} of ${there.sort().join()}`;
  const wanted = `${snapshots.join()} of ${machines.join()}`;
  if (is !== wanted) throw new Error(`the hypervisor has ${is}, not ${wanted}`);
};

const removal: Deed = {
  at: 20 * second,
  what: "deletes the snapshot",
  act: (client) => client.delete(VMSnapshot, { namespace, name: "before" }, { propagation: "Background" }),
};

/** It runs once: a spec that is another one meanwhile makes another copy. */
const unsuited = ["P33"];

const inline: Partial<HostOptions> = { like: "libvirt" };

export const scenarios: readonly Scenario<Hypervisor>[] = [
  { ...base(), name: "taken", apply: [snapshot], end: ({ backend }) => has(backend, ["before"], ["web"]) },
  {
    ...base(inline),
    name: "taken-on-libvirt",
    apply: [snapshot],
    end: ({ backend }) => has(backend, ["before"], ["web"]),
  },
  {
    ...base(),
    name: "taken-and-deleted",
    apply: [snapshot],
    people: [removal],
    end: ({ backend }) => has(backend, [], ["web"]),
  },
  { ...base(), name: "copied", unsuited, apply: [copy], end: ({ backend }) => has(backend, [], ["web", "web2"]) },
  {
    ...base(inline),
    name: "copied-on-libvirt",
    unsuited,
    apply: [copy],
    end: ({ backend }) => has(backend, [], ["web", "web2"]),
  },
];
