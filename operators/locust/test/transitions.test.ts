// Rows of the transition table (section 10.5) and rules around it that no acceptance scenario has.
import { formatTime, plus } from "@telltale/kinds";
import { CoreEvent, Job, Service } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { LocustTest } from "../src/kinds/locust-test.ts";
import { ended, namespace, type Stage, type StageOptions, stage } from "./stage.ts";

let on: Stage;
afterEach(() => on.end());

async function pending(options: StageOptions = {}): Promise<void> {
  on = await stage(options);
  await on.make();
}

async function running(options: StageOptions = {}): Promise<void> {
  await pending(options);
  on.tell({ connectedWorkers: 0, isLoaded: false });
  await on.job("worker", { active: 3, startTime: formatTime(on.clock.now()) });
  await on.job("master", { active: 1, startTime: formatTime(on.clock.now()) });
}

const demo = { name: "demo", namespace };
const jobOf = (role: "master" | "worker") => ({ name: `demo-${role}`, namespace });
const put = (role: "master" | "worker", status: NonNullable<Job["status"]>) =>
  on.client.status.patch(Job, jobOf(role), { merge: { status } });
const remove = (role: "master" | "worker") => on.client.delete(Job, jobOf(role), { propagation: "Background" });
/** From now on it does not go away when it is deleted. */
const hold = (role: "master" | "worker") =>
  on.client.patch(Job, jobOf(role), { merge: { metadata: { finalizers: ["example.test/hold"] } } });
const release = (role: "master" | "worker") =>
  on.client.patch(Job, jobOf(role), { merge: { metadata: { finalizers: null } } });
const edit = (spec: object) => on.client.patch(LocustTest, demo, { merge: { spec } });
const suspend = (is: boolean) => on.client.patch(Job, jobOf("master"), { merge: { spec: { suspend: is } } });
const posts = () => on.writes().filter((line) => line.startsWith("POST"));

describe("a Job that is being deleted, and is still there", () => {
  test("T20 has a result that counts", async () => {
    await running();
    await on.halt();
    await hold("master");
    await put("master", ended("Complete", on.clock.now()));
    await remove("master");
    await on.restart();
    expect((await on.status()).phase).toBe("Succeeded");
    expect(await on.events()).not.toContain("ResourceDeleted");
  });

  test("T21 without a result is lost at once", async () => {
    await running();
    await hold("master");
    await remove("master");
    await on.pass(100);
    expect(await on.says("TestCompleted")).toBe(
      "True TestFailed Test failed: master Job was deleted before its result was recorded",
    );
    expect(await on.told("ResourceDeleted")).toEqual(["The master Job was deleted"]);
  });

  test("T28 fails a running test after 30 s if it is the workers', however long it stays", async () => {
    await running();
    await hold("worker");
    await remove("worker");
    await on.pass(100);
    expect(await on.says("WorkersConnected")).toMatch(/^False WorkersMissing .*worker Job was deleted/);
    expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
    await on.pass(29_000);
    expect((await on.status()).phase).toBe("Running");
    await on.pass(2000);
    expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: worker Job was deleted");
  });

  test("T27 is not missed if its workers had done their work", async () => {
    await running();
    on.tell({ connectedWorkers: 3, isLoaded: false, isFrozen: true });
    await on.halt();
    await hold("worker");
    await put("worker", ended("Complete", on.clock.now()));
    await remove("worker");
    await on.restart();
    await on.pass(60_000);
    expect((await on.status()).phase).toBe("Running");
    expect(await on.says("WorkersConnected")).not.toContain("WorkersMissing");
    expect(await on.events()).not.toContain("ResourceDeleted");
  });

  test("T09 is waited for before the start, and made again", async () => {
    await pending();
    await hold("worker");
    await remove("worker");
    await on.pass(100);
    expect(await on.says("Ready")).toBe("False ResourcesCreating Recreating externally deleted resources");
    await release("worker");
    await on.pass(3000);
    expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
    expect(await on.told("ResourceDeleted")).toEqual(["The worker Job was deleted"]);
  });

  test("T04 fails the test if it never goes", async () => {
    await pending();
    await hold("worker");
    await remove("worker");
    await on.pass(899_000);
    expect((await on.status()).phase).toBe("Pending");
    await on.pass(2000);
    expect(await on.says("TestCompleted")).toBe(
      "True TestFailed Test failed: could not create Job demo-worker: the one that was deleted remains",
    );
  });
});

