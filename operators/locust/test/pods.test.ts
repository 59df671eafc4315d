// Section 21.5: pods that do not start, and what the test says of them.
import { formatTime } from "@telltale/kinds";
import { CoreEvent, Pod } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { ended, namespace, type Stage, stage } from "./stage.ts";

let it: Stage | undefined;
afterEach(async () => it?.end());

/** A test whose master runs, and whose workers are to come. */
async function running(): Promise<Stage> {
  it = await stage();
  await it.make();
  it.tell({ connectedWorkers: 0, isLoaded: false });
  await it.job("master", { active: 1, startTime: formatTime(it.clock.now()) });
  await it.job("worker", { active: 3 });
  return it;
}

const waiting = (reason: string, message = "", name = "demo-worker") => ({
  phase: "Pending",
  containerStatuses: [
    { name, image: "", imageID: "", ready: false, restartCount: 0, state: { waiting: { reason, message } } },
  ],
});
const up = { phase: "Running" };
const loadStarted = (on: Stage) => ({
  progress: { state: "running" as const, loadStartTime: formatTime(on.clock.now()) },
  connectedWorkers: 2,
  isLoaded: true,
});

test("A55 A56 an image that cannot be pulled is told of after 120 s, once, and the phase stays", async () => {
  const on = await running();
  await on.pod("worker", "w1", waiting("ImagePullBackOff", 'Back-off pulling image "x"'));
  await on.pass(60_000);
  expect(await on.says("PodsHealthy")).toMatch(/^Unknown PodsStarting/);
  await on.pass(61_000);
  expect(await on.says("PodsHealthy")).toBe(
    'False ImagePullError ImagePullError: 1 pod(s) affected [w1]: Container demo-worker: Back-off pulling image "x"',
  );
  expect((await on.status()).phase).toBe("Running");
  for (let i = 0; i < 10; i += 1) await on.pass(5000);
  expect((await on.events()).filter((reason) => reason === "PodFailure")).toHaveLength(1);
});

test("A57 after 600 s without load the test has failed: workers stop at once, the master 300 s later", async () => {
  const on = await running();
  await on.pod("worker", "w1", waiting("ImagePullBackOff"));
  await on.pass(590_000);
  expect((await on.status()).phase).toBe("Running");
  await on.pass(11_000);
  expect((await on.status()).phase).toBe("Failed");
  const stopped = async () =>
    (await on.jobs()).filter(({ spec }) => spec?.suspend === true).map(({ metadata }) => metadata?.name);
  expect(await stopped()).toEqual(["demo-worker"]);
  await on.pass(301_000);
  expect(await stopped()).toEqual(["demo-master", "demo-worker"]);
});

test("A33 a master that ends well later does not change that", async () => {
  const on = await running();
  await on.pod("worker", "w1", waiting("ImagePullBackOff"));
  await on.pass(601_000);
  const before = await on.status();
  expect(before.phase).toBe("Failed");
  await on.job("master", ended("Complete", on.clock.now()));
  expect(await on.status()).toEqual(before);
});

test("A58 T33 with load on it goes on, whatever one pod does", async () => {
  const on = await running();
  on.tell(loadStarted(on));
  await on.pod("worker", "w1", waiting("ImagePullBackOff"));
  await on.pass(700_000);
  expect((await on.status()).phase).toBe("Running");
  expect(await on.says("PodsHealthy")).toMatch(/^False ImagePullError/);
});

test("A59 T35 a pod that finds a node in the end is healthy", async () => {
  const on = await running();
  const conditions = [
    { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes are available" },
  ];
  await on.pod("worker", "w1", { phase: "Pending", conditions }, { nodeName: undefined });
  await on.pass(121_000);
  expect(await on.says("PodsHealthy")).toBe(
    "False SchedulingError SchedulingError: 1 pod(s) affected [w1]: 0/1 nodes are available",
  );
  await on.pod("worker", "w1", { ...up, conditions: [{ type: "PodScheduled", status: "True" }] });
  expect(await on.says("PodsHealthy")).toBe("True PodsHealthy All pods are healthy");
  expect((await on.status()).phase).toBe("Running");
});

test("an init container that fails is told of at once, with its exit code, and is no problem once it went well", async () => {
  const on = await running();
  const init = (exitCode: number) => {
    const state = { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error" } };
    return [{ name: "setup", image: "", imageID: "", ready: exitCode === 0, restartCount: 0, state }];
  };
  await on.pod("worker", "w1", { phase: "Pending", initContainerStatuses: init(3) });
  expect(await on.says("PodsHealthy")).toBe(
    "False InitializationError InitializationError: 1 pod(s) affected [w1]: Init container setup exited with code 3: Error",
  );
  expect(await on.events()).toContain("PodFailure");
  await on.pod("worker", "w1", { ...up, initContainerStatuses: init(0) });
  expect(await on.says("PodsHealthy")).toBe("True PodsHealthy All pods are healthy");
});

test("A60 a pod that is held back on purpose is starting", async () => {
  const on = await running();
  const conditions = [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }];
  await on.pod("worker", "w1", { phase: "Pending", conditions }, { nodeName: undefined });
  await on.pass(300_000);
  expect(await on.says("PodsHealthy")).toBe("Unknown PodsStarting Pods are starting up");
});

test("A61 a missing test ConfigMap is named", async () => {
  const on = await running();
  await on.pod("worker", "w1", waiting("ContainerCreating"));
  const { metadata } = await on.client.get(Pod, "w1", { namespace });
  const about = { kind: "Pod", name: "w1", namespace, uid: metadata?.uid ?? "" };
  const message = 'MountVolume.SetUp failed for volume "demo-worker" : configmap "demo-scripts" not found';
  const time = formatTime(on.clock.now());
  await on.client.create(CoreEvent, {
    metadata: { name: "w1.1", namespace },
    involvedObject: about,
    reason: "FailedMount",
    message,
    lastTimestamp: time,
    type: "Warning",
  });
  await on.pass(121_000);
  expect(await on.says("PodsHealthy")).toMatch(
    /^False ConfigurationError .*configmap "demo-scripts" not found.*ConfigMap demo-scripts/,
  );
});

test("A62 a sidecar that is ended with its pod is no failure", async () => {
  const on = await running();
  const sidecar = { name: "exporter", image: "e", restartPolicy: "Always" };
  const ended143 = {
    name: "exporter",
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 143 } },
  };
  const main = {
    name: "demo-master",
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 0 } },
  };
  const status = { phase: "Succeeded", initContainerStatuses: [ended143], containerStatuses: [main] };
  await on.pod("master", "m", status, { initContainers: [sidecar] });
  expect(await on.says("PodsHealthy")).toMatch(/^True/);
  await on.job("master", ended("Complete", on.clock.now()));
  expect((await on.status()).phase).toBe("Succeeded");
});

