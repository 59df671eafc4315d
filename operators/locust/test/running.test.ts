// Section 21.4: workers and ends.
import { formatTime, plus } from "@telltale/kinds";
import { Job, Service } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { ended, namespace, type Stage, type StageOptions, stage } from "./stage.ts";

let it: Stage | undefined;
afterEach(async () => it?.end());

/** A test whose master and workers run. */
async function running(options: StageOptions = {}): Promise<Stage> {
  it = await stage(options);
  await it.make();
  it.tell({ connectedWorkers: 0, isLoaded: false });
  await it.job("master", { active: 1, startTime: formatTime(it.clock.now()) });
  await it.job("worker", { active: 3, startTime: formatTime(it.clock.now()) });
  return it;
}

const polling = { status: "True", reason: "Polling", message: "Reading the Locust web API" } as const;
const told = (connectedWorkers: number, more = {}) => ({
  connectedWorkers,
  workersSource: "LocustAPI" as const,
  condition: polling,
  isLoaded: true,
  ...more,
});

const suspended = async (on: Stage) =>
  (await on.jobs()).filter(({ spec }) => spec?.suspend === true).map(({ metadata }) => metadata?.name);

test("A29 a moment without active pods is no way back", async () => {
  const on = await running();
  const phases: (string | undefined)[] = [];
  on.writes();
  await on.job("master", { active: 0 });
  phases.push((await on.status()).phase);
  await on.job("master", ended("Complete", on.clock.now()));
  phases.push((await on.status()).phase);
  expect(phases).toEqual(["Running", "Succeeded"]);
  expect(on.writes().filter((line) => line.startsWith("POST"))).toEqual([]);
});

test("A30 a Job that is over when it is first seen gives its times", async () => {
  it = await stage();
  await it.make();
  const [start, end] = [plus(it.clock.now(), -60_000), plus(it.clock.now(), -5000)];
  await it.job("master", { ...ended("Complete", end), startTime: formatTime(start) });
  expect(await it.status()).toMatchObject({
    phase: "Succeeded",
    startTime: formatTime(start),
    completionTime: formatTime(end),
  });
});

test("A107 a test that nobody watched has the times of its Jobs, and no numbers", async () => {
  it = await stage();
  await it.make();
  await it.halt();
  const start = it.clock.now();
  await it.job("worker", { active: 3, startTime: formatTime(start) });
  await it.job("master", { active: 1, startTime: formatTime(start) });
  await it.pass(60_000);
  const end = it.clock.now();
  await it.job("worker", ended("Complete", end));
  await it.job("master", { ...ended("Complete", end), startTime: formatTime(start) });
  await it.pass(3_600_000);
  await it.restart();
  const found = await it.status();
  expect(found).toMatchObject({ phase: "Succeeded", startTime: formatTime(start), completionTime: formatTime(end) });
  expect(found).not.toHaveProperty("testResult");
  expect(await it.says("Ready")).toBe("True ResourcesCreated All resources created");
  expect(await it.events()).not.toContain("ResourceDeleted");
});

test("A31 the start is kept over a restart", async () => {
  const on = await running();
  const { startTime } = await on.status();
  await on.pass(60_000);
  await on.restart();
  for (let i = 0; i < 10; i += 1) await on.poke();
  expect((await on.status()).startTime).toBe(startTime);
});

