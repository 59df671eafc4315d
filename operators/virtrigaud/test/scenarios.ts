// Machines in the simulation: one that is made, one that is switched off and on, one that is resized, one that is deleted, on providers
// that are prompt, that tell nothing of repetitions, that lose answers, or that begin anew all the time. There is exactly one machine in
// the end, or none where there should be none.
import type { Clock, Random } from "@telltale/clock";
import type { KubeObject, Ms } from "@telltale/kinds";
import type { Backend, BackendFault, Deed, Fault, Look, Scenario } from "@telltale/simulation";
import type { Method } from "../src/contract/contract.ts";
import { Provider, VirtualMachine, VMClass, VMImage } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { lose, refuse } from "../src/simulated/faults.ts";
import { type HostOptions, SimulatedHost } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { readyProviders } from "./ready-providers.ts";
import { lookedForFirst, safety } from "./safety.ts";
import { kinds, namespace, of, second, sensesOf } from "./simulated-world.ts";

/** A host that has its moods. */
export class Hypervisor implements Backend {
  readonly host: SimulatedHost;
  readonly #random: Random;

  /** It gives another machine for the same request. */
  readonly isForgetful: boolean;

  constructor(clock: Clock, random: Random, how: Partial<HostOptions>) {
    this.isForgetful = how.like !== undefined;
    this.#random = random;
    this.host = new SimulatedHost({ clock, random, ...how });
  }

