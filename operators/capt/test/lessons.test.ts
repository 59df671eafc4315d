// Section 10.5: the lessons of the seed, each as something that must not happen again.
import { Secret } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { CAPTCluster, WorkspaceTemplate, WorkspaceTemplateApply } from "../src/kinds/index.ts";
import { anyCluster } from "../src/server.ts";
import { type Demo, type DemoOptions, demo, minute } from "./demo.ts";
import { namespace } from "./stage.ts";

let on: Demo | undefined;
afterEach(() => on?.end());

async function fresh(options: DemoOptions = {}): Promise<Demo> {
  on = await demo(options);
  return on;
}

async function ready(options: DemoOptions = {}): Promise<Demo> {
  const it = await fresh(options);
  await it.all();
  await it.pass(2_000);
  await it.vpcRuns();
  await it.pass(12_000);
  await it.planeRuns();
  await it.pass(2 * minute);
  expect((await it.the.plane()).status).toMatchObject({ phase: "Ready", ready: true });
  it.writes();
  it.samples.length = 0;
  return it;
}

const asked = (it: Demo) => it.samples.filter((sample) => sample.is === "enqueue" && sample.cause !== "timer");

test("AS-46 L-1 L-2 L-4 fifty clusters at rest: no pass but the timed ones, no write, and never a PUT", async () => {
  const places = Array.from({ length: 50 }, (_none, i) => `n${i}`);
  const it = await fresh({
    runner: "simulated",
    config: { clusterApiMode: "standalone", concurrency: 20 },
    objects: places.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
  });
  for (const of of places) {
    await it.templates(of);
    await it.cluster({}, "demo", of);
    await it.network({}, "demo-net", of);
    await it.plane({}, "demo-cp", of);
  }
  await it.pass(2 * minute);
  const written = it.writes();
  expect(written.filter(({ method }) => method === "PUT")).toEqual([]);
  const networks = await it.list(CAPTCluster);
  expect(networks.filter(({ status }) => status?.ready === true)).toHaveLength(50);
  it.samples.length = 0;
  await it.pass(minute);
  expect([asked(it), it.writes()]).toEqual([[], []]);
  const passes = it.samples.filter((sample) => sample.is === "pass" && sample.controller === "captcontrolplane");
  expect(passes).toHaveLength(50);
  await it.restart();
  await it.pass(minute);
  expect(it.writes()).toEqual([]);
  expect(it.complaints).toEqual([]);
}, 120_000);

test("L-2 a hundred looks at what is ready write nothing", async () => {
  const it = await ready();
  await it.pass(100 * minute);
  const passes = it.samples.filter((sample) => sample.is === "pass" && sample.controller === "captcontrolplane");
  expect(passes.length).toBeGreaterThanOrEqual(100);
  expect(it.writes()).toEqual([]);
}, 20_000);

test("L-5 a thousand statuses of a Cluster ask for no pass of anybody", async () => {
  const it = await ready();
  const ref = { name: "demo", namespace };
  for (let i = 0; i < 1_000; i += 1) {
    const merge = { status: { phase: i % 2 === 0 ? "Pending" : "Provisioned" } };
    await it.client.status.patch(anyCluster(it.kinds), ref, { merge } as never);
    if (i % 100 === 0) await it.pass(10);
  }
  await it.pass(1_000);
  expect(asked(it)).toEqual([]);
  expect(it.writes()).toEqual([]);
}, 20_000);

test("L-10 what is referred to and gone is a state: no error, no failure, and all is well when it is back", async () => {
  const it = await ready();
  const lost = [
    [WorkspaceTemplate, "vpc"],
    [WorkspaceTemplate, "cp"],
    [Secret, "demo-net-vpc-connection"],
    [Secret, "demo-cp-eks-connection"],
  ] as const;
  for (const [kind, name] of lost) {
    await it.remove(kind as typeof WorkspaceTemplate, name);
    await it.pass(20 * minute);
    expect((await it.the.network()).status).toMatchObject({ ready: true });
    expect((await it.the.plane()).status).toMatchObject({ ready: true, phase: "Ready" });
  }
  expect(await it.networkSays("ConnectionSecretReady")).toMatch(/^False WaitingForSecret/);
  expect(await it.planeSays("ConnectionSecretReady")).toMatch(/^False WaitingForSecret/);
  await it.templates();
  await it.vpcRuns();
  await it.planeRuns();
  await it.pass(6 * minute);
  expect(await it.networkSays("ConnectionSecretReady")).toMatch(/^True/);
  expect(it.complaints).toEqual([]);
  expect((await it.the.network()).status).not.toHaveProperty("failureReason");
}, 20_000);

test("L-10 an apply that somebody deletes is made again", async () => {
  const it = await ready({});
  await it.remove(WorkspaceTemplateApply, "demo-net-vpc");
  await it.pass(2 * minute);
  expect(await it.the.vpcApply()).toBeDefined();
  expect((await it.the.network()).status).toMatchObject({ vpcId: "vpc-1", initialization: { provisioned: true } });
  await it.vpcRuns();
  await it.pass(2 * minute);
  expect((await it.the.network()).status).toMatchObject({ ready: true });
  expect(it.complaints).toEqual([]);
});

test("L-13 a pass that was held while the spec changed does not speak for the new one", async () => {
  let release = () => {};
  let isHolding = false;
  const bodies: string[] = [];
  const it = await fresh({
    wrap: (way) => ({
      async send(request) {
        if (request.method === "PATCH" && request.path.includes("captclusters/demo-net/status")) {
          bodies.push(String(request.body));
        }
        if (isHolding && request.method === "GET" && request.path.includes("/workspaces/")) {
          isHolding = false;
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        }
        return way.send(request);
      },
      close: () => way.close(),
    }),
  });
  await it.all();
  await it.pass(2_000);
  isHolding = true;
  await it.vpcRuns();
  bodies.length = 0;
  await it.edit("network", { variables: { cidr: "10.0.0.0/16" } });
  release();
  await it.pass(2_000);
  const spoken = bodies.map((body) => JSON.parse(body).status.observedGeneration);
  expect(spoken[0]).toBe(1);
  expect(spoken.at(-1)).toBe(2);
  expect((await it.the.vpcApply())?.spec.variables?.["cidr"]).toBe("10.0.0.0/16");
  expect(it.complaints).toEqual([]);
});

test("L-14 P-11 a hundred changes in a second are at most two writes", async () => {
  const it = await fresh();
  await it.all();
  await it.pass(5_000);
  it.writes();
  for (let i = 0; i < 100; i += 1) {
    await it.vpcRuns({
      synced: false,
      message: `step ${"abcdefghij"[i % 10]}${"klmnopqrst"[Math.floor(i / 10)]} failed`,
    });
    await it.pass(10);
  }
  const written = it.writes().filter(({ path }) => path.endsWith("captclusters/demo-net/status"));
  expect(written.length).toBeLessThanOrEqual(2);
  await it.pass(2_000);
  expect(await it.networkSays("VPCReady")).toMatch(/step jt failed$/);
});