test("A63 T34 a sidecar in a crash loop is told of, and never fails the test", async () => {
  const on = await running();
  const sidecar = { name: "exporter", image: "e", restartPolicy: "Always" };
  const looping = {
    name: "exporter",
    image: "",
    imageID: "",
    ready: false,
    restartCount: 9,
    state: { waiting: { reason: "CrashLoopBackOff" } },
  };
  await on.pod("master", "m", { ...up, initContainerStatuses: [looping] }, { initContainers: [sidecar] });
  await on.pass(700_000);
  expect(await on.says("PodsHealthy")).toMatch(/^False CrashLoopBackOff/);
  expect((await on.status()).phase).toBe("Running");
});

test("A64 pods are found by their owners, whatever their labels say", async () => {
  it = await stage();
  await it.make({ worker: { command: "-f x", replicas: 3, labels: { "performance-test-name": "x" } } });
  await it.job("master", { active: 1 });
  await it.job("worker", { active: 3 });
  await it.pod("worker", "w1", waiting("ImagePullBackOff"));
  await it.pass(121_000);
  expect(await it.says("PodsHealthy")).toMatch(/^False ImagePullError/);
  const worker = (await it.jobs()).find(({ metadata }) => metadata?.name === "demo-worker");
  expect(worker?.spec?.template?.metadata?.labels?.["performance-test-name"]).toBe("demo");
});

test("A52 a server that cannot be read is not a deletion", async () => {
  const on = await running();
  on.server.faults.add({ match: { verbs: ["list", "watch", "get"], resource: "jobs" }, effect: { status: 503 } });
  await on.restart();
  await on.client.patch(LocustTest, { name: "demo", namespace }, { merge: { metadata: { annotations: { a: "b" } } } });
  await on.pass(120_000);
  expect((await on.status()).phase).toBe("Running");
  expect(await on.events()).not.toContain("ResourceDeleted");
});

test("another reason is told anew", async () => {
  const on = await running();
  await on.pod("worker", "w1", waiting("ImagePullBackOff"));
  await on.pass(125_000);
  await on.pod("worker", "w1", waiting("CreateContainerConfigError", 'secret "keys" not found'));
  expect([...(await on.told("PodFailure"))].sort()).toEqual([
    'ConfigurationError: 1 pod(s) affected [w1]: Container demo-worker: secret "keys" not found',
    "ImagePullError: 1 pod(s) affected [w1]: Container demo-worker: ImagePullBackOff",
  ]);
});

test("of pods that are not created ten are asked why, and none before they are late", async () => {
  const on = await running();
  let asked = 0;
  const match = { verbs: ["list"], resource: "events" };
  const counting = (n: number) => {
    asked = n;
    return false;
  };
  on.server.faults.add({ match: { ...match, nth: counting }, effect: { status: 500 } });
  for (let i = 0; i < 12; i += 1) await on.pod("worker", `w${i}`, waiting("ContainerCreating"));
  await on.pass(119_000);
  expect(asked).toBe(0);
  on.passes();
  await on.pass(10_000);
  const passes = on.passes();
  expect(passes).toBeGreaterThan(0);
  expect(asked).toBe(10 * passes);
  const shown = "[w0, w1, w10, w11, w2, +5 more]: No containers after 120 s, and";
  expect(await on.says("PodsHealthy")).toContain(`10 pod(s) affected ${shown} no Event says why`);
  on.server.faults.add({ match, effect: { status: 403 } });
  await on.poke();
  await on.job("master", ended("Complete", on.clock.now()));
  expect(await on.says("PodsHealthy")).toContain(`12 pod(s) affected ${shown.replace("+5", "+7")} why is not known: `);
  expect((await on.status()).phase).toBe("Succeeded");
  on.server.faults.clear();
});

test("of a test that has failed no pod is asked why any more", async () => {
  const on = await running();
  await on.pod("worker", "w1", waiting("ContainerCreating"));
  await on.pass(601_000);
  expect((await on.status()).phase).toBe("Failed");
  await on.pass(301_000);
  on.requests();
  await on.pass(7_200_000);
  await on.poke();
  expect(on.requests()).toEqual([]);
});

test("the names of many pods are cut", async () => {
  const on = await running();
  for (let i = 0; i < 7; i += 1) await on.pod("worker", `w${i}`, waiting("ErrImagePull"));
  await on.pass(125_000);
  expect(await on.says("PodsHealthy")).toContain("7 pod(s) affected [w0, w1, w2, w3, w4, +2 more]");
});
