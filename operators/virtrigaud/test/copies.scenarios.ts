// Snapshots and clones in the simulation, on a provider that has everything and on one that answers when all is done. In the end there is
// each snapshot and each copy once, or none where there should be none.
import type { KubeObject } from "@telltale/kinds";
import type { Deed, Ended, Fault, Look, Scenario } from "@telltale/simulation";
import { Provider, VirtualMachine, VMClass, VMClone, VMImage, VMSnapshot } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import type { HostOptions, SimulatedHost } from "../src/simulated/host.ts";
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

function differs({ p, again, then, kind, how, on, at }: Fault, all: readonly Fault[]): boolean {
  // A Provider in use is not let go.
  if (p === "P26" && kind === Provider.kind) return true;
  // One that a machine referred to before and after, but not when all was to go, is let go.
  if (p === "P22" && at === "/providerRef/name") return all.some((it) => it.p === "P27");
  // Whoever is made again under the same name is another one, and finds a machine that is not its own: TargetExists (3.9).
  if (p === "P26" && kind === VMClone.kind) return how === "recreated";
  if (p === "P28" && String(on).includes("/vmclones/")) return true;
  // What people made and somebody takes away for good, nobody puts back.
  return (p === "P18" && again === false) || (p === "P28" && then === "gone");
}

/** A machine takes its snapshots with it, and nobody makes them again. */
export function differsTaken(fault: Fault, all: readonly Fault[]): boolean {
  const { p, on, kind, how } = fault;
  if (p === "P28" && String(on).includes("/virtualmachines/")) return true;
  return (p === "P26" && kind === VirtualMachine.kind && how === "recreated") || differs(fault, all);
}

function differsCopied(fault: Fault, all: readonly Fault[]): boolean {
  const { p, on, at, kind, how } = fault;
  // With another fault a machine may be ready sooner, and be unknown to who lags behind. What fails without a retryPolicy is final (3.9).
  if (p === "P29" && how === "lagging") return all.length > 1;
  // It is made once: what somebody takes away afterwards is not made again.
  if (p === "P26" && kind === VirtualMachine.kind && how === "recreated") return true;
  if (p === "P28" && String(on).endsWith("/virtualmachines/default/web2")) return true;
  // It runs once: with the spec that it has when the copy gets its object, and a class that is not there by then is the end (3.9).
  const isMoved = p === "P22" && (String(on).includes("/vmclones/") || at === "/classRef/name");
  return isMoved || differs(fault, all);
}

/** What a backup has not got, nobody can prove to be theirs: it is left alone, and a person is told. */
export const unproven = (by: typeof differs): typeof differs => {
  return (fault, all) => fault.p === "P31" || by(fault, all);
};

/** A snapshot that is Ready is there outside, and a copy has its object; a schedule is nothing there. */
function promise(object: KubeObject, look: Look, { host }: Hypervisor): boolean {
  if (object.kind === VMSnapshot.kind && (object as VMSnapshot).spec.schedule?.enabled !== true) {
    return snapshotOf(object as VMSnapshot, host) !== undefined;
  }
  const { targetVMID } = (object as VMClone).status ?? {};
  // It runs once: one that is edited afterwards is as complete as it was, whatever became of the copy.
  if (object.kind !== VMClone.kind || (object.metadata?.generation ?? 1) > 1) return true;
  return look.list(VirtualMachine).some(({ status }) => status?.id === targetVMID);
}

/** Without the machine, or its id, nobody can be asked (3.6). */
function leftovers(object: KubeObject, { host }: Hypervisor, look: Look): string | undefined {
  const isKnown = look.list(VirtualMachine).some((it) => it.metadata.name === "web" && (it.status?.id ?? "") !== "");
  if (object.kind !== VMSnapshot.kind || !isKnown) return undefined;
  // One that could not be taken, or was not asked for yet, leaves another that has its name.
  const { phase, snapshotID, taskRef } = (object as VMSnapshot).status ?? {};
  const isAsked = taskRef !== undefined || object.metadata?.annotations?.[annotations.pendingOp] !== undefined;
  if (snapshotID === undefined && (phase === "Failed" || !isAsked)) return undefined;
  const left = snapshotOf(object as VMSnapshot, host);
  return left === undefined ? undefined : `the snapshot ${left.id}`;
}

