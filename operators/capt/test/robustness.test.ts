// Section 16, robustness: crashes, conflicts, old news and silence.
import type { Response, Transport } from "@telltale/client";
import { seededRandom } from "@telltale/clock";
import { afterEach, expect, test } from "vitest";
import { CAPTCluster, CAPTControlPlane, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { anyCluster } from "../src/server.ts";
import { type Demo, type DemoOptions, demo, minute, timeless } from "./demo.ts";
import { namespace } from "./stage.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

async function fresh(options: DemoOptions = {}): Promise<Demo> {
  on = await demo(options);
  return on;
}

const isWrite = (method: string) => method !== "GET";

/** A process that is gone right after its n-th write: the server has it, and nobody hears the answer. */
function mortal(): { wrap: (way: Transport) => Transport; dieAfter(writes: number): void; readonly isDead: boolean } {
  let left = Number.POSITIVE_INFINITY;
  let isDead = false;
  return {
    wrap: (way) => {
      isDead = false;
      let isGone = false;
      return {
        async send(request) {
          if (isGone) throw new Error("the process is gone");
          const answer = await way.send(request);
          if (!isWrite(request.method) || request.path.includes("/events")) return answer;
          left -= 1;
          if (left > 0) return answer;
          left = Number.POSITIVE_INFINITY;
          isGone = true;
          isDead = true;
          throw new Error("the process is gone");
        },
        close: () => way.close(),
      };
    },
    dieAfter(writes) {
      left = writes;
    },
    get isDead() {
      return isDead;
    },
  };
}

async function statuses(it: Demo): Promise<string> {
  return timeless([(await it.the.network()).status, (await it.the.plane()).status]);
}

test("AS-42 killed after each single write of a creation, it comes to the same end", async () => {
  const ends = new Set<string>();
  let at = 0;
  for (let isOver = false; !isOver; at += 1) {
    const life = mortal();
    const it = await fresh({ runner: "simulated", wrap: life.wrap });
    if (at > 0) life.dieAfter(at);
    await it.all();
    await it.pass(at === 0 ? 40_000 : 20_000);
    isOver = at > 0 && !life.isDead;
    if (life.isDead) await it.restart("crash");
    await it.pass(40_000);
    ends.add(await statuses(it));
    expect((await it.list(it.kinds.Workspace)).map(({ metadata }) => metadata.name)).toHaveLength(2);
    expect(it.runsEnded.filter((run) => run === "apply applied").length).toBeLessThanOrEqual(3);
    await it.end();
    on = undefined;
  }
  expect(at).toBeGreaterThan(20);
  expect([...ends]).toHaveLength(1);
}, 180_000);

test("AS-42 killed after each single write of a deletion, nothing stays behind", async () => {
  let at = 1;
  for (let isOver = false; !isOver; at += 1) {
    const life = mortal();
    const it = await fresh({ runner: "simulated", wrap: life.wrap, config: { clusterApiMode: "standalone" } });
    await it.templates();
    await it.cluster();
    await it.network();
    await it.plane();
    await it.pass(30_000);
    life.dieAfter(at);
    await it.remove(anyCluster(it.kinds), "demo");
    await it.pass(20_000);
    isOver = !life.isDead;
    if (life.isDead) await it.restart("crash");
    await it.pass(90_000);
    expect(await it.get(anyCluster(it.kinds), "demo")).toBeUndefined();
    expect(await it.list(WorkspaceTemplateApply)).toEqual([]);
    expect(await it.list(it.kinds.Workspace)).toEqual([]);
    await it.end();
    on = undefined;
  }
  expect(at).toBeGreaterThan(10);
}, 180_000);

test("AS-43 P-8 every second write in conflict, and somebody else at the same objects: it converges, and nothing is lost", async () => {
  const random = seededRandom(11);
  let refused = 0;
  const conflict: Response = {
    status: 409,
    headers: { "content-type": "application/json" },
    text: async () =>
      JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Conflict", code: 409 }),
    async *chunks() {
      yield await this.text();
    },
  };
  let isStormy = true;
  const wrap = (way: Transport): Transport => ({
    async send(request) {
      if (!isStormy || !isWrite(request.method) || request.path.includes("/events") || random.next() < 0.5) {
        return way.send(request);
      }
      refused += 1;
      return conflict;
    },
    close: () => way.close(),
  });
  const it = await fresh({ runner: "simulated", wrap });
  await it.all();
  for (let i = 0; i < 200; i += 1) {
    const merge = { metadata: { annotations: { [`note-${i % 20}`]: `${i}` } } };
    await it.client.patch(CAPTCluster, { name: "demo-net", namespace }, { merge });
    await it.client.patch(CAPTControlPlane, { name: "demo-cp", namespace }, { merge });
    await it.pass(50);
  }
  await it.pass(15 * minute);
  isStormy = false;
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready", ready: true });
  const notes = (await it.the.network()).metadata.annotations ?? {};
  expect(Object.keys(notes).filter((key) => key.startsWith("note-"))).toHaveLength(20);
  const attempts = it.writes().length;
  expect(refused).toBeGreaterThan(10);
  expect(attempts).toBeLessThanOrEqual(5 * (attempts - refused) + 20);
  expect(it.complaints).toEqual([]);
}, 30_000);

test("AS-44 P-4 news that is half a minute old moves no clock, loses no latch, and makes nothing twice", async () => {
  const it = await fresh();
  it.server.faults.add({ match: { verbs: ["watch"] }, effect: { watch: { delayMs: 30_000 } } });
  await it.restart();
  await it.all();
  await it.pass(2 * minute);
  const start = (await it.condition("network", "VPCCreating"))?.lastTransitionTime;
  await it.pass(3 * minute);
  expect((await it.condition("network", "VPCCreating"))?.lastTransitionTime).toBe(start);
  await it.vpcRuns();
  await it.pass(2 * minute);
  expect((await it.the.network()).status).toMatchObject({ ready: true, initialization: { provisioned: true } });
  await it.pass(2 * minute);
  await it.planeRuns();
  await it.pass(3 * minute);
  expect((await it.the.plane()).status).toMatchObject({ ready: true, initialized: true });
  expect(await it.list(WorkspaceTemplateApply)).toHaveLength(2);
  expect(await it.list(it.kinds.Workspace)).toHaveLength(2);
});

test("AS-45 ten minutes without an API server: nothing changes meanwhile, it is asked less and less, and then all goes on", async () => {
  let isDown = false;
  let asked: number[] = [];
  let told = 0;
  const down: Response = {
    status: 503,
    headers: { "content-type": "application/json" },
    text: async () =>
      JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "ServiceUnavailable", code: 503 }),
    async *chunks() {
      yield await this.text();
    },
  };
  const wrap = (way: Transport): Transport => ({
    async send(request) {
      if (!isDown && String(request.body).includes("VPCReconciliationFailed")) told += 1;
      if (!isDown) return way.send(request);
      if (request.path.includes("/workspaces/")) asked.push(on?.clock.now() ?? 0);
      return down;
    },
    close: () => way.close(),
  });
  const it = await fresh({ wrap });
  await it.all();
  await it.pass(20_000);
  const before = timeless((await it.the.network()).status);
  asked = [];
  isDown = true;
  await it.pass(10 * minute);
  expect(timeless((await it.the.network()).status)).toBe(before);
  const gaps = asked.slice(1).map((at, i) => at - (asked[i] ?? at));
  expect(Math.max(...gaps)).toBeGreaterThan(minute);
  isDown = false;
  await it.pass(4 * minute);
  expect((await it.networkSays("VPCReady")).startsWith("False VPCReconciliationFailed")).toBe(false);
  await it.vpcRuns();
  await it.pass(12_000);
  expect((await it.the.network()).status?.ready).toBe(true);
  expect(told).toBeLessThanOrEqual(1);
});

test.each([
  ["v1beta1", { a: { controlPlane: true }, b: { controlPlane: true } }],
  [
    "v1beta2",
    [
      { name: "a", controlPlane: true },
      { name: "b", controlPlane: true },
    ],
  ],
] as const)("AS-50 10.4 failure domains have the shape that Clusters of %s read", async (version, domains) => {
  const it = await fresh({ version });
  await it.all();
  await it.pass(2_000);
  await it.vpcRuns();
  await it.pass(2_000);
  expect((await it.the.network()).status?.failureDomains).toEqual(domains);
});
