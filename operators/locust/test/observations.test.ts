// What each condition and Event rests on, taken away: a test says nothing good of what was not seen.
import { formatTime, plus } from "@telltale/kinds";
import { CoreEvent, Job, Pod, Service } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { demo, edit, pending, remove, running } from "./deeds.ts";
import { ended, namespace, type Stage, stage } from "./stage.ts";

let on: Stage;
afterEach(() => on?.end());

const quota = 'Error creating: pods "demo-master-x7k2p" is forbidden: exceeded quota: none, limited: pods=0';

async function jobEvent(role: "master" | "worker", message: string, reason = "FailedCreate"): Promise<void> {
  const { metadata } = await on.client.get(Job, `demo-${role}`, { namespace });
  await on.client.create(CoreEvent, {
    metadata: { name: `demo-${role}.${on.clock.now()}`, namespace },
    involvedObject: { kind: "Job", name: `demo-${role}`, namespace, uid: metadata?.uid ?? "" },
    reason,
    message,
    lastTimestamp: formatTime(on.clock.now()),
    type: "Warning",
  });
}

const pulling = (name: string) => {
  const state = { waiting: { reason: "ImagePullBackOff", message: "Back-off pulling image" } };
  return {
    phase: "Pending",
    containerStatuses: [{ name, image: "", imageID: "", ready: false, restartCount: 0, state }],
  };
};

const conditions = async () => (await on.status()).conditions ?? [];
const isTrue = async () => (await conditions()).filter(({ status }) => status === "True").map(({ type }) => type);

describe("where no pod exists", () => {
  test("nothing is healthy or ready, and after 120 s the missing pods are reported", async () => {
    on = await pending();
    expect(await isTrue()).toEqual([]);
    expect(await on.says("PodsHealthy")).toBe("Unknown PodsStarting Waiting for pods to start");
    await on.pass(121_000);
    expect(await on.says("PodsHealthy")).toBe(
      "False PodsMissing PodsMissing: Job demo-master has 0 of 1 pods after 120 s, and no Event says why",
    );
    expect(await on.told("PodFailure")).toHaveLength(1);
    await on.pass(7_200_000);
    expect(await isTrue()).toEqual([]);
    expect((await on.status()).phase).toBe("Pending");
  });

  test("a quota that forbids them is reported, and its end is seen", async () => {
    on = await pending();
    await jobEvent("master", quota);
    await on.pass(11_000);
    const cause = "Error creating: pods is forbidden: exceeded quota: none, limited: pods=0";
    expect(await on.says("PodsHealthy")).toBe(
      `False PodCreationFailed PodCreationFailed: Job demo-master has 0 of 1 pods: ${cause}`,
    );
    expect(await on.says("Ready")).toBe(`False WaitingForPods Job demo-master has 0 of 1 pods: ${cause}`);
    on.writes();
    await jobEvent("master", quota.replace("x7k2p", "q2m4t"));
    await on.pass(300_000);
    expect(on.writes()).toEqual([]);
    await on.job("master", { active: 1 });
    await on.job("worker", { active: 3 });
    expect(await isTrue()).toEqual(["Ready", "WorkersConnected", "PodsHealthy"]);
  });

  test("a worker that a quota keeps out is reported beside those that run", async () => {
    on = await pending();
    await on.job("master", { active: 1 });
    await on.job("worker", { active: 2 });
    await on.pass(2000);
    await jobEvent("worker", quota);
    await on.pass(20_000);
    expect(await on.says("Ready")).toMatch(/^False WaitingForPods Job demo-worker has 2 of 3 pods: .*exceeded quota/);
    expect(await on.says("PodsHealthy")).toMatch(/^False PodCreationFailed .*Job demo-worker has 2 of 3 pods/);
  });

  test("an Event that is older than the last pod is no reason for the next one", async () => {
    on = await pending();
    await jobEvent("worker", quota);
    await on.pass(11_000);
    await on.job("master", { active: 1 });
    await on.job("worker", { active: 2 });
    await on.pass(60_000);
    expect(await on.says("PodsHealthy")).toBe("Unknown PodsStarting Pods are starting up");
  });

  test("Events that may not be read leave the reason open", async () => {
    on = await pending();
    on.server.faults.add({ match: { verbs: ["list"], resource: "events" }, effect: { status: 403, message: "no" } });
    await on.pass(121_000);
    expect(await on.says("PodsHealthy")).toBe(
      "False PodsMissing PodsMissing: Job demo-master has 0 of 1 pods after 120 s, and why is not known: no",
    );
    on.server.faults.clear();
  });

  test("pods that are deleted, and not replaced, are missed", async () => {
    on = await running();
    expect(await isTrue()).toEqual(["Ready", "PodsHealthy"]);
    for (const name of ["demo-master-0", "demo-worker-0", "demo-worker-1", "demo-worker-2"]) {
      await on.client.delete(Pod, { name, namespace }, { propagation: "Background" });
    }
    await on.pass(100);
    expect(await isTrue()).toEqual([]);
    await on.pass(300_000);
    expect(await on.says("PodsHealthy")).toMatch(/^False PodsMissing/);
  });

  test("creation that fails after a long wait for pods has its own time to succeed", async () => {
    on = await pending();
    await on.pass(2_000_000);
    on.server.faults.add({ match: { verbs: ["create"], resource: "jobs" }, effect: { status: 403, message: "no" } });
    await remove(on, "worker");
    await on.pass(600_000);
    expect(await on.status()).toMatchObject({ phase: "Pending" });
    await on.pass(900_000);
    expect((await on.status()).phase).toBe("Failed");
    on.server.faults.clear();
  });
});