function snapshotOf({ metadata, status }: VMSnapshot, host: SimulatedHost) {
  const id = status?.snapshotID ?? metadata.annotations?.[annotations.providerId];
  const { path = id } = status?.providerStatus?.["box"] ?? {};
  return host.machine("web")?.snapshots.find((it) => it.id === id || it.name === path);
}

export const base = (how: Partial<HostOptions> = {}): Omit<Scenario<Hypervisor>, "name" | "apply"> => ({
  kinds,
  given: [
    of(Provider, "box", { ...providerSpec, ...(how.like !== undefined && { type: how.like }) }),
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
    // What the provider calls it, and where it is: another one where it was made again.
    "VirtualMachine *.status.id",
    "VirtualMachine *.status.ips",
    "VirtualMachine *.status.consoleURL",
    "VirtualMachine *.status.provider",
    // With the ids and sizes of the provider; the names are looked at in the end.
    "VirtualMachine *.status.snapshots",
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
  promise,
  leftovers,
});

export const has = ({ host }: Hypervisor, snapshots: readonly string[], machines: readonly string[]): void => {
  const found = host.machine("web")?.snapshots.map(({ name }) => name) ?? [];
  const there = host.machines.filter(({ isGoing }) => !isGoing).map(({ name }) => name);
  const is = `${found.join()} of ${there.sort().join()}`;
  const wanted = `${snapshots.join()} of ${machines.join()}`;
  if (is !== wanted) throw new Error(`the hypervisor has ${is}, not ${wanted}`);
};

/** The machine itself tells which snapshots it has. */
async function tells({ client }: Ended<Hypervisor>, wanted: readonly string[]): Promise<void> {
  const { status } = await client.get(VirtualMachine, "web", { namespace });
  const told = (status?.snapshots ?? []).map(({ name }) => name);
  if (told.join() !== wanted.join()) throw new Error(`the machine tells of ${told.join()}, not ${wanted.join()}`);
}

const removal: Deed = {
  at: 20 * second,
  what: "deletes the snapshot",
  act: (client) => client.delete(VMSnapshot, { namespace, name: "before" }, { propagation: "Background" }),
};

/** It runs once: a spec that is another one meanwhile makes another copy. */
const unsuited = ["P33"];

const inline: Partial<HostOptions> = { like: "libvirt" };

export const scenarios: readonly Scenario<Hypervisor>[] = [
  {
    ...base(),
    name: "taken",
    differs: unproven(differsTaken),
    apply: [snapshot],
    end: async (it) => {
      has(it.backend, ["before"], ["web"]);
      await tells(it, ["before"]);
    },
  },
  {
    ...base(inline),
    name: "taken-on-libvirt",
    differs: unproven(differsTaken),
    // That the guest was not brought to rest is in the status only, and lost with it.
    free: [...(base().free ?? []), "VMSnapshot *.status.message"],
    apply: [snapshot],
    end: async (it) => {
      has(it.backend, ["before"], ["web"]);
      await tells(it, ["before"]);
    },
  },
  {
    ...base(),
    name: "taken-and-copied-together",
    differs: unproven((fault, all) => differsTaken(fault, all) || differsCopied(fault, all)),
    unsuited,
    apply: [snapshot, copy],
    end: ({ backend }) => has(backend, ["before"], ["web", "web2"]),
  },
  {
    ...base(),
    name: "taken-and-deleted",
    differs: unproven(differsTaken),
    apply: [snapshot],
    people: [removal],
    end: ({ backend }) => has(backend, [], ["web"]),
  },
  {
    ...base(),
    name: "copied",
    unsuited,
    differs: unproven(differsCopied),
    apply: [copy],
    end: ({ backend }) => has(backend, [], ["web", "web2"]),
  },
  {
    ...base(inline),
    name: "copied-on-libvirt",
    differs: unproven(differsCopied),
    unsuited,
    apply: [copy],
    end: ({ backend }) => has(backend, [], ["web", "web2"]),
  },
];
