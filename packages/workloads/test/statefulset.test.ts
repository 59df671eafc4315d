// What StatefulSets do where no recording shows it, as the notes on the recordings have it and as kube-controller-manager does.
import { isNotFound } from "@telltale/client";
import { Pod, StatefulSet } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import {
  begun,
  change,
  create,
  db,
  endAll,
  fresh,
  history,
  image,
  members,
  place,
  remove,
  revisions,
  said,
  statusOf,
  storage,
} from "./stateful.ts";
import { type Fate, sweep, sweepOnce } from "./sweep.ts";

afterEach(endAll);

describe("in order", () => {
  test("members come one by one, each when the one before is ready, and go the other way", async () => {
    const it = await fresh();
    const statuses = history(it);
    await create(it, { replicas: 3 });
    await sweep(it);
    expect(statuses.map(({ replicas, readyReplicas = 0 }) => `${readyReplicas}/${replicas}`)).toEqual([
      "0/0",
      "0/1",
      "1/2",
      "2/3",
      "3/3",
    ]);
    statuses.length = 0;
    await change(it, { replicas: 1 });
    await sweep(it);
    expect(await members(it)).toEqual(["db-0:1"]);
    expect(statuses.map(({ replicas, currentReplicas }) => `${currentReplicas}/${replicas}`)).toEqual([
      "3/3", // the new size
      "2/3", // one is going
      "1/2", // gone, and the next is going
      "1/1",
    ]);
    expect(await said(it, "SuccessfulDelete")).toEqual([
      "Delete Pod db-2 in StatefulSet db successful",
      "Delete Pod db-1 in StatefulSet db successful",
    ]);
  });

  test("an update that is stuck stays so when the template is put right, until the broken pod is deleted", async () => {
    const it = await begun({ replicas: 2 });
    const broken: Fate = (pod) => (pod.spec?.containers[0]?.image?.endsWith(":2") ? "unready" : undefined);
    await change(it, image(2));
    await sweep(it, broken);
    expect(await members(it)).toEqual(["db-0:1", "db-1:2"]);
    await change(it, image(3));
    await sweep(it, broken);
    expect(await members(it)).toEqual(["db-0:1", "db-1:2"]);
    const [one, , three] = (await revisions(it)).map(({ metadata }) => metadata?.name);
    expect(await statusOf(it)).toEqual({
      observedGeneration: 3,
      replicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      currentReplicas: 1,
      currentRevision: one,
      updateRevision: three,
      collisionCount: 0,
    });
    await remove(it, "db-1");
    await sweep(it, broken);
    expect(await members(it)).toEqual(["db-0:3", "db-1:3"]);
    expect(await statusOf(it)).toMatchObject({ currentRevision: three, currentReplicas: 2, updatedReplicas: 2 });
  });

  test("a member counts only when it was ready for long enough", async () => {
    const it = await fresh();
    await create(it, { replicas: 2, minReadySeconds: 30 });
    await sweep(it);
    expect(await statusOf(it)).toMatchObject({ replicas: 1, readyReplicas: 1, availableReplicas: 0 });
    await it.pass(30_000);
    expect(await statusOf(it)).toMatchObject({ replicas: 2, readyReplicas: 1, availableReplicas: 1 });
    await sweep(it);
    await it.pass(30_000);
    expect(await statusOf(it)).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2 });
  });
});

test("in parallel a stuck update is repaired", async () => {
  const broken: Fate = (pod) => (pod.spec?.containers[0]?.image?.endsWith(":2") ? "unready" : undefined);
  const it = await begun({ replicas: 2, podManagementPolicy: "Parallel" });
  await change(it, image(2));
  await sweep(it, broken);
  await change(it, image(3));
  await sweep(it, broken);
  expect(await members(it)).toEqual(["db-0:3", "db-1:3"]);
});

test("members that are deleted come back as the partition says", async () => {
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
  const it = await begun({ replicas: 2, updateStrategy });
  await change(it, image(2));
  await sweep(it);
  await remove(it, "db-0");
  await sweep(it);
  expect(await members(it)).toEqual(["db-0:1", "db-1:2"]);
  expect(await statusOf(it)).toMatchObject({ currentReplicas: 1, updatedReplicas: 1, readyReplicas: 2 });
});

test("other numbers are filled before those not wanted any more go", async () => {
  const it = await begun({ replicas: 2, ordinals: { start: 3 } });
  await change(it, { ordinals: { start: 4 } });
  await sweep(it);
  expect(await members(it)).toEqual(["db-4:1", "db-5:1"]);
});

test("what has succeeded is made again like what has failed", async () => {
  const it = await begun({ replicas: 1 });
  const before = await it.client.get(Pod, "db-0", place);
  await it.client.status.patch(Pod, { name: "db-0", ...place }, { merge: { status: { phase: "Succeeded" } } });
  await sweep(it);
  const after = await it.client.get(Pod, "db-0", place);
  expect(after.metadata?.uid).not.toBe(before.metadata?.uid);
  expect(await statusOf(it)).toMatchObject({ replicas: 1, readyReplicas: 1 });
});

test("a set that is going makes nothing new, and tells of its members until it is gone", async () => {
  const it = await begun({ replicas: 2 });
  await it.client.patch(
    Pod,
    { name: "db-0", ...place },
    { merge: { metadata: { finalizers: ["example.test/hold"] } } },
  );
  it.writes();
  await it.client.delete(StatefulSet, db, { propagation: "Foreground" });
  await sweepOnce(it);
  expect(await statusOf(it)).toMatchObject({ observedGeneration: 2, replicas: 1, readyReplicas: 1 });
  expect(it.writes().filter((line) => !line.endsWith("/status"))).toEqual([]);
  await it.client.patch(Pod, { name: "db-0", ...place }, { merge: { metadata: { finalizers: null } } });
  await sweep(it);
  await expect(statusOf(it)).rejects.toSatisfy(isNotFound);
});

describe("a refusal", () => {
  test("is said with the words of the server, the counts go on, and it is tried again", async () => {
    const it = await fresh();
    it.server.faults.add({
      match: { resource: "pods", verbs: ["create"], userAgent: /kube-controller-manager/ },
      times: 3,
      effect: { status: 403, reason: "Forbidden", message: 'pods "db-0" is forbidden: no' },
    });
    await create(it, { replicas: 1 });
    await it.pass(0);
    expect(await statusOf(it)).toMatchObject({ observedGeneration: 1, replicas: 0, collisionCount: 0 });
    await it.pass(60_000);
    await sweep(it);
    expect(await statusOf(it)).toMatchObject({ replicas: 1, readyReplicas: 1 });
    expect(await said(it, "FailedCreate")).toEqual([
      'Create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: no',
    ]);
  });
});

test("nothing is written once all is well", async () => {
  const it = await begun({ replicas: 3, volumeClaimTemplates: [storage] });
  it.writes();
  it.passes();
  await it.pass(3_600_000);
  expect(it.writes()).toEqual([]);
  expect(it.passes()).toBe(0);
  expect(it.complaints).toEqual([]);
});
