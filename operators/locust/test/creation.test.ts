// Section 21.2 and 21.3: from the first pass to a running test.
import { formatTime, plus } from "@telltale/kinds";
import { Job, Service } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { violations } from "../src/validate.ts";
import { ended, namespace, type Stage, type StageOptions, stage } from "./stage.ts";

let it: Stage | undefined;
afterEach(async () => it?.end());

async function fresh(options: StageOptions = {}): Promise<Stage> {
  it = await stage(options);
  return it;
}

const statusWrites = (writes: readonly string[]) => writes.filter((line) => line.endsWith("/status"));

test("A11 A12 a new test is Pending with all conditions, its resources are owned, and its status is written once", async () => {
  const on = await fresh();
  await on.make();
  const found = await on.status();
  expect(found).toMatchObject({
    phase: "Pending",
    expectedWorkers: 3,
    connectedWorkers: 0,
    workersSource: "JobStatus",
    appliedGeneration: 1,
  });
  expect(await on.says("Ready")).toBe("False WaitingForPods Job demo-master has 0 of 1 pods");
  expect(await on.says("WorkersConnected")).toBe("False WaitingForWorkers Waiting for workers to connect");
  expect(await on.says("TestCompleted")).toBe("False TestInProgress Test has not started");
  expect(await on.says("PodsHealthy")).toBe("Unknown PodsStarting Waiting for pods to start");
  expect(await on.says("TelemetryAvailable")).toBe("Unknown WaitingForMaster Master pod is not running yet");
  const uid = (await on.test()).metadata.uid;
  const made = [...(await on.jobs()), ...(await on.services())];
  expect(made.map(({ metadata }) => metadata?.name).sort()).toEqual(["demo-master", "demo-master", "demo-worker"]);
  const owner = { apiVersion: "locust.io/v2", kind: "LocustTest", name: "demo", uid };
  for (const { metadata } of made) {
    expect(metadata?.ownerReferences).toEqual([{ ...owner, controller: true, blockOwnerDeletion: true }]);
  }
  expect(statusWrites(on.writes())).toHaveLength(1);
});

test("what a spec says of pull secrets, tolerations, annotations and arguments reaches the pods that it is for", async () => {
  const on = await fresh({ config: { tolerationInjection: true } });
  const tolerations = [
    { key: "load", operator: "Equal" as const, value: "yes", effect: "NoSchedule" as const },
    { key: "spot", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 60 },
  ];
  const annotations = { "example.com/scrape": "no" };
  await on.make({
    imagePullSecrets: [{ name: "registry-b" }, { name: "registry-a" }],
    scheduling: { tolerations },
    worker: { command: "-f a.py", replicas: 3, annotations, extraArgs: ["--loglevel", "DEBUG"] },
  });
  const pods = new Map((await on.jobs()).map(({ metadata, spec }) => [metadata?.name, spec?.template]));
  for (const name of ["demo-master", "demo-worker"]) {
    const imagePullSecrets = [{ name: "registry-b" }, { name: "registry-a" }];
    expect(pods.get(name)?.spec).toMatchObject({ imagePullSecrets, tolerations });
  }
  const [master, worker] = [pods.get("demo-master"), pods.get("demo-worker")];
  expect(worker?.metadata?.annotations).toMatchObject(annotations);
  expect(master?.metadata?.annotations ?? {}).not.toHaveProperty("example.com/scrape");
  expect(worker?.spec?.containers[0]?.args?.join(" ")).toContain("--loglevel DEBUG");
  expect(master?.spec?.containers[0]?.args).not.toContain("--loglevel");
});

test("A13 Running only when the master Job is active, since its start", async () => {
  const on = await fresh();
  await on.make();
  expect((await on.status()).phase).toBe("Pending");
  const startTime = formatTime(plus(on.clock.now(), -3000));
  await on.job("master", { active: 1, startTime });
  expect(await on.status()).toMatchObject({ phase: "Running", startTime });
  expect(await on.says("TestCompleted")).toBe("False TestInProgress Test is running");
  expect((await on.events()).filter((reason) => reason === "TestStarted")).toHaveLength(1);
});

