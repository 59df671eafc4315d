// Sets and policies beside the controller of machines, with a simulated provider: what a set makes really is made.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VirtualMachine, VMClass, VMImage, VMPlacementPolicy, VMSet } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { vmPlacementPolicies } from "../src/vm-placement-policy/controller.ts";
import { vmSets } from "../src/vm-set/controller.ts";
import { namespace, type Stage, stage, type Tools } from "./stage.ts";

const machines = ({ links, random }: Tools) =>
  virtualMachines({
    workers: 10,
    senses: {
      links,
      random,
      streaks: new Streaks(),
      tls: new KnownSecrets(),
      places: new Reservations(),
      crossing: { isFree: false },
      httpGet: async () => 200,
    },
  });

let at: Stage;
let host: SimulatedHost;
beforeAll(async () => {
  at = await stage({ controllers: (tools) => [machines(tools), vmSets(), vmPlacementPolicies()] });
  await at.apply(VMClass, "small", { cpu: 2, memory: "4Gi" });
  await at.apply(VMImage, "one", { source: { libvirt: { path: "/images/one.qcow2" } } });
  await at.apply(VMImage, "two", { source: { libvirt: { path: "/images/two.qcow2" } } });
  host = await at.provider("box");
});
afterAll(async () => {
  expect(at.complaints).toEqual([]);
  await at.end();
});

const spec = (more: object = {}) => ({
  providerRef: { name: "box" },
  classRef: { name: "small" },
  imageRef: { name: "one" },
  powerState: "On",
  ...more,
});
const isReady = async (name: string) => (await at.says(VMSet, name)).startsWith("True");
const live = async () => (await at.client.list(VirtualMachine, { namespace })).items;

describe("a set of machines", () => {
  const set = (image: string) => ({
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    template: { spec: spec({ imageRef: { name: image } }) },
  });

  it("comes up one machine after the other, replaces them for another image, and leaves nothing behind", async () => {
    await at.apply(VMSet, "web", set("one"));
    await at.until(() => isReady("web"), 600_000);
    expect(host.asked("create")).toHaveLength(3);
    await at.apply(VMSet, "web", set("two"));
    await at.until(async () => (await at.get(VMSet, "web"))?.status?.updateStatus?.phase === "Completed", 1_200_000);
    expect(host.asked("create")).toHaveLength(6);
    expect((await live()).map((vm) => vm.spec.imageRef?.name)).toEqual(["two", "two", "two"]);
    await at.remove(VMSet, "web");
    await at.until(async () => (await at.get(VMSet, "web")) === undefined, 600_000);
    expect(await live()).toEqual([]);
  });
});

describe("a policy", () => {
  it("S51 policy: a machine for which it has no place waits, and the failure is counted", async () => {
    await at.apply(VMPlacementPolicy, "none", { hard: { hosts: ["h1"], excludedHosts: ["h1"] } });
    await at.apply(VirtualMachine, "lost", spec({ placementRef: { name: "none" } }));
    await at.pass(30_000);
    expect(await at.says(VirtualMachine, "lost")).toBe("False PlacementFailed host: the policy allows none");
    expect((await at.get(VirtualMachine, "lost"))?.status?.phase).toBe("Pending");
    expect((await at.get(VMPlacementPolicy, "none"))?.status?.placementStats?.failedPlacements).toBeGreaterThan(0);
    expect(await at.says(VMPlacementPolicy, "none", "Validated")).toMatch(/^False Invalid/);
  });

  it("machines that are made at once do not get the same host where each wants its own", async () => {
    const strict = { hostAntiAffinity: { enabled: true, scope: "strict" } };
    await at.apply(VMPlacementPolicy, "apart", { hard: { hosts: ["h1", "h2", "h3"] }, antiAffinity: strict });
    const before = host.asked("create").length;
    for (const name of ["a", "b", "c"]) {
      const { apiVersion, kind } = VirtualMachine;
      const metadata = { name, namespace };
      await at.client.create(VirtualMachine, {
        apiVersion,
        kind,
        metadata,
        spec: spec({ placementRef: { name: "apart" } }),
      } as never);
    }
    await at.until(async () => host.asked("create").length === before + 3, 120_000);
    const hosts = host
      .asked("create")
      .slice(before)
      .map(({ request }) => JSON.parse(request.placementJson).Host);
    expect(hosts.sort()).toEqual(["h1", "h2", "h3"]);
    expect((await at.get(VMPlacementPolicy, "apart"))?.status?.placementStats).toMatchObject({
      successfulPlacements: 3,
    });
  });
});
