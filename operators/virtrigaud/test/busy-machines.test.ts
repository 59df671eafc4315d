// A machine that has other work at its provider: whoever is refused waits for it, within its time, and says so.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { VMClass, VMClone, VMSnapshot } from "../src/kinds/index.ts";
import { KnownSecrets } from "../src/known-secrets.ts";
import { Reservations } from "../src/placement/reservations.ts";
import { refuse, repeat } from "../src/simulated/faults.ts";
import type { SimulatedHost } from "../src/simulated/host.ts";
import { vmClones } from "../src/vm-clone/controller.ts";
import { vmSnapshots } from "../src/vm-snapshot/controller.ts";
import { type Home, home } from "./home.ts";
import { type Stage, stage } from "./stage.ts";

let s: Stage;
let h: Home;
let host: SimulatedHost;

beforeAll(async () => {
  s = await stage({
    controllers: ({ links }) => {
      const ways = { links, tls: new KnownSecrets(), places: new Reservations() };
      return [vmSnapshots({ ...ways, workers: 5 }), vmClones({ ...ways, crossing: { isFree: false }, workers: 3 })];
    },
  });
});
afterAll(() => s.end());

const minute = 60_000;
const long = 3 * minute;

beforeEach(async () => {
  h = await home(s);
  host = await h.provider("box", { durations: { clone: long, snapshotCreate: long } });
  await h.apply(VMClass, "small", { cpu: 2, memory: "4Gi", firmware: "BIOS" });
  await h.machine(host, "web");
});

const clone = (options: object = {}, name = "copy") =>
  h.apply(VMClone, name, { source: { vmRef: { name: "web" } }, target: { name: `of-${name}` }, options });
const take = () => h.apply(VMSnapshot, "before", { vmRef: { name: "web" } });
const copied = async (name = "copy") => (await h.get(VMClone, name))?.status;
const taken = async () => (await h.get(VMSnapshot, "before"))?.status;
const isReady = async () => (await copied())?.phase === "Ready" && (await taken())?.phase === "Ready";
const busyWith = (what: string) => `False Busy machine vm-1 is busy: ${what}`;

describe("a copy and a snapshot of one machine together", () => {
  it("the copy waits until the snapshot is taken, and is made once", async () => {
    await take();
    await s.pass(1_000);
    await clone();
    await s.pass(1_000);
    expect([(await copied())?.phase, await h.says(VMClone, "copy")]).toEqual(["Cloning", busyWith("Snapshot")]);
    expect(await h.says(VMClone, "copy", "Cloning")).toBe(busyWith("Snapshot"));
    expect(await h.says(VMClone, "copy", "Failed")).toBe("");
    expect((await copied())?.message).toBe("machine vm-1 is busy: Snapshot");
    await s.until(isReady, 10 * minute);
    expect(await h.says(VMClone, "copy")).toBe("True Completed Clone completed successfully");
    expect((await copied())?.retryCount).toBeUndefined();
    expect(host.machines.map(({ name }) => name)).toEqual(["web", "of-copy"]);
  });

  it("the snapshot waits until the copy is made, however many attempts that takes", async () => {
    await clone();
    await s.pass(1_000);
    await take();
    await s.pass(1_000);
    expect([(await taken())?.phase, await h.says(VMSnapshot, "before")]).toEqual(["Creating", busyWith("Cloning")]);
    expect(await h.says(VMSnapshot, "before", "Creating")).toBe("True Busy machine vm-1 is busy: Cloning");
    await s.until(isReady, 10 * minute);
    expect(host.machine("web")?.snapshots.map(({ name }) => name)).toEqual(["before"]);
    expect(await h.events(VMSnapshot)).toEqual(["Normal SnapshotReady Snapshot created successfully"]);
  });

  it("a process that dies while it waits leaves both to the next one", async () => {
    for (const first of ["copy", "snapshot"]) {
      h = await home(s);
      host = await h.provider("box", { durations: { clone: long, snapshotCreate: long } });
      await h.apply(VMClass, "small", { cpu: 2, memory: "4Gi", firmware: "BIOS" });
      await h.machine(host, "web");
      const [one, other] = first === "copy" ? [clone, take] : [take, clone];
      await one();
      await s.pass(1_000);
      await other();
      await s.pass(30_000);
      await s.restart();
      await s.pass(1_000);
      const waiting = first === "copy" ? h.says(VMSnapshot, "before") : h.says(VMClone, "copy");
      expect(await waiting).toBe(busyWith(first === "copy" ? "Cloning" : "Snapshot"));
      await s.until(isReady, 10 * minute);
      expect(host.machines.map(({ name }) => name)).toEqual(["web", "of-copy"]);
      expect(host.machine("web")?.snapshots.length).toBe(1);
    }
  });

  it("a snapshot that cannot be removed yet says why, and is removed afterwards", async () => {
    await take();
    await s.until(async () => (await taken())?.phase === "Ready", 10 * minute);
    await clone();
    await s.pass(1_000);
    await h.remove(VMSnapshot, "before");
    await s.pass(1_000);
    expect(await h.says(VMSnapshot, "before", "Deleting")).toBe("True Busy machine vm-1 is busy: Cloning");
    await s.until(async () => (await taken()) === undefined, 10 * minute);
    expect(host.machine("web")?.snapshots).toEqual([]);
    expect(await h.events(VMSnapshot)).not.toContainEqual(expect.stringContaining("SnapshotDeleteFailed"));
  });
});

describe("a machine that stays busy", () => {
  it("ends a clone with its timeout, which names the cause; it was asked seldom", async () => {
    host.script("clone", repeat(refuse("ABORTED", "machine vm-1 is busy: backup")));
    await clone({ timeout: "20m" });
    await s.pass(19 * minute);
    expect(await h.says(VMClone, "copy")).toBe(busyWith("backup"));
    await s.pass(minute);
    expect((await copied())?.phase).toBe("Failed");
    expect(await h.says(VMClone, "copy")).toBe("False Timeout it took longer than 20m: machine vm-1 is busy: backup");
    expect(host.asked("clone").length).toBeLessThan(25);
  });

  it("does not use up the attempts of a retryPolicy", async () => {
    host.script("clone", repeat(refuse("ABORTED", "machine vm-1 is busy: backup"), 6), refuse("INTERNAL", "no luck"));
    await clone({ retryPolicy: { maxRetries: 1, retryDelay: "1m" } });
    await s.until(async () => (await copied())?.phase === "Ready", 25 * minute);
    expect((await copied())?.retryCount).toBe(1);
  });

  it("ends a snapshot after an hour, which names the cause", async () => {
    host.script("snapshotCreate", repeat(refuse("ABORTED", "machine vm-1 is busy: backup")));
    await take();
    await s.pass(59 * minute);
    expect(await h.says(VMSnapshot, "before")).toBe(busyWith("backup"));
    await s.pass(2 * minute);
    expect((await taken())?.phase).toBe("Failed");
    expect(await h.says(VMSnapshot, "before")).toBe(
      "False ProviderError machine vm-1 is busy: backup; it was waited for 1h",
    );
  });
});
