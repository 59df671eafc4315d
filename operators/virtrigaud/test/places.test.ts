// Where machines and copies go when several are placed at once: a strict limit holds, and what an object says is where it went.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { VirtualMachine, VMClass, VMClone, VMImage, VMPlacementPolicy } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { refuse } from "../src/simulated/faults.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { virtualMachines } from "../src/virtual-machine/controller.ts";
import { Streaks } from "../src/virtual-machine/streaks.ts";
import { vmClones } from "../src/vm-clone/controller.ts";
import { type Home, home } from "./home.ts";
import { type Stage, stage } from "./stage.ts";

let s: Stage;
let h: Home;
let host: SimulatedHost;

beforeAll(async () => {
  s = await stage({
    controllers: ({ links, random }) => {
      const ways = { links, tls: new KnownSecrets(), places: new Reservations(), crossing: { isFree: false } };
      return [
        virtualMachines({ senses: { ...ways, random, streaks: new Streaks(), httpGet: async () => 200 }, workers: 10 }),
        vmClones({ ...ways, workers: 3 }),
      ];
    },
  });
});
afterAll(() => s.end());

const minute = 60_000;

beforeEach(async () => {
  h = await home(s);
  host = await h.provider("box", { spec: { type: "vsphere" }, durations: { clone: 5 * minute } });
  await h.apply(VMClass, "small", { cpu: 2, memory: "4Gi", firmware: "BIOS" });
  await h.apply(VMImage, "tiny", { source: { vsphere: { templateName: "tiny" } } });
  const made = { providerRef: { name: "box" }, classRef: { name: "small" }, imageRef: { name: "tiny" } };
  await h.apply(VirtualMachine, "web", made);
  await s.until(async () => (await h.get(VirtualMachine, "web"))?.status?.phase === "Running", 5 * minute);
  host.forgetCalls();
});

const spread = (hosts: readonly string[]) =>
  h.apply(VMPlacementPolicy, "spread", {
    hard: { hosts },
    antiAffinity: { hostAntiAffinity: { enabled: true, scope: "strict", maxVMsPerHost: 1 } },
  });
const placementRef = { name: "spread" };
const clone = (name: string, target: object = {}) =>
  h.apply(VMClone, name, {
    source: { vmRef: { name: "web" } },
    target: { name: `of-${name}`, placementRef, ...target },
  });
const machine = (name: string) =>
  h.apply(VirtualMachine, name, {
    providerRef: { name: "box" },
    classRef: { name: "small" },
    imageRef: { name: "tiny" },
    placementRef,
  });
/** The hosts that the provider was asked for, in the order of the requests. */
const requested = (method: "clone" | "create"): readonly string[] =>
  host.asked(method).map(({ request }) => JSON.parse(request.placementJson || "{}").Host ?? "");
const all = () => [...requested("clone"), ...requested("create")];
const noRoom = "host: no room: at most 1 of the policy on each";
const hostOf = async (kind: typeof VirtualMachine | typeof VMClone, name: string): Promise<unknown> => {
  const object = kind === VMClone ? await h.get(VMClone, name) : await h.get(VirtualMachine, name);
  return JSON.parse(object?.metadata.annotations?.["virtrigaud.io/placement"] ?? "{}").host;
};
const ready = (name: string) => async () => (await h.get(VMClone, name))?.status?.phase === "Ready";

describe("a strict limit per host", () => {
  it("holds for two clones at once, before and after they are copied", async () => {
    await spread(["h1"]);
    await Promise.all([clone("a"), clone("b")]);
    await s.pass(2 * minute);
    expect(all()).toEqual(["h1"]);
    expect([await h.says(VMClone, "a"), await h.says(VMClone, "b")]).toContain(`False Cloning ${noRoom}`);
    await s.pass(10 * minute);
    expect(all()).toEqual(["h1"]);
  });

  it("holds for a clone whose copy takes long and a VirtualMachine", async () => {
    await spread(["h1"]);
    await clone("a");
    await s.pass(10_000);
    await machine("db");
    await s.pass(2 * minute);
    expect(all()).toEqual(["h1"]);
    expect(await h.says(VirtualMachine, "db")).toBe(`False PlacementFailed ${noRoom}`);
    await s.until(ready("a"), 10 * minute);
    await s.pass(5 * minute);
    expect(all()).toEqual(["h1"]);
  });

  it("holds for a clone and a VirtualMachine that are placed in the same moment", async () => {
    await spread(["h1"]);
    await Promise.all([machine("db"), clone("a")]);
    await s.pass(10 * minute);
    expect(all()).toEqual(["h1"]);
  });

  it("holds where the process restarts while the provider copies", async () => {
    await spread(["h1"]);
    await clone("a");
    await s.pass(10_000);
    await s.restart();
    await machine("db");
    await clone("b");
    await s.pass(10 * minute);
    expect(all()).toEqual(["h1"]);
  });

  it("gives the place of a clone that was deleted to the next one", async () => {
    await spread(["h1"]);
    await machine("db");
    await s.pass(10_000);
    await clone("a");
    await s.pass(10_000);
    await h.remove(VMClone, "a");
    await h.remove(VirtualMachine, "db");
    await s.until(async () => (await h.get(VirtualMachine, "db")) === undefined, 5 * minute);
    await clone("b");
    await s.until(ready("b"), 10 * minute);
    expect(all().sort()).toEqual(["h1", "h1"]);
  });
});

describe("the place of a copy", () => {
  it("is stored before the request, and is the one of the request also where the policy has changed since", async () => {
    await spread(["h1"]);
    await clone("a");
    await s.pass(10_000);
    expect([await hostOf(VMClone, "a"), requested("clone")]).toEqual(["h1", ["h1"]]);
    await spread(["h2"]);
    await s.until(ready("a"), 10 * minute);
    expect([await hostOf(VirtualMachine, "of-a"), requested("clone")]).toEqual(["h1", ["h1"]]);
  });

  it("is chosen again for an attempt that follows a refusal", async () => {
    await spread(["h1"]);
    host.script("clone", refuse("RESOURCE_EXHAUSTED", "host h1 is full"));
    await h.apply(VMClone, "a", {
      source: { vmRef: { name: "web" } },
      target: { name: "of-a", placementRef },
      options: { retryPolicy: { retryDelay: "2m" }, timeout: "1h" },
    });
    await s.pass(minute);
    await spread(["h2"]);
    await s.until(ready("a"), 30 * minute);
    expect([await hostOf(VMClone, "a"), await hostOf(VirtualMachine, "of-a")]).toEqual(["h2", "h2"]);
    expect(requested("clone")).toEqual(["h1", "h2"]);
  });
});

it("a creation that is repeated because its answer was lost asks for the same place", async () => {
  await spread(["h1"]);
  // The provider may do it yet: it knows the repeated request, and gives the machine of the first.
  host.script("create", refuse("UNAVAILABLE", "connection reset"));
  await machine("db");
  await s.until(() => host.asked("create").length === 1, minute);
  await spread(["h2"]);
  await s.until(async () => ((await h.get(VirtualMachine, "db"))?.status?.id ?? "") !== "", 10 * minute);
  expect([requested("create"), await hostOf(VirtualMachine, "db")]).toEqual([["h1", "h1"], "h1"]);
});