describe("an image that cannot be pulled", () => {
  const stuck = async () => {
    on = await pending();
    for (const role of ["master", "worker"] as const) {
      for (let i = 0; i < (role === "master" ? 1 : 3); i += 1)
        await on.pod(role, `demo-${role}-${i}`, pulling(`demo-${role}`));
    }
    await on.jobAlone("worker", { active: 3, ready: 0 });
    await on.jobAlone("master", { active: 1, ready: 0, startTime: formatTime(on.clock.now()) });
  };

  test("has started no test, although the phase is that of the Job", async () => {
    await stuck();
    expect((await on.status()).phase).toBe("Running");
    expect(await on.says("TestCompleted")).toBe("False TestInProgress Test has not started");
    expect(await on.events()).not.toContain("TestStarted");
    expect(await on.says("PodsHealthy")).toMatch(/^Unknown PodsStarting/);
    expect(await on.status()).not.toHaveProperty("masterStartTime");
    await on.pod("master", "demo-master-0", { phase: "Running" });
    expect(await on.says("TestCompleted")).toBe("False TestInProgress Test is running");
    await on.poke();
    expect((await on.events()).filter((reason) => reason === "TestStarted")).toHaveLength(1);
    expect(await on.status()).toHaveProperty("masterStartTime");
  });

  test("is reported with the pod whose container is named", async () => {
    await stuck();
    await on.pass(121_000);
    expect(await on.says("PodsHealthy")).toMatch(
      /4 pod\(s\) affected \[demo-master-0, .*\]: demo-master-0: Container demo-master: Back-off pulling image$/,
    );
  });
});

describe("workers", () => {
  test("that the Job counted, and that never connected, are not missing", async () => {
    on = await running();
    on.tell(undefined);
    await on.job("worker", { active: 3, ready: 3 });
    expect(await on.says("WorkersConnected")).toBe("True AllWorkersConnected 3/3 workers connected");
    on.tell({ connectedWorkers: 1, mostConnectedWorkers: 1, workersSource: "LocustAPI", isLoaded: true });
    await on.poke();
    expect(await on.says("WorkersConnected")).toBe("False WaitingForWorkers 1/3 workers connected");
    expect(await on.events()).not.toContain("WorkersMissing");
  });

  test("that failed and were replaced are no problem of the pods any more", async () => {
    on = await running();
    const state = { terminated: { exitCode: 137, finishedAt: formatTime(on.clock.now()) } };
    const containerStatuses = [{ name: "demo-worker", image: "", imageID: "", ready: false, restartCount: 0, state }];
    await on.pod("worker", "demo-worker-0", { phase: "Failed", containerStatuses });
    expect(await on.says("PodsHealthy")).toMatch(/^False CrashLoopBackOff/);
    await on.pod("worker", "demo-worker-new", { phase: "Running" });
    expect(await on.says("PodsHealthy")).toBe("True PodsHealthy All pods are healthy");
  });
});

