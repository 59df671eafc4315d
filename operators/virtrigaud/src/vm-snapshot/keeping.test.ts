import { formatTime, type Ms, plus } from "@telltale/kinds";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Home, home } from "../../test/home.ts";
import { type Stage, stage } from "../../test/stage.ts";
import { VirtualMachine, VMMigration, VMSnapshot } from "../kinds/index.ts";
import { KnownSecrets } from "../known-secrets.ts";
import type { SimulatedHost } from "../simulated/host.ts";
import { vmSnapshots } from "./controller.ts";

let s: Stage;
let h: Home;
let host: SimulatedHost;
let operator: ReturnType<Stage["start"]>;
beforeAll(async () => {
  s = await stage({
    controllers: ({ links }) => [vmSnapshots({ links, tls: new KnownSecrets(), workers: 5 })],
    idle: true,
  });
  operator = s.start();
});
afterAll(async () => {
  await operator.stop();
  await s.end();
});

afterEach(async () => {
  // What a schedule made goes with it.
  for (const name of await names()) if ((await h.get(VMSnapshot, name)) !== undefined) await h.remove(VMSnapshot, name);
});

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
let midnight = 0;

/** Every test has a day of its own, and begins five seconds after midnight. */
async function begin() {
  const now = s.clock.now();
  midnight = Math.ceil((now + minute) / day) * day;
  await away(midnight - 9_000 - now);
  h = await home(s);
  host = await h.provider("box", { durations: { snapshotCreate: 1_000, snapshotDelete: 1_000 } });
  await h.machine(host, "web");
}

/** Nobody works for so long. */
async function away(by: Ms) {
  operator.kill();
  await s.pass(by);
  operator = s.start("second");
  await s.pass(10_000);
}

/** So long after midnight, as a status has it, and as a name has it. */
const at = (after: Ms): string => formatTime(plus(s.clock.now(), midnight + after - s.clock.now()));
const stamp = (after: Ms): string => at(after).replace(/\D/g, "");

const take = (name: string, more: object = {}) => h.apply(VMSnapshot, name, { vmRef: { name: "web" }, ...more });
const read = async (name: string) => (await h.get(VMSnapshot, name))?.status;
const phase = async (name: string) => (await read(name))?.phase;
const until = (name: string, wanted: string) => s.until(async () => (await phase(name)) === wanted, 120_000);
const says = (name: string, type?: string) => h.says(VMSnapshot, name, type);
const onHost = () => host.machine("web")?.snapshots.map(({ name }) => name) ?? [];
const names = async () =>
  (await s.client.list(VMSnapshot, { namespace: h.namespace })).items.map(({ metadata }) => metadata.name ?? "");
const pinned = { metadata: { pinned: true } };

describe("how long a snapshot is kept", () => {
  it("S43 snapshot retention: it expires after an hour, and goes a day later; what is pinned stays", async () => {
    await begin();
    const retentionPolicy = { maxAge: "1h", gracePeriod: "24h" };
    await take("a", { retentionPolicy });
    await take("b", { retentionPolicy, ...pinned });
    await until("b", "Ready");
    expect((await read("a"))?.expiryTime).toBe(at(hour + 5_000));
    await away(50 * minute);
    expect(await phase("a")).toBe("Ready");
    await s.pass(11 * minute);
    expect([await phase("a"), await says("a", "Expired")]).toEqual([
      "Expired",
      "True Expired The snapshot has expired",
    ]);
    await away(23 * hour + 50 * minute);
    expect(await phase("a")).toBe("Expired");
    expect(onHost()).toEqual(["a", "b"]);
    await s.pass(20 * minute);
    expect(await names()).toEqual(["b"]);
    expect(onHost()).toEqual(["b"]);
    expect(host.asked("snapshotDelete").length).toBe(1);
    expect(await phase("b")).toBe("Ready");
    expect((await read("b"))?.expiryTime).toBeUndefined();
  });

  it("pinning it, or a longer time, brings back what has expired", async () => {
    await begin();
    const retentionPolicy = { maxAge: "1h", gracePeriod: "24h" };
    await take("a", { retentionPolicy });
    await take("b", { retentionPolicy });
    await until("b", "Ready");
    await away(hour);
    expect([await phase("a"), await phase("b")]).toEqual(["Expired", "Expired"]);
    await take("a", { retentionPolicy, ...pinned });
    await take("b", { retentionPolicy: { maxAge: "48h", gracePeriod: "24h" } });
    expect([await phase("a"), await says("a", "Expired")]).toEqual(["Ready", "False Pinned It is kept"]);
    expect(await phase("b")).toBe("Ready");
    // Nobody was there when it expired, nor when the grace was over: one pass says the one, the next does the other.
    await away(72 * hour);
    await s.pass(minute);
    expect(await names()).toEqual(["a"]);
  });

  it("S44 maxCount 2: with the third the first expires, and its children become its parent's", async () => {
    await begin();
    const retentionPolicy = { maxCount: 2, gracePeriod: "1h" };
    await take("zero");
    await until("zero", "Ready");
    for (const name of ["one", "two", "three"]) {
      await take(name, { retentionPolicy });
      await until(name, "Ready");
    }
    await s.pass(1_000);
    expect(await phase("one")).toBe("Expired");
    expect((await read("two"))?.parent?.name).toBe("one");
    await away(hour);
    await s.pass(20_000);
    expect(await names()).toEqual(["three", "two", "zero"]);
    expect((await read("two"))?.parent?.name).toBe("zero");
    expect((await read("zero"))?.children?.map(({ name }) => name)).toEqual(["two"]);
    expect((await read("three"))?.parent?.name).toBe("two");
    expect((await h.get(VirtualMachine, "web"))?.metadata.annotations?.["virtrigaud.io/current-snapshot"]).toBe(
      "three",
    );
    await h.remove(VMSnapshot, "three");
    await s.pass(20_000);
    expect((await h.get(VirtualMachine, "web"))?.metadata.annotations?.["virtrigaud.io/current-snapshot"]).toBe("two");
  });

  it("what a migration uses does not expire before that is through", async () => {
    await begin();
    await take("a", { retentionPolicy: { maxAge: "1h", gracePeriod: "0s" } });
    await until("a", "Ready");
    await h.apply(VMMigration, "move", {
      source: { vmRef: { name: "web" }, snapshotRef: { name: "a" } },
      target: { name: "web2", providerRef: { name: "far" } },
    });
    await away(2 * hour);
    expect([await phase("a"), await says("a", "Expired")]).toEqual(["Ready", "False InUse VMMigration move uses it"]);
    await h.status(VMMigration, "move", { phase: "Ready" });
    await s.pass(minute);
    expect(await names()).toEqual([]);
  });
});