test("A14 the Job's end is the test's", async () => {
  const on = await fresh();
  await on.make();
  await on.job("master", { active: 1, startTime: formatTime(on.clock.now()) });
  const t9 = plus(on.clock.now(), 9000);
  await on.pass(20_000);
  await on.job("master", ended("Complete", t9));
  expect(await on.status()).toMatchObject({ phase: "Succeeded", completionTime: formatTime(t9) });
  expect(await on.says("TestCompleted")).toBe("True TestSucceeded Test completed successfully");
  expect(await on.says("Ready")).toMatch(/^True/);
});

test("A15 a failed master says with which code", async () => {
  const on = await fresh();
  await on.make();
  await on.job("master", { active: 1 });
  const state = { terminated: { exitCode: 1, reason: "Error" } };
  const containerStatuses = [{ name: "demo-master", image: "", imageID: "", ready: false, restartCount: 0, state }];
  await on.pod("master", "demo-master-x", { phase: "Failed", containerStatuses });
  await on.job("master", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
  expect(await on.status()).toMatchObject({ phase: "Failed", completionTime: expect.any(String) });
  expect(await on.says("TestCompleted")).toMatch(/^True TestFailed Test failed.*code 1/);
  expect(await on.says("Ready")).toMatch(/^False ResourcesFailed/);
});

test("A16 where nothing changes, nothing is written, and a status is no reason for a pass", async () => {
  const on = await fresh();
  await on.make();
  await on.job("worker", { active: 3 });
  await on.job("master", { active: 1 });
  await on.poke();
  on.writes();
  on.passes();
  for (let i = 0; i < 20; i += 1) await on.poke();
  expect([on.passes(), on.writes()]).toEqual([20, []]);
  for (let i = 0; i < 20; i += 1) {
    await on.client.status.patch(
      LocustTest,
      { name: "demo", namespace },
      { merge: { status: { connectedWorkers: i } } },
    );
    await on.pass(100);
  }
  expect([on.passes(), on.writes()]).toEqual([0, []]);
});

test("A17 T41 a spec that was edited before the first pass is the one that counts", async () => {
  const on = await fresh();
  await on.halt();
  await on.make();
  for (const replicas of [4, 5]) {
    await on.client.patch(LocustTest, { name: "demo", namespace }, { merge: { spec: { worker: { replicas } } } });
  }
  await on.restart();
  expect(await on.status()).toMatchObject({ expectedWorkers: 5, appliedGeneration: 3 });
  const worker = (await on.jobs()).find(({ metadata }) => metadata?.name === "demo-worker");
  expect(worker?.spec?.parallelism).toBe(5);
  expect(await on.says("SpecDrifted")).toBe("");
});

/** The first Job is made, no other. */
const refuse = (on: Stage, name: string, status: number) =>
  on.server.faults.add({
    match: { verbs: ["create"], resource: "jobs", nth: (n) => n > 1 },
    effect: { status, message: `exceeded quota for ${name}` },
  });

test("A18 A19 a worker Job that may not be made is named, and tried again after 1 s, then 2 s", async () => {
  const on = await fresh();
  const rule = refuse(on, "demo-worker", 403);
  await on.make();
  expect((await on.status()).phase).toBe("Pending");
  expect(await on.says("Ready")).toBe("False ResourcesFailed Job demo-worker: exceeded quota for demo-worker");
  expect((await on.jobs()).map(({ metadata }) => metadata?.name)).toEqual(["demo-master"]);
  expect((await on.services()).map(({ metadata }) => metadata?.name)).toEqual(["demo-master"]);
  const turned = async () => (await on.status()).conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  const since = await turned();
  on.writes();
  await on.pass(900);
  expect(on.writes().filter((line) => line.startsWith("POST"))).toHaveLength(0);
  await on.pass(200);
  expect(on.writes().filter((line) => line.startsWith("POST"))).toHaveLength(1);
  await on.pass(1700);
  expect(on.writes().filter((line) => line.startsWith("POST"))).toHaveLength(0);
  await on.pass(400);
  expect(on.writes().filter((line) => line.startsWith("POST"))).toHaveLength(1);
  expect(await turned()).toBe(since);
  expect((await on.told("CreateFailed")).length).toBe(1);
  on.server.faults.remove(rule);
  await on.pass(5000);
  expect(await on.says("Ready")).toBe("False WaitingForPods Job demo-master has 0 of 1 pods");
  expect((await on.jobs()).map(({ metadata }) => metadata?.name)).toEqual(["demo-master", "demo-worker"]);
  await on.job("worker", { active: 3 });
  await on.job("master", { active: 1 });
  expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
  const moved = await turned();
  expect(moved).not.toBe(since);
  await on.poke(60_000);
  expect(await turned()).toBe(moved);
});

test("A19a while the worker Job cannot be made a running master goes on", async () => {
  const on = await fresh();
  refuse(on, "demo-worker", 403);
  await on.make();
  await on.job("master", { active: 1 });
  on.writes();
  await on.pass(300_000);
  expect((await on.status()).phase).toBe("Running");
  expect(await on.says("Ready")).toMatch(/^False ResourcesFailed Job demo-worker/);
  expect(on.writes().filter((line) => line.startsWith("POST")).length).toBeGreaterThan(4);
});

test("A20 a master Job that the server calls invalid fails the test, and is not tried again", async () => {
  const on = await fresh();
  on.server.faults.add({ match: { verbs: ["create"], resource: "jobs" }, effect: { status: 422, message: "bad" } });
  await on.make();
  const found = await on.status();
  expect(found).toMatchObject({ phase: "Failed", completionTime: expect.any(String) });
  expect(found.startTime).toBeUndefined();
  expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: could not create Job demo-master: bad");
  on.writes();
  await on.pass(3_600_000);
  expect(on.writes().filter((line) => line.startsWith("POST"))).toEqual([]);
});

test("A21 15 minutes of 503 fail the test, and 5 minutes later its master is stopped", async () => {
  const on = await fresh();
  refuse(on, "demo-worker", 503);
  await on.make();
  await on.job("master", { active: 1 });
  await on.pass(899_000);
  expect((await on.status()).phase).toBe("Running");
  await on.pass(2000);
  expect((await on.status()).phase).toBe("Failed");
  expect(await on.says("TestCompleted")).toMatch(/^True TestFailed Test failed: could not create Job demo-worker: /);
  const isStopped = async () =>
    (await on.jobs()).find(({ metadata }) => metadata?.name === "demo-master")?.spec?.suspend === true;
  await on.pass(298_000);
  expect(await isStopped()).toBe(false);
  await on.pass(2000);
  expect(await isStopped()).toBe(true);
});

test("A22 after a crash between making and telling nothing is made twice, and the status is whole", async () => {
  const on = await fresh();
  const rule = on.server.faults.add({
    match: { verbs: ["patch"], resource: "locusttests", subresource: "status" },
    effect: { status: 500 },
  });
  await on.make();
  expect((await on.status()).phase).toBeUndefined();
  expect(await on.jobs()).toHaveLength(2);
  await on.halt();
  on.server.faults.remove(rule);
  // The spec that the Jobs were made from, at another generation.
  for (const replicas of [5, 3]) {
    await on.client.patch(LocustTest, { name: "demo", namespace }, { merge: { spec: { worker: { replicas } } } });
  }
  on.writes();
  await on.restart();
  expect(on.writes().filter((line) => line.startsWith("POST"))).toEqual([]);
  expect(await on.status()).toMatchObject({
    phase: "Pending",
    appliedGeneration: 1,
    observedGeneration: 3,
    expectedWorkers: 3,
  });
  expect(await on.says("Ready")).toBe("False WaitingForPods Job demo-master has 0 of 1 pods");
});

test("A23 a Job of an earlier test of the same name is waited for", async () => {
  const on = await fresh();
  const old = { apiVersion: "locust.io/v2", kind: "LocustTest", name: "demo", uid: "earlier", controller: true };
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } };
  const metadata = { name: "demo-master", namespace, ownerReferences: [old], finalizers: ["example.test/hold"] };
  await on.client.create(Job, { metadata, spec: { template } });
  await on.client.delete(Job, { name: "demo-master", namespace }, { propagation: "Background" });
  await on.make();
  expect(await on.says("Ready")).toBe(
    "False ResourcesCreating Waiting for Job demo-master of a previous LocustTest to be removed",
  );
  await on.client.patch(Job, { name: "demo-master", namespace }, { merge: { metadata: { finalizers: null } } });
  await on.pass(3000);
  expect(await on.says("Ready")).toBe("False WaitingForPods Job demo-master has 0 of 1 pods");
});