  fail(how: BackendFault): void {
    if (how === "slow") this.host.latency = [1_000, 20_000];
    else if (how === "failing") this.host.everywhere(refuse("UNAVAILABLE", "connection refused"));
    else if (how === "partial" || how === "losing") this.host.everywhere(lose());
    else if (how === "unreachable") this.host.isUp = false;
    else this.host.restart(this.#random.next() < 0.5 ? "goes on" : "is lost");
  }

  heal(): void {
    this.host.latency = [0, 0];
    this.host.isUp = true;
    this.host.heal();
  }

  listen(changed: () => void): void {
    this.host.listen(changed);
  }

  /** The answers to the first calls of these methods are lost. */
  loses(...methods: readonly Method[]): this {
    for (const method of methods) this.host.script(method, lose());
    return this;
  }

  /** Somebody removes its machines behind everybody's back. */
  losesItsMachines(after: Ms, clock: Clock): this {
    clock.after(after, () => {
      for (const { id } of this.host.machines) this.host.vanish(id);
    });
    return this;
  }

  get machines(): readonly string[] {
    return this.host.machines.filter(({ isGoing }) => !isGoing).map(({ name }) => name);
  }
}

const provider = of(Provider, "box", {
  type: "qemu",
  endpoint: "tcp://127.0.0.1:9443",
  credentialSecretRef: { name: "box-creds" },
  runtime: { image: "example/qemu-provider:dev", service: { tls: { enabled: false } } },
});
const small = of(VMClass, "small", { cpu: 1, memory: "512Mi", diskDefaults: { size: "2Gi" } });
const tiny = of(VMImage, "tiny", { source: { libvirt: { path: "/images/tiny.qcow2" } } });
const machine = (name = "web", more: object = {}): KubeObject =>
  of(VirtualMachine, name, {
    providerRef: { name: "box" },
    classRef: { name: "small" },
    imageRef: { name: "tiny" },
    powerState: "On",
    ...more,
  });

const base = (how: Partial<HostOptions> = {}): Omit<Scenario<Hypervisor>, "name"> => ({
  kinds,
  given: [provider, small, tiny],
  apply: [machine()],
  operator: ({ clock, random, backend }) => {
    const senses = sensesOf(clock, random, backend.host);
    return [virtualMachines({ senses, workers: 10 })];
  },
  others: () => readyProviders(),
  backend: ({ clock, random }) => new Hypervisor(clock, random, how),
  // One that asks for nothing that can be had.
  crowd: (i) => machine(`crowd-${i}`, { classRef: { name: "none" } }),
  // Longer than the longest wait between two tries.
  quiet: 660 * second,
  promise,
  leftovers,
  safety,
  differs,
  // A guest has its time from when it was asked, whatever was being done to the machine before.
  restamps: ["Reconfiguring"],
  free: [
    "*.metadata.annotations.virtrigaud.io/provider-id",
    "*.status.id",
    "*.status.provider",
    "*.status.ips",
    "*.status.consoleURL",
    "*.status.lastReconfigureTime",
  ],
  end: ({ backend }) => expected(backend, ["web"]),
});

function expected({ machines }: Hypervisor, wanted: readonly string[]): void {
  const found = [...machines].sort().join(", ");
  if (found !== wanted.join(", ")) throw new Error(`the hypervisor has [${found}], not [${wanted.join(", ")}]`);
}

/** So many changes there are when the machine is stored. What a backup of before has not got is applied anew, under another uid. */
const untilStored = 3;

/** What people made and somebody takes away for good, nobody puts back. What another life of an object made is nobody's. */
function differs({ p, again, then, on, kind, at, change, lost }: Fault, all: readonly Fault[]): boolean {
  // A Provider in use is not let go; one that a machine referred to before and after, but not when all was to go, is.
  if (p === "P26" && kind === Provider.kind) return true;
  if (p === "P22" && at === "/providerRef/name") return all.some((it) => it.p === "P27");
  if (p === "P18") return again === false;
  if (p === "P31") return Number(change) - Number(lost) < untilStored;
  return p === "P28" && then === "gone" && !String(on).includes("/virtualmachines/");
}

/** What `Ready` promises. */
function promise(object: KubeObject, _look: Look, { host }: Hypervisor): boolean {
  if (object.kind !== VirtualMachine.kind) return true;
  const { id } = (object as VirtualMachine).status ?? {};
  return host.machines.some((it) => it.id === id);
}

/** What the object itself shows to be its own; a provider that knows requests again shows it too. */
function leftovers(object: KubeObject, { host, isForgetful }: Hypervisor): string | undefined {
  if (object.kind !== VirtualMachine.kind) return undefined;
  const { metadata, status } = object as VirtualMachine;
  const { [annotations.providerId]: noted, [annotations.pendingOp]: record } = metadata.annotations ?? {};
  const isOurs = (id: string, requestId: string) =>
    id === (status?.id ?? noted) || (requestId === metadata.uid && (record !== undefined || !isForgetful));
  const left = host.machines.find(({ id, requestId, isGoing }) => !isGoing && isOurs(id, requestId));
  return left === undefined ? undefined : `the machine ${left.id}`;
}

const patch = (at: number, what: string, spec: object): Deed => ({
  at: at * second,
  what,
  act: (client) => client.patch(VirtualMachine, { namespace, name: "web" }, { merge: { spec } }),
});

const powered: readonly Deed[] = [
  patch(60, "switches it off", { powerState: "OffGraceful" }),
  patch(180, "switches it on", { powerState: "On" }),
];

const resized: readonly Deed[] = [
  patch(60, "asks for more", { resources: { cpu: 2, memoryMiB: 1024 } }),
  {
    at: 120 * second,
    what: "enlarges the class",
    act: (client) =>
      client.patch(VMClass, { namespace, name: "small" }, { merge: { spec: { diskDefaults: { size: "4Gi" } } } }),
  },
];

const removal: Deed = {
  at: 90 * second,
  what: "deletes it",
  act: (client) => client.delete(VirtualMachine, { namespace, name: "web" }, { propagation: "Background" }),
};

/** What a backup has not got, or whoever was forced away, nobody can prove to be theirs: it is left alone, and a person is told. */
const differsMore = (fault: Fault, all: readonly Fault[]): boolean =>
  ["P18", "P28", "P31"].includes(fault.p) || differs(fault, all);

/** Two of one name are two, no request is known again, and tasks are forgotten. */
const forgetful: Partial<HostOptions> = { like: "proxmox", profile: { work: "task" } };

export const scenarios: Readonly<Record<string, Scenario<Hypervisor>>> = {
  created: { ...base(), name: "created" },
  proxmox: { ...base(forgetful), name: "created-on-proxmox", differs: differsMore },
  vsphere: { ...base({ like: "vsphere" }), name: "created-on-vsphere", differs: differsMore },
  lost: {
    ...base(forgetful),
    differs: differsMore,
    name: "answers-lost",
    backend: ({ clock, random }) =>
      new Hypervisor(clock, random, forgetful).loses("create", "power", "describe", "listVMs", "delete"),
    people: [removal],
    end: ({ backend }) => expected(backend, []),
    guards: [lookedForFirst],
  },
  vanished: {
    ...base(),
    name: "vanished-from-its-host",
    differs: differsMore,
    backend: ({ clock, random }) => new Hypervisor(clock, random, {}).losesItsMachines(120 * second, clock),
  },
  powered: { ...base(), name: "powered", people: powered },
  resized: { ...base(), name: "resized", people: resized },
  deleted: { ...base(), name: "deleted", people: [removal], end: ({ backend }) => expected(backend, []) },
};
