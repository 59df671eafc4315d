// Kubelet, nodes and scheduler with a server that fails, answers late or not at all, and a process that is cut off again and again.
import { Deployment, Pod } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { controllers } from "../src/controllers.ts";
import { type Machine, machine } from "./machine.ts";

const namespace = "default";
let it: Machine;
afterEach(() => it?.end());

const labels = { app: "web" };
const web = (replicas: number): Deployment => ({
  metadata: { name: "web", namespace },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "a:1" }] } },
  },
});
const pods = async () => (await it.client.list(Pod, { namespace })).items;
const scale = (replicas: number) =>
  it.client.patch(Deployment, { name: "web", namespace }, { merge: { spec: { replicas } } });

/** So many pods, all ready, each with an address of its own. */
async function expectWell(count: number): Promise<void> {
  const all = await pods();
  expect(all.map(({ status }) => status?.containerStatuses?.[0]?.ready)).toEqual(Array(count).fill(true));
  expect(new Set(all.map(({ status }) => status?.podIP)).size).toBe(count);
}

const writing = ["create", "patch", "delete"];

describe.each([
  ["fails", { status: 500 }],
  ["writes and then fails", { status: 500, commit: true }],
  ["is overloaded", { status: 429 }],
  ["says that somebody was faster", { status: 409 }],
  ["lets somebody be faster", { conflictOnce: true }],
  ["writes and cuts the connection", { resetConnection: true, commit: true }],
] as const)("a server that now and then %s", (_what, effect) => {
  test.each([1, 2])("seed %i: pods come and go as if nothing were wrong", async (seed) => {
    it = await machine({ controllers, seed });
    await it.client.create(Deployment, web(8));
    it.server.faults.add({ match: { verbs: writing, probability: 0.3 }, times: 300, effect });
    await it.pass(300_000);
    it.server.faults.clear();
    await it.pass(300_000);
    await expectWell(8);
    it.server.faults.add({ match: { verbs: writing, resource: "pods", probability: 0.5 }, times: 50, effect });
    await scale(2);
    await it.pass(300_000);
    it.server.faults.clear();
    await it.pass(300_000);
    await expectWell(2);
  });
});

test("watches that stall, end and tell things twice lose no pod", async () => {
  it = await machine({ controllers });
  const verbs = ["watch"];
  it.server.faults.add({ match: { verbs }, effect: { watch: { dropAfterEvents: 3, duplicate: true } } });
  await it.renew();
  await it.client.create(Deployment, web(8));
  await it.pass(300_000);
  await expectWell(8);
  it.server.faults.clear();
});

test("everything is cut off again and again, and comes to the same end", async () => {
  it = await machine({ controllers, nodes: [{ name: "a" }, { name: "b" }] });
  await it.client.create(Deployment, web(6));
  for (let i = 0; i < 12; i += 1) {
    await it.renew();
    if (i === 6) await scale(3);
    await it.pass(i * 37);
  }
  await it.pass(60_000);
  await expectWell(3);
  expect((await it.client.get(Deployment, "web", { namespace })).status?.availableReplicas).toBe(3);
});

test("once settled, a restart writes nothing of pods and nodes", async () => {
  it = await machine({ controllers });
  await it.client.create(Deployment, web(4));
  await it.create("broken", { "sim.telltale.dev/mount-error": "true" });
  await it.create("unplaced", {}, { nodeSelector: { none: "such" } });
  await it.pass(25_000);
  it.writes();
  await it.renew();
  await it.pass(1_000);
  expect(it.writes().filter((line) => !line.includes("/leases/"))).toEqual([]);
});