describe("a status that was lost", () => {
  const wipe = () => on.client.status.patch(LocustTest, demo, { merge: { status: null } });

  test("T01 T42 is told again by the resources, and a change of the spec since then is no reason to fail", async () => {
    await running();
    const { startTime } = await on.status();
    await on.halt();
    await wipe();
    await edit({ worker: { replicas: 5 } });
    on.writes();
    await on.restart();
    expect(await on.status()).toMatchObject({
      phase: "Running",
      startTime,
      appliedGeneration: 1,
      observedGeneration: 2,
      expectedWorkers: 3,
    });
    expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
    expect(await on.says("SpecDrifted")).toMatch(/^True SpecChangeIgnored/);
    await on.pass(1_000_000);
    expect((await on.status()).phase).toBe("Running");
    expect(posts()).toEqual([]);
  });

  test("T13 of a test that ended well is whole again", async () => {
    await running();
    await on.halt();
    await wipe();
    const [start, end] = [plus(on.clock.now(), -60_000), plus(on.clock.now(), -5000)];
    await put("master", { ...ended("Complete", end), startTime: formatTime(start) });
    await on.restart();
    expect(await on.status()).toMatchObject({
      phase: "Succeeded",
      startTime: formatTime(start),
      completionTime: formatTime(end),
    });
    expect(await on.says("Ready")).toBe("True ResourcesCreated All resources created");
  });
});