test("a read that the server refuses leaves all open, and its end is seen", async () => {
  on = await running();
  await on.halt();
  on.server.faults.add({ match: { verbs: ["get"], resource: "jobs" }, effect: { status: 403, message: "no jobs" } });
  await remove(on, "worker");
  await on.restart();
  const open = ["Ready", "WorkersConnected", "TestCompleted", "PodsHealthy"];
  for (const type of open) expect(await on.says(type)).toBe("Unknown ReadFailed no jobs");
  expect((await on.status()).phase).toBe("Running");
  expect(await on.events()).not.toContain("ResourceDeleted");
  on.writes();
  await on.pass(60_000);
  expect(on.writes()).toEqual([]);
  on.server.faults.clear();
  await on.pass(11_000);
  expect(await on.says("WorkersConnected")).toMatch(/worker Job was deleted$/);
  expect(await on.says("TestCompleted")).toBe("False TestInProgress Test is running");
});

test("what the master said is not said of it any more once it is not read", async () => {
  on = await running();
  on.tell({ condition: { status: "True", reason: "Polling", message: "Reading the Locust web API" } });
  await on.poke();
  expect(await on.says("TelemetryAvailable")).toMatch(/^True Polling/);
  await on.halt();
  on.server.faults.add({ match: { verbs: ["get"], resource: "jobs" }, effect: { status: 403, message: "no jobs" } });
  await remove(on, "worker");
  await on.restart();
  expect(await on.says("TelemetryAvailable")).toBe("Unknown ReadFailed no jobs");
  on.server.faults.clear();
  await on.pass(11_000);
  expect(await on.says("TelemetryAvailable")).toMatch(/^True Polling/);
  await on.job("master", ended("Complete", on.clock.now()));
  expect(await on.says("TelemetryAvailable")).toBe(
    "Unknown TestFinished The test is over, and its web API is not read any more",
  );
  expect(await on.says("PodsHealthy")).not.toContain("are healthy");
});

test("a Service that is missing in an old cache only was not deleted", async () => {
  on = await running();
  await on.halt();
  const match = { verbs: ["list"], resource: "services" };
  const { resourceVersion } = await on.client.list(Service, { namespace });
  const body = JSON.stringify({ kind: "ServiceList", apiVersion: "v1", metadata: { resourceVersion }, items: [] });
  on.server.faults.add({ match: { ...match, verbs: ["watch"] }, times: 1, effect: { status: 422, reason: "Invalid" } });
  on.server.faults.add({ match, effect: { status: 200, body } });
  await on.restart();
  await on.poke();
  expect(await on.events()).not.toContain("ResourceDeleted");
  on.server.faults.clear();
});

test.each([
  ["Foreground", "Background", "its resources go with it"],
  ["Orphan", "Orphan", "its resources stay, as that was asked for"],
] as const)("the Event of a deletion (%s) says what becomes of its resources", async (_name, propagation, words) => {
  on = await running();
  await on.client.delete(LocustTest, demo, { propagation });
  await on.pass(1000);
  expect(await on.told("Deleting")).toEqual([`The test is being deleted; ${words}`]);
});

test("workers that are counted by their pods are missed by their pods", async () => {
  on = await running();
  on.tell(undefined);
  await on.job("worker", { active: 3, ready: 3 });
  expect(await on.says("WorkersConnected")).toMatch(/^True/);
  await on.job("worker", { active: 3, ready: 2 });
  expect(await on.told("WorkersMissing")).toEqual([
    "2/3 workers connected (ready worker pods: the Locust web API was not read)",
  ]);
});

test("a test that ends before its pods were seen does not say that they are starting", async () => {
  on = await pending();
  await on.job("master", ended("Complete", on.clock.now()));
  expect((await on.status()).phase).toBe("Succeeded");
  expect(await on.says("PodsHealthy")).toMatch(/^Unknown TestFinished/);
});

