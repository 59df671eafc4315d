// Sets in the simulation: one that grows and shrinks, one whose machines are replaced, one whose machines are changed where they are,
// one that is deleted; and a policy with machines. Machines are played: they come up when they are looked at, and go at once. Only the
// fleet has real ones, on a simulated host that cannot be reached for minutes.
import type { Clock, Random } from "@telltale/clock";
import { deepEqual, type KindRef, type KubeObject, type Ms } from "@telltale/kinds";
import { type Controller, controller } from "@telltale/runtime";
import type { Deed, Fault, Scenario } from "@telltale/simulation";
import { Provider, VirtualMachine, VMClass, VMImage, VMPlacementPolicy, VMSet } from "../src/kinds/index.ts";
import { annotations } from "../src/names.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { vmPlacementPolicies } from "../src/vm-placement-policy/controller.ts";
import { vmSets } from "../src/vm-set/controller.ts";
import { readyProviders } from "./ready-providers.ts";
import { fleetSafety, knownToBeDown } from "./safety.ts";
import { Hypervisor } from "./scenarios.ts";
import { kinds, sensesOf } from "./simulated-world.ts";
import { providerSpec } from "./stage.ts";

const namespace = "default";
const second = 1_000;

const of = (kind: KindRef, name: string, spec: object): KubeObject =>
  ({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec }) as KubeObject;

const template = (image: string, size: string) => ({
  metadata: { labels: { app: "web" }, annotations: { "example.com/of": "web" } },
  spec: { providerRef: { name: "box" }, classRef: { name: size }, imageRef: { name: image } },
});
/** Machines get longer than a watch is ever silent: whoever hears nothing of one takes an update for failed, and stops. */
const set = (rollingUpdate: object = { maxSurge: 0, maxUnavailable: 1 }): KubeObject => {
  const it = of(VMSet, "web", {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: template("one", "small"),
    updateStrategy: { rollingUpdate },
  });
  return { ...it, metadata: { ...it.metadata, annotations: { [annotations.progressDeadline]: "30m" } } };
};

/** Every machine comes up. */
const machines = (): Controller =>
  controller(VirtualMachine, "played-machines").reconcile({
    observe: (vm) => vm,
    status(_vm, draft) {
      draft.phase("Running").condition("Ready", true, "ReconcileSucceeded", "VM synchronized successfully");
    },
  });

/**
 * What people made and somebody takes away for good, nobody puts back. What somebody changes in a machine stays until the set changes
 * or replaces it, as in a StatefulSet: a machine is not taken for another because of one word. A set that is made again may find that
 * the revision of the one before is still there, and gives its own another name.
 */
const differs = ({ p, again, then, how, kind }: Fault): boolean =>
  (p === "P18" && again === false) ||
  (p === "P28" && then === "gone") ||
  (p === "P26" && how === "recreated" && kind === VMSet.kind) ||
  (p === "P30" && how === "changed" && kind === VirtualMachine.kind);

const base: Omit<Scenario, "name" | "apply"> = {
  kinds: [VMSet, VirtualMachine, VMPlacementPolicy, Provider, VMClass],
  operator: () => [vmSets(), vmPlacementPolicies()],
  others: () => [machines()],
  quiet: 660 * second,
  differs,
  free: [
    // One that was made anew meanwhile was never changed where it is.
    "VirtualMachine *.metadata.annotations.virtrigaud.io/last-update-time",
    // A template that was there while nobody looked has made no revision, and one that was wrong for a while has made one more.
    "ControllerRevision *",
    // So with updates: one that nobody saw begin, or whose record was wiped, was none. What one says that was seen is looked at in the end.
    "VMSet *.status.updateStatus",
    ...["Progressing", "UpdateInProgress"].flatMap((type) => [
      `VMSet *.status.conditions.${type}.reason`,
      `VMSet *.status.conditions.${type}.message`,
    ]),
  ],
};

const change = (at: number, what: string, spec: object): Deed => ({
  at: at * second,
  what,
  act: (client) => client.patch(VMSet, { namespace, name: "web" }, { merge: { spec } }),
});

/** Nothing else of the template: what was wrong with it is put right by somebody else. */
const sized = (size: string) => ({ template: { spec: { classRef: { name: size } } } });

const seats =
  (...wanted: readonly string[]): NonNullable<Scenario["end"]> =>
  async ({ client }) => {
    const { items } = await client.list(VirtualMachine, { namespace });
    const found = items.map(({ metadata, spec }) => `${metadata.name} ${spec.imageRef?.name} ${spec.classRef.name}`);
    if (found.sort().join() !== [...wanted].sort().join()) throw new Error(`the machines are ${found.join(", ")}`);
    const { items: sets } = await client.list(VMSet, { namespace });
    for (const { status } of sets) {
      if (status?.currentRevision !== status?.updateRevision) throw new Error("the update is not through");
      if (status?.readyReplicas !== wanted.length) throw new Error(`it counts ${status?.readyReplicas}`);
      const { phase, message, updatedVMs, pendingVMs, failedVMs } = status.updateStatus ?? through(found);
      const said = { phase, message, updatedVMs, pendingVMs, failedVMs };
      if (!deepEqual(said, through(found))) throw new Error(`the update says ${JSON.stringify(said)}`);
    }
  };