describe("before the start", () => {
  test("T10 a suspended master says so, and no pod is too late", async () => {
    await pending();
    await suspend(true);
    await on.pass(100);
    expect((await on.status()).phase).toBe("Pending");
    expect(await on.says("Ready")).toBe("False ResourcesSuspended Master Job is suspended");
    expect(await on.says("TestCompleted")).toBe("False TestInProgress Test is suspended");
    const state = { waiting: { reason: "ImagePullBackOff" } };
    const stuck = { name: "demo-worker", image: "", imageID: "", ready: false, restartCount: 0, state };
    await on.pod("worker", "w1", { phase: "Pending", containerStatuses: [stuck] });
    await on.pass(700_000);
    expect((await on.status()).phase).toBe("Pending");
    expect(await on.says("PodsHealthy")).toMatch(/^True PodsStarting/);
  });

  test("T12 an outcome that is not written yet is waited for", async () => {
    await pending();
    await on.job("master", { active: 0, succeeded: 1, startTime: formatTime(on.clock.now()) });
    await on.pass(60_000);
    expect((await on.status()).phase).toBe("Pending");
    await on.job("master", ended("Complete", on.clock.now()));
    expect((await on.status()).phase).toBe("Succeeded");
  });

  test("T14 a master that failed before it was seen gives its times", async () => {
    await pending();
    const [start, end] = [plus(on.clock.now(), -60_000), plus(on.clock.now(), -5000)];
    await on.job("master", { ...ended("Failed", end, "DeadlineExceeded"), startTime: formatTime(start) });
    expect(await on.status()).toMatchObject({
      phase: "Failed",
      startTime: formatTime(start),
      completionTime: formatTime(end),
    });
    expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: master Job failed (DeadlineExceeded)");
  });

  test("T20 a result that is deleted with its Job has its times", async () => {
    await pending();
    await on.halt();
    const [start, end] = [plus(on.clock.now(), -60_000), plus(on.clock.now(), -5000)];
    await hold("master");
    await put("master", { ...ended("Complete", end), startTime: formatTime(start) });
    await remove("master");
    await on.restart();
    expect(await on.status()).toMatchObject({
      phase: "Succeeded",
      startTime: formatTime(start),
      completionTime: formatTime(end),
    });
  });

  test("T25a workers that failed are told of at once, and fail the test after 30 s", async () => {
    await pending();
    await on.job("worker", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
    expect((await on.status()).phase).toBe("Pending");
    expect(await on.says("WorkersConnected")).toBe(
      "False WorkersMissing 0/3 workers connected; worker Job failed: BackoffLimitExceeded",
    );
    await on.pass(29_000);
    expect((await on.status()).phase).toBe("Pending");
    await on.pass(2000);
    expect(await on.says("TestCompleted")).toBe(
      "True TestFailed Test failed: worker Job failed (BackoffLimitExceeded)",
    );
    expect((await on.status()).startTime).toBeUndefined();
  });
});

describe("resources that cannot be made", () => {
  /** The first Job is made, no other. */
  const refuse = (status: number) =>
    on.server.faults.add({
      match: { verbs: ["create"], resource: "jobs", nth: (n) => n > 1 },
      effect: { status, message: "not now" },
    });

  test("T03b are made from a spec that was changed meanwhile, if nothing has begun", async () => {
    on = await stage();
    const rule = refuse(503);
    await on.make();
    await edit({ worker: { replicas: 5 } });
    on.server.faults.remove(rule);
    await on.pass(10_000);
    expect(await on.status()).toMatchObject({ phase: "Pending", appliedGeneration: 2, expectedWorkers: 5 });
    const made = [...(await on.jobs()), ...(await on.services())];
    expect(made.map(({ metadata }) => metadata?.annotations?.["locust.io/applied-generation"])).toEqual([
      "2",
      "2",
      "2",
    ]);
  });

  test("T03b T04 are given up after 900 s, if the master has begun with another spec", async () => {
    on = await stage();
    const rule = refuse(503);
    await on.make();
    await on.job("master", { active: 1 });
    await edit({ worker: { replicas: 5 } });
    on.server.faults.remove(rule);
    await on.pass(10_000);
    expect((await on.status()).phase).toBe("Running");
    expect(await on.says("Ready")).toBe("False ResourcesFailed spec changed while resources were being created");
    await on.pass(900_000);
    expect(await on.says("TestCompleted")).toBe(
      "True TestFailed Test failed: could not create resources: spec changed while resources were being created",
    );
  });

  test("are told of once for each cause", async () => {
    on = await stage();
    const rule = refuse(503);
    await on.make();
    await on.pass(800_000);
    expect(await on.told("CreateFailed")).toEqual(["Job demo-worker: not now"]);
    const { items } = await on.client.list(CoreEvent, { namespace });
    expect(items.find(({ reason }) => reason === "CreateFailed")?.count).toBe(1);
    on.server.faults.remove(rule);
  });

  test("have no time limit while the test is suspended, and all of it afterwards", async () => {
    await pending();
    const match = { verbs: ["create"], resource: "services" };
    on.server.faults.add({ match, effect: { status: 503, message: "not now" } });
    await suspend(true);
    await on.client.delete(Service, { name: "demo-master", namespace }, { propagation: "Background" });
    await on.pass(1_200_000);
    expect((await on.status()).phase).toBe("Pending");
    expect(await on.says("Ready")).toBe("False ResourcesFailed Service demo-master: not now");
    await suspend(false);
    const conditions = [{ type: "Suspended", status: "False", lastTransitionTime: formatTime(on.clock.now()) }];
    await on.job("master", { conditions });
    await on.pass(890_000);
    expect((await on.status()).phase).toBe("Pending");
    await on.pass(20_000);
    expect((await on.status()).phase).toBe("Failed");
  });
});

test.each(["pending", "running", "suspended"])(
  "all conditions of a test that is %s speak of the spec as it is",
  async (is) => {
    await (is === "pending" ? pending() : running());
    if (is === "suspended") await suspend(true);
    await edit({ worker: { replicas: 5 } });
    await on.pass(100);
    const { observedGeneration, conditions } = await on.status();
    expect(observedGeneration).toBe(2);
    expect(conditions?.map((it) => [it.type, it.observedGeneration])).toEqual(
      ["Ready", "WorkersConnected", "TestCompleted", "PodsHealthy", "TelemetryAvailable", "SpecDrifted"].map((type) => [
        type,
        2,
      ]),
    );
    expect(on.complaints).toEqual([]);
  },
);

describe.each(["Ready", "WorkersConnected", "PodsHealthy", "TestCompleted", "TelemetryAvailable"])(
  "nonsense that somebody else put into %s",
  (type) => {
    const spoil = async () => {
      const { conditions = [] } = await on.status();
      const spoilt = conditions.map((it) => (it.type === type ? { ...it, status: "Unknown", reason: "Spoilt" } : it));
      await on.client.status.patch(LocustTest, demo, { merge: { status: { conditions: spoilt } } });
    };
    const isWhole = async () => {
      expect(on.complaints).toEqual([]);
      expect(await on.says(type)).not.toContain("Spoilt");
    };

    test("goes with the next pass, before the start and while it runs", async () => {
      await pending();
      await spoil();
      await on.poke();
      await isWhole();
      await on.job("master", { active: 1 });
      await spoil();
      await on.poke();
      await isWhole();
    });

    test("goes at the end at the latest", async () => {
      await running();
      await spoil();
      await on.job("master", ended("Complete", on.clock.now()));
      await isWhole();
      expect((await on.status()).phase).toBe("Succeeded");
    });
  },
);

test("T32 load that is seen when the time is up counts", async () => {
  await running();
  const state = { waiting: { reason: "ImagePullBackOff" } };
  const stuck = { name: "demo-worker", image: "", imageID: "", ready: false, restartCount: 0, state };
  await on.pod("worker", "w1", { phase: "Pending", containerStatuses: [stuck] });
  await on.pass(590_000);
  on.tell({ progress: { state: "running", loadStartTime: formatTime(on.clock.now()) }, isLoaded: true });
  await on.pass(20_000);
  expect((await on.status()).phase).toBe("Running");
});

test("T28 workers that were deleted before the master was seen to run are missed from then on", async () => {
  await pending();
  await on.halt();
  await put("master", { active: 1, startTime: formatTime(on.clock.now()) });
  await remove("worker");
  await on.restart();
  expect((await on.status()).phase).toBe("Running");
  expect(await on.says("WorkersConnected")).toMatch(/^False WorkersMissing .*worker Job was deleted/);
  await on.pass(31_000);
  expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: worker Job was deleted");
  expect((await on.jobs()).map(({ metadata }) => metadata?.name)).toEqual(["demo-master"]);
});

test("before everything is made as many workers are expected as the spec asks for", async () => {
  on = await stage();
  const effect = { status: 503, message: "not now" };
  const rule = on.server.faults.add({ match: { verbs: ["create"], resource: "services" }, effect });
  await on.make();
  expect((await on.status()).expectedWorkers).toBe(3);
  await edit({ worker: { replicas: 5 } });
  await on.pass(1500);
  expect((await on.status()).expectedWorkers).toBe(5);
  on.server.faults.remove(rule);
});

test.each([403, 503])(
  "S1 an end is told also where the Job cannot be stopped, as %i says, and it is stopped later",
  async (code) => {
    await running();
    const state = { waiting: { reason: "ImagePullBackOff" } };
    const stuck = { name: "demo-worker", image: "", imageID: "", ready: false, restartCount: 0, state };
    await on.pod("worker", "w1", { phase: "Pending", containerStatuses: [stuck] });
    const rule = on.server.faults.add({ match: { verbs: ["patch"], resource: "jobs" }, effect: { status: code } });
    await on.pass(630_000);
    expect((await on.status()).phase).toBe("Failed");
    const stopped = async () =>
      (await on.jobs()).filter(({ spec }) => spec?.suspend === true).map(({ metadata }) => metadata?.name);
    expect(await stopped()).toEqual([]);
    on.server.faults.remove(rule);
    await on.pass(61_000);
    expect(await stopped()).toEqual(["demo-worker"]);
  },
);

test("T22 only what others deleted is told as deleted", async () => {
  await running({ config: { onJobDeleted: "Recreate" } });
  await remove("master");
  await on.pass(10_000);
  expect(await on.told("ResourceDeleted")).toEqual(["The master Job was deleted"]);
});

test("what was made is told also where its status met a conflict first", async () => {
  on = await stage();
  const match = { verbs: ["patch"], resource: "locusttests", subresource: "status" };
  on.server.faults.add({ match, times: 1, effect: { status: 409 } });
  await on.make();
  await on.pass(5000);
  expect([...(await on.told("Created"))].sort()).toEqual([
    "Created Job demo-master",
    "Created Job demo-worker",
    "Created Service demo-master",
  ]);
});