test("when the master ran is said also where its pods are seen only after the end, and nothing else changes", async () => {
  on = await pending();
  await on.job("master", ended("Complete", on.clock.now()));
  const before = await on.status();
  expect(before).toMatchObject({ phase: "Succeeded" });
  expect(before).not.toHaveProperty("masterStartTime");
  const told = await on.events();
  const pod = (name: string, startedAt: string) => {
    const state = { terminated: { exitCode: 0, startedAt, finishedAt: formatTime(on.clock.now()) } };
    const containerStatuses = [{ name: "demo-master", image: "", imageID: "", ready: false, restartCount: 0, state }];
    return on.pod("master", name, { phase: "Succeeded", containerStatuses });
  };
  const ran = formatTime(plus(on.clock.now(), -30_000));
  await pod("demo-master-0", ran);
  await on.pass(2000);
  expect(await on.status()).toEqual({ ...before, masterStartTime: ran });
  expect(await on.events()).toEqual(told);
  await pod("demo-master-1", formatTime(plus(on.clock.now(), -300_000)));
  await on.pass(2000);
  await on.restart();
  expect(await on.status()).toEqual({ ...before, masterStartTime: ran });
});

describe("a load that was less than it should have been", () => {
  const short = { loadLength: "short", progress: { runTime: "1m0s", duration: "45s", state: "stopped" } } as const;
  const finish = () => on.job("master", ended("Complete", on.clock.now()));

  test("succeeds by the exit code of its master, and says so", async () => {
    on = await running();
    on.tell({ ...short, lostWorkers: 1 });
    await finish();
    expect(await on.status()).toMatchObject({ phase: "Succeeded", lostWorkers: 1 });
    const cause = "the load ended before its run time: 45s of 1m0s; 1 of 3 workers lost while there was load";
    expect(await on.says("TestCompleted")).toBe(`True TestSucceeded Test completed successfully (warning: ${cause})`);
    expect(await on.says("LoadComplete")).toBe(`False RanShort ${cause.replace("the", "The")}`);
    expect(await on.told("TestInterrupted")).toEqual([cause.replace("the", "The")]);
  });

  test("fails where the spec asks for the whole load", async () => {
    on = await stage();
    await on.make({ successCriteria: "FullLoad" });
    on.tell({ lostWorkers: 1, loadLength: "whole", progress: { runTime: "1m0s", duration: "1m0s" } });
    await on.job("master", { active: 1 });
    expect(await on.says("LoadComplete")).toBe("False WorkersLost 1 of 3 workers lost while there was load");
    await finish();
    expect((await on.status()).phase).toBe("Failed");
    expect(await on.says("TestCompleted")).toBe(
      "True TestFailed Test failed: 1 of 3 workers lost while there was load",
    );
  });

  test("is not assumed where it was not seen, and a test that asks for it says that", async () => {
    on = await stage();
    await on.make({ successCriteria: "FullLoad" });
    await on.job("master", { active: 1 });
    await finish();
    expect((await on.status()).phase).toBe("Succeeded");
    expect(await on.says("TestCompleted")).toContain("(warning: whether the load was complete is not known)");
    expect(await on.says("LoadComplete")).toMatch(/^Unknown LoadUnknown/);
  });

  test("is judged by the spec as it is at the end, and to change that is no drift", async () => {
    on = await running();
    await edit(on, { successCriteria: "FullLoad" });
    await on.pass(100);
    expect(await on.says("SpecDrifted")).toBe("");
    on.tell(short);
    await finish();
    expect((await on.status()).phase).toBe("Failed");
  });

  test("was complete where it ran for its run time", async () => {
    on = await running();
    on.tell({ loadLength: "whole", progress: { runTime: "1m0s", duration: "1m0s", state: "stopped" } });
    await finish();
    expect(await on.says("LoadComplete")).toBe(
      "True LoadComplete The load ran for 1m0s of 1m0s, and no worker was seen to be lost",
    );
  });

  test("is open again for a test that is made again", async () => {
    on = await running({ config: { ...standardConfig, onJobDeleted: "Recreate" } });
    on.tell({ lostWorkers: 1 });
    await on.poke();
    expect(await on.says("LoadComplete")).toMatch(/^False WorkersLost/);
    on.tell(undefined);
    await on.client.delete(Job, { name: "demo-master", namespace }, { propagation: "Background" });
    await on.pass(10_000);
    expect(await on.says("LoadComplete")).toMatch(/^Unknown LoadContinues/);
    expect(await on.client.get(LocustTest, demo.name, { namespace })).not.toHaveProperty("status.lostWorkers");
  });
});
