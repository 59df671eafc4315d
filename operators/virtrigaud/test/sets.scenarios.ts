// Sets in the simulation: one that grows and shrinks, one whose machines are replaced, one whose machines are changed where they are,
// one that is deleted; and a policy with machines. Machines are played: they come up when they are looked at, and go at once.
import type { KindRef, KubeObject } from "@telltale/kinds";
import { type Controller, controller } from "@telltale/runtime";
import type { Deed, Fault, Scenario } from "@telltale/simulation";
import { Provider, VirtualMachine, VMClass, VMPlacementPolicy, VMSet } from "../src/kinds/index.ts";
import { vmPlacementPolicies } from "../src/vm-placement-policy/controller.ts";
import { vmSets } from "../src/vm-set/controller.ts";
import { providerSpec } from "./stage.ts";

const namespace = "default";
const second = 1_000;

const of = (kind: KindRef, name: string, spec: object): KubeObject =>
  ({ apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace }, spec }) as KubeObject;

const template = (image: string, size: string) => ({
  metadata: { labels: { app: "web" } },
  spec: { providerRef: { name: "box" }, classRef: { name: size }, imageRef: { name: image } },
});
const set = (rollingUpdate: object = { maxSurge: 0, maxUnavailable: 1 }): KubeObject =>
  of(VMSet, "web", {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: template("one", "small"),
    updateStrategy: { rollingUpdate },
  });

/** Every machine comes up. */
const machines = (): Controller =>
  controller(VirtualMachine, "played-machines").reconcile({
    observe: (vm) => vm,
    status(_vm, draft) {
      draft.phase("Running").condition("Ready", true, "ReconcileSucceeded", "VM synchronized successfully");
    },
  });

/** What people made and somebody takes away for good, nobody puts back. */
const differs = ({ p, again, then }: Fault): boolean =>
  (p === "P18" && again === false) || (p === "P28" && then === "gone");

const base: Omit<Scenario, "name" | "apply"> = {
  kinds: [VMSet, VirtualMachine, VMPlacementPolicy, Provider, VMClass],
  operator: () => [vmSets(), vmPlacementPolicies()],
  others: () => [machines()],
  quiet: 660 * second,
  differs,
  free: [
    // When and how often something was done depends on what went wrong meanwhile.
    "*.status.vmStatus",
    "*.status.updateStatus",
    // Whoever missed a template for a while has had no update.
    "*.status.conditions.Progressing",
    "*.status.conditions.UpdateInProgress",
    "*.status.collisionCount",
    "*.status.validationResults",
    "ControllerRevision *",
  ],
};

const change = (at: number, what: string, spec: object): Deed => ({
  at: at * second,
  what,
  act: (client) => client.patch(VMSet, { namespace, name: "web" }, { merge: { spec } }),
});

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
    }
  };

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
  people: [change(60, "wants another image", { template: template("two", "small") })],
  end: seats(seat(0, "two"), seat(1, "two"), seat(2, "two")),
};
export const surged: Scenario = { ...replaced, name: "set-surged", apply: [set({ maxSurge: 1, maxUnavailable: 0 })] };
export const changed: Scenario = {
  ...base,
  name: "set-changed-in-place",
  apply: [set({ podManagementPolicy: "Parallel" })],
  people: [
    change(60, "wants larger ones", { template: template("one", "large") }),
    change(63, "wants small ones after all", { template: template("one", "small") }),
  ],
  end: seats(seat(0), seat(1), seat(2)),
};
export const deleted: Scenario = {
  ...base,
  name: "set-deleted",
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