describe("a schedule", () => {
  const plan = (schedule: object, more: object = {}) =>
    take("plan", { schedule: { enabled: true, cronSpec: "*/15 * * * *", ...schedule }, ...more });

  it("S45 schedule: after 40 minutes away one is made up for, then every quarter; the history is kept short", async () => {
    await begin();
    await plan({}, { retentionPolicy: { maxCount: 50 }, metadata: { application: "shop" } });
    expect([await phase("plan"), await says("plan")]).toEqual(["Ready", `True Scheduled next run ${at(15 * minute)}`]);
    await s.pass(16 * minute);
    expect(await names()).toEqual(["plan", `plan-${stamp(15 * minute)}`]);
    const child = await h.get(VMSnapshot, `plan-${stamp(15 * minute)}`);
    expect(child?.metadata.labels).toEqual({ "virtrigaud.io/snapshot-schedule": "plan" });
    expect(child?.metadata.ownerReferences?.[0]).toMatchObject({ kind: "VMSnapshot", name: "plan" });
    expect(child?.spec).toMatchObject({ vmRef: { name: "web" }, metadata: { application: "shop" } });
    expect(child?.spec.schedule).toBeUndefined();
    await away(40 * minute);
    expect(await names()).toEqual(["plan", `plan-${stamp(15 * minute)}`, `plan-${stamp(45 * minute)}`]);
    await s.pass(45 * minute);
    await s.pass(minute);
    expect(await names()).toEqual(
      [
        "plan",
        `plan-${stamp(1 * hour + 15 * minute)}`,
        `plan-${stamp(1 * hour + 30 * minute)}`,
        `plan-${stamp(1 * hour + 0 * minute)}`,
      ].sort(),
    );
    expect(onHost()).toEqual((await names()).slice(1));
    expect(host.asked("snapshotCreate").length).toBe(5);
  });

  it("a run that is long over is left out, and said so", async () => {
    await begin();
    await plan({ cronSpec: "@daily" });
    await away(26 * hour);
    expect(await names()).toEqual(["plan"]);
    expect(await h.events(VMSnapshot)).toEqual([
      `Warning SnapshotSkipped The run of ${at(day)} was missed, and is too long ago`,
    ]);
    expect(await says("plan")).toBe(`True Scheduled next run ${at(2 * day)}`);
  });

  it("while the last one is not through: Forbid leaves it out, Replace replaces it, Allow does not care", async () => {
    await begin();
    await h.status(VirtualMachine, "web", { phase: "Provisioning" });
    for (const concurrencyPolicy of ["Forbid", "Replace", "Allow"]) {
      const schedule = { enabled: true, cronSpec: "*/15 * * * *", concurrencyPolicy };
      await take(concurrencyPolicy.toLowerCase(), { schedule });
    }
    await s.pass(31 * minute);
    expect((await names()).filter((it) => it.includes("-"))).toEqual([
      `allow-${stamp(15 * minute)}`,
      `allow-${stamp(30 * minute)}`,
      `forbid-${stamp(15 * minute)}`,
      `replace-${stamp(30 * minute)}`,
    ]);
  });

  it("that is switched off is a snapshot like any other", async () => {
    await begin();
    await plan({});
    await plan({ enabled: false });
    await s.until(async () => ((await read("plan"))?.snapshotID ?? "") !== "", 60_000);
    await until("plan", "Ready");
    expect(await says("plan")).toBe("True Created Snapshot created successfully");
  });

  it("suspended: nothing; put back in time: it goes on; unreadable: it fails", async () => {
    await begin();
    await plan({ suspend: true });
    expect(await says("plan")).toBe("True Scheduled suspended");
    await s.pass(hour);
    expect(await names()).toEqual(["plan"]);
    await h.patch(VMSnapshot, "plan", {
      metadata: { annotations: { "virtrigaud.io/last-schedule-time": "2036-01-01T00:00:00Z" } },
    });
    await plan({ suspend: false });
    await s.pass(16 * minute);
    expect(await names()).toEqual(["plan", `plan-${stamp(1 * hour + 15 * minute)}`]);
    await plan({ cronSpec: "@reboot" });
    expect([await phase("plan"), await says("plan")]).toEqual([
      "Failed",
      "False InvalidSchedule schedule.cronSpec: @reboot is not supported",
    ]);
  });
});