/** What an update says in the end, if there was one. */
const through = (found: readonly string[]) => ({
  phase: "Completed",
  message: `${found.length}/${found.length} VMs updated`,
  updatedVMs: found.map((line) => line.split(" ")[0]),
  pendingVMs: [],
  failedVMs: [],
});

const seat = (ordinal: number, image = "one", size = "small"): string => `web-${ordinal} ${image} ${size}`;

export const grows: Scenario = {
  ...base,
  name: "set-grows-and-shrinks",
  apply: [set()],
  people: [change(60, "wants five", { replicas: 5 }), change(120, "wants two", { replicas: 2 })],
  end: seats(seat(0), seat(1)),
};
export const replaced: Scenario = {
  ...base,
  name: "set-replaced",
  apply: [set()],
  people: [change(60, "wants another image", { template: { spec: { imageRef: { name: "two" } } } })],
  end: seats(seat(0, "two"), seat(1, "two"), seat(2, "two")),
};
export const surged: Scenario = { ...replaced, name: "set-surged", apply: [set({ maxSurge: 1, maxUnavailable: 0 })] };
export const changed: Scenario = {
  ...base,
  name: "set-changed-in-place",
  apply: [set({ podManagementPolicy: "Parallel" })],
  people: [change(60, "wants larger ones", sized("large")), change(63, "wants small ones after all", sized("small"))],
  end: seats(seat(0), seat(1), seat(2)),
};
export const deleted: Scenario = {
  ...base,
  name: "set-deleted",
  // It is gone before anybody puts right how many it has.
  differs: (fault) => (fault.p === "P33" && fault["at"] === "/replicas") || differs(fault),
  apply: [set()],
  people: [
    {
      at: 60 * second,
      what: "deletes it",
      act: (client) => client.delete(VMSet, { namespace, name: "web" }, { propagation: "Background" }),
    },
  ],
  end: seats(),
};
export const policed: Scenario = {
  ...base,
  name: "policy",
  given: [of(Provider, "box", providerSpec), of(VMClass, "small", { cpu: 1, memory: "512Mi" })],
  apply: [
    of(VMPlacementPolicy, "a", { hard: { networks: ["lan"] }, soft: { hosts: ["h1"] } }),
    of(VMPlacementPolicy, "b", { soft: { excludedHosts: ["h1"] } }),
    of(VirtualMachine, "one", { ...template("one", "small").spec, placementRef: { name: "a" } }),
  ],
  async end({ client }) {
    const { status } = await client.get(VMPlacementPolicy, "a", { namespace });
    const told = `${status?.conflictingPolicies?.map(({ policyName }) => policyName)} ${status?.usedByVMs?.length}`;
    if (told !== "b 1") throw new Error(`the policy says ${told}`);
  },
};

/** A host that cannot be reached for a while. */
class FleetHost extends Hypervisor {
  constructor(clock: Clock, random: Random, outage: { readonly at: Ms; readonly for: Ms }) {
    super(clock, random, {});
    clock.after(outage.at, () => this.fail("unreachable"));
    clock.after(outage.at + outage.for, () => this.heal());
  }
}

/** A roll-out over four machines, during which their provider cannot be reached for five minutes. */
export const outage: Scenario<FleetHost> = {
  name: "set-with-an-outage",
  kinds: [...kinds, VMSet],
  given: [
    of(Provider, "box", providerSpec),
    of(VMClass, "small", { cpu: 1, memory: "512Mi" }),
    ...["one", "two"].map((name) => of(VMImage, name, { source: { libvirt: { path: `/images/${name}.qcow2` } } })),
  ],
  apply: [
    of(VMSet, "web", {
      replicas: 4,
      selector: { matchLabels: { app: "web" } },
      template: { ...template("one", "small"), spec: { ...template("one", "small").spec, powerState: "On" } },
      updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1, podManagementPolicy: "Parallel" } },
    }),
  ],
  operator: ({ clock, random, backend }) => [
    vmSets(),
    virtualMachines({ senses: sensesOf(clock, random, backend.host), workers: 10 }),
  ],
  others: () => readyProviders(),
  backend: ({ clock, random }) => new FleetHost(clock, random, { at: 130 * second, for: 300 * second }),
  people: [change(120, "wants another image", { template: { spec: { imageRef: { name: "two" } } } })],
  quiet: 660 * second,
  // Other scenarios take objects away and edit them: here each machine that is down is down by the roll-out.
  unsuited: ["P18", "P22", "P26", "P27", "P28", "P30", "P31", "P33", "P34"],
  free: [
    "*.metadata.annotations.virtrigaud.io/provider-id",
    "*.status.id",
    "*.status.provider",
    "*.status.ips",
    "*.status.consoleURL",
    ...(base.free ?? []),
  ],
  safety: fleetSafety,
  guards: [knownToBeDown],
  async end({ client, backend }) {
    await seats(...[0, 1, 2, 3].map((ordinal) => seat(ordinal, "two")))({ client, backend });
    const on = backend.host.machines.filter(({ power }) => power === "On").map(({ name }) => name);
    if (on.length !== 4) throw new Error(`on the host run ${on.join(", ")}`);
  },
};
