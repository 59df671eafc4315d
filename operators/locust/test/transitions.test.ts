// Rows of the transition table (section 10.5) that no acceptance scenario has.
import { formatTime, plus } from "@telltale/kinds";
import { CoreEvent, Service } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { edit, hold, pending, put, remove, running, stickWorker, stopped, suspend } from "./deeds.ts";
import { ended, namespace, type Stage, stage } from "./stage.ts";

let on: Stage;
afterEach(() => on.end());

describe("before the start", () => {
  test("T10 a suspended master says so, and no pod is too late", async () => {
    on = await pending();
    await suspend(on, true);
    await on.pass(100);
    expect((await on.status()).phase).toBe("Pending");
    expect(await on.says("Ready")).toBe("False ResourcesSuspended Master Job is suspended");
    expect(await on.says("TestCompleted")).toBe("False TestInProgress Test is suspended");
    await stickWorker(on);
    await on.pass(700_000);
    expect((await on.status()).phase).toBe("Pending");
    expect(await on.says("PodsHealthy")).toBe("Unknown PodsStarting The master Job is suspended, and has no pods");
  });

  test("T12 an outcome that is not written yet is waited for", async () => {
    on = await pending();
    await on.job("master", { active: 0, succeeded: 1, startTime: formatTime(on.clock.now()) });
    await on.pass(60_000);
    expect((await on.status()).phase).toBe("Pending");
    await on.job("master", ended("Complete", on.clock.now()));
    expect((await on.status()).phase).toBe("Succeeded");
  });

  test("T14 a master that failed before it was seen gives its times", async () => {
    on = await pending();
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
    on = await pending();
    await on.halt();
    const [start, end] = [plus(on.clock.now(), -60_000), plus(on.clock.now(), -5000)];
    await hold(on, "master");
    await put(on, "master", { ...ended("Complete", end), startTime: formatTime(start) });
    await remove(on, "master");
    await on.restart();
    expect(await on.status()).toMatchObject({
      phase: "Succeeded",
      startTime: formatTime(start),
      completionTime: formatTime(end),
    });
  });

  test("T25a workers that failed are told of at once, and fail the test after 30 s", async () => {
    on = await pending();
    await on.job("worker", ended("Failed", on.clock.now(), "BackoffLimitExceeded"));
    expect((await on.status()).phase).toBe("Pending");
    expect(await on.says("WorkersConnected")).toBe(
      "False WaitingForWorkers 0/3 workers connected; worker Job failed: BackoffLimitExceeded",
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
    await edit(on, { worker: { replicas: 5 } });
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
    await edit(on, { worker: { replicas: 5 } });
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
    on = await pending();
    const match = { verbs: ["create"], resource: "services" };
    on.server.faults.add({ match, effect: { status: 503, message: "not now" } });
    await suspend(on, true);
    await on.client.delete(Service, { name: "demo-master", namespace }, { propagation: "Background" });
    await on.pass(1_200_000);
    expect((await on.status()).phase).toBe("Pending");
    expect(await on.says("Ready")).toBe("False ResourcesFailed Service demo-master: not now");
    await suspend(on, false);
    const conditions = [{ type: "Suspended", status: "False", lastTransitionTime: formatTime(on.clock.now()) }];
    await on.job("master", { conditions });
    await on.pass(890_000);
    expect((await on.status()).phase).toBe("Pending");
    await on.pass(20_000);
    expect((await on.status()).phase).toBe("Failed");
  });
});

test("T32 load that is seen when the time is up counts", async () => {
  on = await running();
  await stickWorker(on);
  await on.pass(590_000);
  on.tell({ progress: { state: "running", loadStartTime: formatTime(on.clock.now()) }, isLoaded: true });
  await on.pass(20_000);
  expect((await on.status()).phase).toBe("Running");
});

test("before everything is made as many workers are expected as the spec asks for", async () => {
  on = await stage();
  const effect = { status: 503, message: "not now" };
  const rule = on.server.faults.add({ match: { verbs: ["create"], resource: "services" }, effect });
  await on.make();
  expect((await on.status()).expectedWorkers).toBe(3);
  await edit(on, { worker: { replicas: 5 } });
  await on.pass(1500);
  expect((await on.status()).expectedWorkers).toBe(5);
  on.server.faults.remove(rule);
});

test.each([403, 503])(
  "S1 an end is told also where the Job cannot be stopped, as %i says, and it is stopped later",
  async (code) => {
    on = await running();
    await stickWorker(on);
    const rule = on.server.faults.add({ match: { verbs: ["patch"], resource: "jobs" }, effect: { status: code } });
    await on.pass(630_000);
    expect((await on.status()).phase).toBe("Failed");
    expect(await stopped(on)).toEqual([]);
    on.server.faults.remove(rule);
    await on.pass(61_000);
    expect(await stopped(on)).toEqual(["demo-worker"]);
  },
);