test("A32 what happens to a finished test changes nothing", async () => {
  const on = await running();
  await on.job("master", ended("Complete", on.clock.now()));
  const before = JSON.stringify(await on.status());
  await on.pod("worker", "demo-worker-a", { phase: "Failed", reason: "Evicted" });
  await on.job("worker", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
  for (const name of ["demo-master", "demo-worker"]) {
    await on.client.delete(Job, { name, namespace }, { propagation: "Background" });
  }
  await on.client.delete(Service, { name: "demo-master", namespace }, { propagation: "Background" });
  for (let i = 0; i < 10; i += 1) await on.poke();
  expect(JSON.stringify(await on.status())).toBe(before);
  expect([...(await on.jobs()), ...(await on.services())]).toEqual([]);
});

test("a finished test causes no request at all", async () => {
  const on = await running();
  await on.job("worker", ended("Complete", on.clock.now()));
  await on.job("master", ended("Complete", on.clock.now()));
  on.requests();
  on.passes();
  await on.pass(7_200_000);
  expect(on.passes()).toBeGreaterThan(5);
  expect(on.requests()).toEqual([]);
});

test("A34 A35 A36 workers are counted as they come, go and come back", async () => {
  const on = await running();
  for (const [count, says] of [
    [1, "False WaitingForWorkers 1/3 workers connected"],
    [2, "False WaitingForWorkers 2/3 workers connected"],
    [3, "True AllWorkersConnected 3/3 workers connected"],
  ] as const) {
    on.tell(told(count));
    await on.poke();
    expect(await on.says("WorkersConnected")).toBe(says);
    expect((await on.status()).connectedWorkers).toBe(count);
  }
  on.tell(told(2, { missingPods: ["demo-worker-x7k2p"] }));
  await on.poke();
  expect(await on.says("WorkersConnected")).toBe(
    "False WorkersMissing 2/3 workers connected; missing: demo-worker-x7k2p",
  );
  expect((await on.events()).filter((reason) => reason === "WorkersMissing")).toHaveLength(1);
  expect((await on.status()).phase).toBe("Running");
  on.tell(told(3));
  await on.poke();
  expect(await on.says("WorkersConnected")).toBe("True AllWorkersConnected 3/3 workers connected");
});

test("A37 workers that leave at the end of a good test are not missing", async () => {
  const on = await running();
  on.tell(told(3));
  await on.poke();
  on.tell(told(3, { isFrozen: true, isLoaded: false }));
  await on.poke();
  await on.job("worker", { active: 0, succeeded: 3 });
  await on.job("master", ended("Complete", on.clock.now()));
  expect(await on.status()).toMatchObject({ phase: "Succeeded", connectedWorkers: 3 });
  expect(await on.says("WorkersConnected")).toBe("True AllWorkersConnected 3/3 workers connected");
});

test("a worker that fails ends neither the others nor the test, and is missed until it is replaced", async () => {
  const on = await running();
  const worker = (await on.jobs()).find(({ metadata }) => metadata?.name === "demo-worker");
  expect(worker?.spec?.backoffLimit).toBe(2_147_483_647);
  on.tell(undefined);
  await on.job("worker", { active: 3, ready: 3, startTime: formatTime(on.clock.now()) });
  expect(await on.says("WorkersConnected")).toMatch(/^True/);
  await on.job("worker", { active: 2, ready: 2, failed: 1 });
  expect(await on.says("WorkersConnected")).toBe("False WorkersMissing 2/3 workers connected");
  await on.pass(600_000);
  expect((await on.status()).phase).toBe("Running");
  expect(await suspended(on)).toEqual([]);
  await on.job("worker", { active: 3, ready: 3, failed: 1 });
  expect(await on.says("WorkersConnected")).toMatch(/^True/);
});

test("workers that have all failed are missed also before the first of them is replaced", async () => {
  const on = await running();
  on.tell(undefined);
  await on.job("worker", { active: 3, ready: 3 });
  expect(await on.says("WorkersConnected")).toMatch(/^True/);
  await on.job("worker", { active: 0, ready: 0, failed: 3 });
  expect(await on.says("WorkersConnected")).toBe("False WorkersMissing 0/3 workers connected");
});

test("workers that fail whenever they are replaced fail the test 30 s after the last of them", async () => {
  const on = await running();
  const failed = async (name: string) => {
    const state = { terminated: { exitCode: 1, finishedAt: formatTime(on.clock.now()) } };
    const containerStatuses = [{ name: "demo-worker", image: "", imageID: "", ready: false, restartCount: 0, state }];
    await on.pod("worker", name, { phase: "Failed", containerStatuses });
  };
  await failed("w1");
  await on.job("worker", { active: 0, ready: 0, failed: 8 });
  await on.pass(60_000);
  expect((await on.status()).phase).toBe("Running");
  await failed("w2");
  await on.job("worker", { active: 0, ready: 0, failed: 9 });
  await on.pass(28_000);
  expect((await on.status()).phase).toBe("Running");
  await on.pass(4000);
  expect(await on.says("TestCompleted")).toBe(
    "True TestFailed Test failed: workers have failed 9 times, and none is left",
  );
});

test("A38 a failed worker Job fails the test after 30 s, and the master is stopped 300 s later", async () => {
  const on = await running();
  await on.job("worker", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
  expect((await on.status()).phase).toBe("Running");
  expect(await on.says("WorkersConnected")).toMatch(
    /^False WaitingForWorkers .*worker Job failed: BackoffLimitExceeded/,
  );
  await on.pass(29_000);
  expect((await on.status()).phase).toBe("Running");
  await on.pass(2000);
  expect((await on.status()).phase).toBe("Failed");
  expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: worker Job failed (BackoffLimitExceeded)");
  await on.pass(298_000);
  expect(await suspended(on)).toEqual([]);
  await on.pass(2000);
  expect(await suspended(on)).toEqual(["demo-master"]);
});

test("A39 T26 the master decides where it ends in time", async () => {
  const on = await running();
  await on.job("worker", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
  await on.pass(10_000);
  await on.job("master", ended("Complete", on.clock.now()));
  expect((await on.status()).phase).toBe("Succeeded");
  expect(await on.says("WorkersConnected")).toMatch(/^False WaitingForWorkers .*worker Job failed/);
});

test("A40 a master Job that is deleted fails the test, and nothing is made again", async () => {
  const on = await running();
  on.writes();
  await on.client.delete(Job, { name: "demo-master", namespace }, { propagation: "Background" });
  await on.pass(100);
  expect((await on.status()).phase).toBe("Failed");
  expect(await on.says("TestCompleted")).toBe(
    "True TestFailed Test failed: master Job was deleted before its result was recorded",
  );
  expect(await on.events()).toContain("ResourceDeleted");
  expect(await suspended(on)).toEqual(["demo-worker"]);
  expect(on.writes().filter((line) => line.startsWith("POST"))).toEqual([]);
});

test("A41 T22 with the policy to begin again it is made again, since the same start", async () => {
  const on = await running({ config: { onJobDeleted: "Recreate" } });
  const { startTime } = await on.status();
  const first = await on.jobs();
  await on.client.delete(Job, { name: "demo-master", namespace }, { propagation: "Background" });
  await on.pass(10_000);
  expect(await on.status()).toMatchObject({ phase: "Pending", startTime });
  const second = await on.jobs();
  expect(second.map(({ metadata }) => metadata?.name)).toEqual(["demo-master", "demo-worker"]);
  for (const { metadata } of second) expect(first.map((it) => it.metadata?.uid)).not.toContain(metadata?.uid);
  expect(await on.says("Ready")).toBe("False WaitingForPods Job demo-master has 0 of 1 pods");
});

test("A42 T20 a result that is deleted with its Job is not lost", async () => {
  const on = await running();
  const ref = { name: "demo-master", namespace };
  const both = on.client.status.patch(Job, ref, { merge: { status: ended("Complete", on.clock.now()) } });
  await Promise.all([both, both.then(() => on.client.delete(Job, ref, { propagation: "Background" }))]);
  await on.pass(100);
  expect((await on.status()).phase).toBe("Succeeded");
});

test("A42 T20 nor one that comes and goes while a pass waits for the server", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  let isHeld = false;
  let held = 0;
  const hold = (line: string) => {
    if (!isHeld || !line.endsWith("/locusttests/demo/status")) return undefined;
    held += 1;
    return answered;
  };
  const on = await running({ hold });
  isHeld = true;
  await on.job("worker", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
  expect(held).toBe(1);
  const ref = { name: "demo-master", namespace };
  await on.client.status.patch(Job, ref, { merge: { status: ended("Complete", on.clock.now()) } });
  await on.client.delete(Job, ref, { propagation: "Background" });
  await on.pass();
  expect((await on.status()).phase).toBe("Running");
  isHeld = false;
  answer();
  await on.pass(100);
  expect((await on.status()).phase).toBe("Succeeded");
});

test("A43 T23 a deleted Service is made again", async () => {
  const on = await running();
  await on.client.delete(Service, { name: "demo-master", namespace }, { propagation: "Background" });
  await on.pass(100);
  expect(await on.services()).toHaveLength(1);
  expect((await on.status()).phase).toBe("Running");
  expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
  expect(await on.told("ResourceDeleted")).toEqual(["The master Service was deleted"]);
});

test("A44 T09 before the start a deleted worker Job is made again", async () => {
  it = await stage();
  await it.make();
  await it.client.delete(Job, { name: "demo-worker", namespace }, { propagation: "Background" });
  await it.pass(100);
  expect((await it.jobs()).map(({ metadata }) => metadata?.name)).toEqual(["demo-master", "demo-worker"]);
  expect((await it.status()).phase).toBe("Pending");
});

test("A45 T19 a suspended test says so, and goes on with a new master", async () => {
  const on = await running();
  await on.pod("master", "demo-master-a", { phase: "Running" });
  const { startTime } = await on.status();
  await on.client.patch(Job, { name: "demo-master", namespace }, { merge: { spec: { suspend: true } } });
  await on.pass(100);
  expect(await on.says("Ready")).toBe("False ResourcesSuspended Master Job is suspended");
  expect(await on.says("TestCompleted")).toBe("False TestInProgress Test is suspended");
  await on.client.patch(Job, { name: "demo-master", namespace }, { merge: { spec: { suspend: false } } });
  await on.pass(1100);
  await on.pod("master", "demo-master-b", { phase: "Running" });
  await on.pass(2100);
  expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
  expect(await on.status()).toMatchObject({ phase: "Running", startTime });
  expect(await on.events()).toContain("MasterReplaced");
});

test("A50 a master that was evicted in the middle may have ended well, with a warning", async () => {
  const on = await running();
  await on.pod("master", "demo-master-a", { phase: "Succeeded", reason: "Evicted" });
  await on.job("master", ended("Complete", on.clock.now()));
  expect((await on.status()).phase).toBe("Succeeded");
  expect(await on.says("TestCompleted")).toContain("warning");
  expect(await on.events()).toContain("TestInterrupted");
});

const kubelet = "The node was low on resource: memory.";
test.each([
  ["PreemptionByScheduler", {}, "was preempted by the scheduler for a pod of higher priority"],
  ["DeletionByTaintManager", {}, "was deleted because of a taint of its node that it does not tolerate"],
  ["EvictionByEvictionAPI", {}, "was evicted by a request, as when its node is drained"],
  ["DeletionByPodGC", {}, "was deleted because its node is gone or out of service"],
  [
    "TerminationByKubelet",
    { reason: "Evicted", message: kubelet },
    "was evicted by the kubelet of its node (The node was low on resource: memory)",
  ],
  [
    "TerminationByKubelet",
    { reason: "Terminated", message: "Pod was terminated in response to imminent node shutdown." },
    "was ended by the kubelet of its node (Pod was terminated in response to imminent node shutdown)",
  ],
  ["TerminationByKubelet", {}, "was ended by the kubelet of its node"],
  ["MovedByBalancer", {}, "was disrupted (MovedByBalancer)"],
])("a master that ended by %s with %j says who ended it", async (reason, more, cause) => {
  const on = await running();
  const conditions = [{ type: "DisruptionTarget", status: "True", reason }];
  await on.pod("master", "demo-master-a", { phase: "Succeeded", conditions, ...more });
  await on.job("master", ended("Complete", on.clock.now()));
  expect(await on.says("LoadComplete")).toBe(
    `False MasterDisrupted The master pod ${cause}, so that the test may have been cut short`,
  );
  expect(await on.says("TestCompleted")).toContain(`warning: the master pod ${cause}`);
});

test("A51 a master out of memory says so", async () => {
  const on = await running();
  const state = { terminated: { exitCode: 137, reason: "OOMKilled" } };
  const containerStatuses = [{ name: "demo-master", image: "", imageID: "", ready: false, restartCount: 0, state }];
  await on.pod("master", "demo-master-a", { phase: "Failed", containerStatuses });
  await on.job("master", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
  expect(await on.says("TestCompleted")).toMatch(/137.*out of memory/);
});

test("A52a S2 workers that are left over are stopped after 90 s", async () => {
  const on = await running();
  await on.job("master", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
  const before = JSON.stringify(await on.status());
  await on.pass(89_000);
  expect(await suspended(on)).toEqual([]);
  await on.pass(2000);
  expect(await suspended(on)).toEqual(["demo-worker"]);
  expect(JSON.stringify(await on.status())).toBe(before);
});

test("A53 a status that meets a conflict twice is derived anew", async () => {
  it = await stage();
  await it.make();
  const match = { verbs: ["patch"], resource: "locusttests", subresource: "status" };
  const slow = it.server.faults.add({ match, effect: { latencyMs: 1000 } });
  it.server.faults.add({ match, times: 2, effect: { status: 409 } });
  it.writes();
  await it.job("master", { active: 1, startTime: formatTime(it.clock.now()) });
  await it.pass(500);
  await it.job("master", ended("Complete", it.clock.now()));
  expect((await it.status()).phase).toBe("Pending");
  await it.pass(10_000);
  it.server.faults.remove(slow);
  const { phase } = await it.status();
  expect([phase, it.writes()]).toEqual([
    "Succeeded",
    Array(3).fill(`PATCH /apis/locust.io/v2/namespaces/${namespace}/locusttests/demo/status`),
  ]);
  expect(await it.events()).not.toContain("TestStarted");
});

test("A54 zeros and absences of a spec stay as they are", async () => {
  it = await stage();
  const spec = {
    master: { command: "-f x", autoquit: { enabled: true, timeout: 0 } },
    env: { secretMounts: [{ name: "s", mountPath: "/s", readOnly: false }] },
  };
  await it.halt();
  await it.make(spec);
  const before = await it.test();
  await it.restart();
  const found = await it.test();
  expect(found.metadata.finalizers).toEqual(["locust.io/cleanup"]);
  expect(JSON.stringify(found.spec)).toBe(JSON.stringify(before.spec));
  expect(found.spec).toMatchObject(spec);
  expect(found.spec.master.resources).toBeUndefined();
  expect(found.metadata.generation).toBe(1);
  expect(await it.says("SpecDrifted")).toBe("");
  const master = (await it.jobs()).find(({ metadata }) => metadata?.name === "demo-master");
  expect(master?.spec?.template?.spec?.containers[0]?.args?.join(" ")).toContain("--autoquit 0");
});

test("T28 a deleted worker Job fails a running test after 30 s", async () => {
  const on = await running();
  await on.client.delete(Job, { name: "demo-worker", namespace }, { propagation: "Background" });
  await on.pass(20_000);
  expect((await on.status()).phase).toBe("Running");
  await on.pass(12_000);
  expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: worker Job was deleted");
});

test("T28 the 30 s outlast the process that began to wait", async () => {
  const on = await running();
  await on.client.delete(Job, { name: "demo-worker", namespace }, { propagation: "Background" });
  await on.pass(20_000);
  const since = (await on.status()).workerJobMissingSince;
  expect(since).toBeDefined();
  await on.restart();
  await on.pass(5_000);
  await on.restart();
  expect(await on.status()).toMatchObject({ phase: "Running", workerJobMissingSince: since });
  await on.pass(6_000);
  expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: worker Job was deleted");
  expect(await on.status()).not.toHaveProperty("workerJobMissingSince");
});

test("T29 with the policy to begin again only the worker Job is made again", async () => {
  const on = await running({ config: { ...standardConfig, onJobDeleted: "Recreate" } });
  await on.client.delete(Job, { name: "demo-worker", namespace }, { propagation: "Background" });
  await on.pass(1000);
  expect((await on.jobs()).map(({ metadata }) => metadata?.name)).toEqual(["demo-master", "demo-worker"]);
  expect((await on.status()).phase).toBe("Running");
});
