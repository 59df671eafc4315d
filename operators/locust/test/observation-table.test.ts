// Each condition that can be True, by the table of docs/observations.md: it is True, its observation is taken away, and it is not.
import { fileURLToPath } from "node:url";
import { formatTime, type Reason } from "@telltale/kinds";
import { Job, Pod } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { type Followed, followed, namespace, worker } from "./followed.ts";
import { type Away, type Lack, page, rows } from "./observation-table.ts";

let it: Followed;
let isOpen = false;
afterEach(async () => {
  if (isOpen) await it.end();
  isOpen = false;
});

const demo = { name: "demo", namespace };
const isTrue = async (condition: string) => (await it.says(condition)).startsWith("True ");
const workerPods = ["demo-worker-0", "demo-worker-1", "demo-worker-2"];

/** A test that has had load for a minute of its two. */
async function running(): Promise<void> {
  const run = { autostart: true, expectWorkers: 3, users: 10, spawnRate: 10, runTime: 120_000, autoquit: 30_000 };
  it = await followed({ command: "--users 10 --run-time 2m", standIn: { run }, workerPods: true });
  isOpen = true;
  for (const i of [1, 2, 3]) it.standIn.runner.join(worker(i));
  await it.pass(60_000);
  await edit("drifted");
}

async function edit(command: string): Promise<void> {
  await it.client.patch(LocustTest, demo, { merge: { spec: { worker: { command } } } });
  await it.pass();
}

const deletePod = (name: string) => it.client.delete(Pod, { name, namespace }, { propagation: "Background" });
const lose = (name: string) => it.pod(name, { conditions: [{ type: "Ready", status: "False" }] });

async function endTest(type: "Complete" | "Failed" = "Complete"): Promise<void> {
  await it.pod("demo-master-x", { phase: "Succeeded" });
  const time = formatTime(it.clock.now());
  const conditions = [{ type, status: "True", lastTransitionTime: time }];
  await it.job("master", { active: 0, succeeded: 1, completionTime: time, conditions });
}

const aways: Readonly<Record<Away, () => Promise<unknown>>> = {
  "the worker Job is deleted": () =>
    it.client.delete(Job, { name: "demo-worker", namespace }, { propagation: "Background" }),
  async "its pods are deleted, and none comes in their place"() {
    for (const name of ["demo-master-x", ...workerPods]) await deletePod(name);
  },
  "nothing is heard of the node of a worker any more": () => lose("demo-worker-1"),
  async "the API server does not say whether a missing Job was deleted"() {
    it.server.faults.add({ match: { verbs: ["get"], resource: "jobs" }, effect: { status: 403, message: "no" } });
    await it.client.delete(Job, { name: "demo-worker", namespace }, { propagation: "Background" });
  },
  "Locust counts a worker less": async () =>
    it.standIn.runner.forceWorkers([1, 2].map((i) => ({ id: worker(i), state: "running" as const }))),
  async "the web API does not answer any more, and nothing is heard of the workers' node"() {
    it.standIn.faults.add({ is: "hang" });
    for (const name of workerPods) await lose(name);
    await it.job("worker", { active: 3, ready: 0 });
  },
  "the web API does not answer any more": async () => it.standIn.faults.add({ is: "hang" }),
  "the web API answers with something else": async () => it.standIn.faults.add({ is: "html" }),
  "the master has ended": () => it.pod("demo-master-x", { phase: "Succeeded" }),
  "the test has ended": () => endTest(),
  "the test has failed": () => endTest("Failed"),
  "the spec is edited back": () => edit("-f a.py"),
};

describe("while a test runs", () => {
  test("every condition of the table that ends is True", async () => {
    await running();
    for (const { condition, ends } of rows)
      expect([condition, await isTrue(condition)]).toEqual([condition, ends.length > 0]);
  });

  test.each([...new Set(rows.flatMap(({ ends }) => ends))])(
    "%s: what rests on it is not True any more",
    async (away) => {
      await running();
      await aways[away]();
      let passed = 0;
      const ending = rows.filter(({ ends }) => ends.includes(away)).sort((a, b) => a.goneAfter - b.goneAfter);
      for (const { condition, goneAfter } of ending) {
        await it.pass(goneAfter - passed);
        passed = goneAfter;
        expect([condition, await isTrue(condition)]).toEqual([condition, false]);
      }
    },
  );
});

describe("what is said at the end of a test", () => {
  const toTheEnd = async () => {
    await it.pass(95_000);
    await endTest();
  };
  const lacks: Readonly<Record<Lack, () => Promise<void>>> = {
    async "the master pod ended well, and its Job does not say so"() {
      await it.pass(95_000);
      await it.pod("demo-master-x", { phase: "Succeeded" });
      await it.pass(600_000);
    },
    async "the web API did not answer in the second half of the load"() {
      it.standIn.faults.add({ is: "hang" });
      await toTheEnd();
    },
    async "Locust counted a worker less in the middle of the load"() {
      await aways["Locust counts a worker less"]();
      await it.pass(12_000);
      it.standIn.runner.forceWorkers([1, 2, 3].map((i) => ({ id: worker(i), state: "running" as const })));
      await toTheEnd();
    },
    async "the load was stopped at half of its time"() {
      it.standIn.ask({ method: "GET", path: "/stop" });
      await toTheEnd();
    },
  };

  test("is True where all was seen", async () => {
    await running();
    await toTheEnd();
    for (const { condition, never } of rows)
      if (never !== undefined) expect([condition, await isTrue(condition)]).toEqual([condition, true]);
  });

  test.each([...new Set(rows.flatMap(({ never = [] }) => never))])("is not True where %s", async (lack) => {
    await running();
    await lacks[lack]();
    for (const { condition, never } of rows)
      if (never?.includes(lack)) expect([condition, await isTrue(condition)]).toEqual([condition, false]);
  });
});

describe("the table", () => {
  test("has every condition that can be True, once, with what ends it or keeps it from being said", () => {
    const canBeTrue = Object.entries(LocustTest.conditions.types)
      .filter(([, { reasons }]) => Object.values<Reason>(reasons).some(({ on }) => on.includes("True")))
      .map(([condition]) => condition);
    expect(rows.map(({ condition }) => condition)).toEqual(canBeTrue);
    for (const { condition, ends, never = [] } of rows)
      expect([condition, ends.length + never.length]).not.toEqual([condition, 0]);
  });

  test("is the page", async () => {
    await expect(page()).toMatchFileSnapshot(fileURLToPath(new URL("../docs/observations.md", import.meta.url)));
  });
});