test("A24 a Job of somebody else is not touched", async () => {
  const on = await fresh();
  await on.make({}, "a.b");
  await on.job("master", { active: 1 }, "a-b");
  const before = [await on.jobs(), await on.services(), await on.test("a.b")];
  await on.make({}, "a-b");
  expect(await on.says("Ready", "a-b")).toMatch(/^False ResourcesFailed .*not owned by this LocustTest/);
  await on.pass(60_000);
  expect([await on.jobs(), await on.services(), await on.test("a.b")]).toEqual(before);
  expect((await on.status("a.b")).phase).toBe("Running");
});

test("A25 a dotted name gives the same objects, pass after pass", async () => {
  const on = await fresh();
  await on.make({}, "team.load");
  expect((await on.jobs()).map(({ metadata }) => metadata?.name)).toEqual(["team-load-master", "team-load-worker"]);
  await on.job("worker", { active: 3 }, "team-load");
  await on.job("master", { active: 1 }, "team-load");
  const before = await on.status("team.load");
  on.writes();
  on.passes();
  for (let i = 0; i < 50; i += 1) await on.poke();
  expect([on.passes(), on.writes()]).toEqual([50, []]);
  expect(await on.status("team.load")).toEqual(before);
});

test("A26 T05 a name that is too long fails without anything being made", async () => {
  const on = await fresh({ invalid: violations });
  const name = "a".repeat(57);
  await on.make({}, name);
  const found = await on.status(name);
  expect(found).toMatchObject({ phase: "Failed", completionTime: expect.any(String) });
  expect(found.startTime).toBeUndefined();
  expect(await on.says("TestCompleted", name)).toMatch(/invalid LocustTest: metadata.name: .*63 characters/);
  expect(await on.says("Ready", name)).toMatch(/^False ResourcesFailed/);
  expect([...(await on.jobs()), ...(await on.services())]).toEqual([]);
});

test("A27 a name of 56 characters gives Jobs with names of 63", async () => {
  const on = await fresh({ invalid: violations });
  const name = "a".repeat(56);
  await on.make({}, name);
  expect((await on.jobs()).map(({ metadata }) => metadata?.name?.length)).toEqual([63, 63]);
  expect(await on.says("Ready", name)).toBe(`False WaitingForPods Job ${name}-master has 0 of 1 pods`);
});

test("where somebody takes the name of the Service in the last moment no Job is made beside it", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const on = await fresh({
    hold: (line) => (line === `POST /api/v1/namespaces/${namespace}/services` ? answered : undefined),
  });
  await on.make();
  on.writes();
  const ports = [{ port: 80 }];
  await on.client.create(Service, { metadata: { name: "demo-master", namespace }, spec: { ports } });
  answer();
  await on.pass();
  expect(on.writes().filter((line) => line.startsWith("POST"))).toEqual([]);
  expect(await on.jobs()).toEqual([]);
});
