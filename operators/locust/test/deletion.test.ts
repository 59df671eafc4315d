// Jobs that somebody deletes: while they are going, and once they are gone.
import { formatTime } from "@telltale/kinds";
import { afterEach, describe, expect, test } from "vitest";
import { hold, pending, put, release, remove, running } from "./deeds.ts";
import { ended, type Stage } from "./stage.ts";

let on: Stage;
afterEach(() => on.end());

describe("a Job that is being deleted, and is still there", () => {
  test("T20 has a result that counts", async () => {
    on = await running();
    await on.halt();
    await hold(on, "master");
    await put(on, "master", ended("Complete", on.clock.now()));
    await remove(on, "master");
    await on.restart();
    expect((await on.status()).phase).toBe("Succeeded");
    expect(await on.events()).not.toContain("ResourceDeleted");
  });

  test("T21 without a result is lost at once", async () => {
    on = await running();
    await hold(on, "master");
    await remove(on, "master");
    await on.pass(100);
    expect(await on.says("TestCompleted")).toBe(
      "True TestFailed Test failed: master Job was deleted before its result was recorded",
    );
    expect(await on.told("ResourceDeleted")).toEqual(["The master Job was deleted"]);
  });

  test("T28 fails a running test after 30 s if it is the workers', however long it stays", async () => {
    on = await running();
    await hold(on, "worker");
    await remove(on, "worker");
    await on.pass(100);
    expect(await on.says("WorkersConnected")).toMatch(/^False WaitingForWorkers .*worker Job was deleted/);
    expect(await on.says("Ready")).toBe("False ResourcesFailed Job demo-worker was deleted");
    await on.pass(29_000);
    expect((await on.status()).phase).toBe("Running");
    await on.pass(2000);
    expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: worker Job was deleted");
  });

  test("T27 is not missed if its workers had done their work", async () => {
    on = await running();
    on.tell({ connectedWorkers: 3, isLoaded: false, isFrozen: true });
    await on.halt();
    await hold(on, "worker");
    await put(on, "worker", ended("Complete", on.clock.now()));
    await remove(on, "worker");
    await on.restart();
    await on.pass(60_000);
    expect((await on.status()).phase).toBe("Running");
    expect(await on.says("WorkersConnected")).not.toContain("WorkersMissing");
    expect(await on.events()).not.toContain("ResourceDeleted");
  });

  test("T09 is waited for before the start, and made again", async () => {
    on = await pending();
    await hold(on, "worker");
    await remove(on, "worker");
    await on.pass(100);
    expect(await on.says("Ready")).toBe("False ResourcesCreating Recreating externally deleted resources");
    await release(on, "worker");
    await on.pass(3000);
    expect(await on.says("Ready")).toBe("False WaitingForPods Job demo-master has 0 of 1 pods");
    expect(await on.told("ResourceDeleted")).toEqual(["The worker Job was deleted"]);
  });

  test("T04 fails the test if it never goes", async () => {
    on = await pending();
    await hold(on, "worker");
    await remove(on, "worker");
    await on.pass(899_000);
    expect((await on.status()).phase).toBe("Pending");
    await on.pass(2000);
    expect(await on.says("TestCompleted")).toBe(
      "True TestFailed Test failed: could not create Job demo-worker: the one that was deleted remains",
    );
  });
});

test("T28 workers that were deleted before the master was seen to run are missed from then on", async () => {
  on = await pending();
  await on.halt();
  await put(on, "master", { active: 1, startTime: formatTime(on.clock.now()) });
  await remove(on, "worker");
  await on.restart();
  expect((await on.status()).phase).toBe("Running");
  expect(await on.says("WorkersConnected")).toMatch(/^False WaitingForWorkers .*worker Job was deleted/);
  await on.pass(31_000);
  expect(await on.says("TestCompleted")).toBe("True TestFailed Test failed: worker Job was deleted");
  expect((await on.jobs()).map(({ metadata }) => metadata?.name)).toEqual(["demo-master"]);
});

test("T22 only what others deleted is told as deleted", async () => {
  on = await running({ config: { onJobDeleted: "Recreate" } });
  await remove(on, "master");
  await on.pass(10_000);
  expect(await on.told("ResourceDeleted")).toEqual(["The master Job was deleted"]);
});
