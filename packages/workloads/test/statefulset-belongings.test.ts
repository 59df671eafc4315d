// What belongs to a StatefulSet beside its pods: revisions and claims, and what it finds without an owner.
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import type { Cluster } from "./cluster.ts";
import { setOf } from "./members.ts";
import {
  begun,
  change,
  create,
  db,
  endAll,
  fresh,
  image,
  members,
  place,
  remove,
  revisions,
  type Spec,
  said,
  statusOf,
  storage,
} from "./stateful.ts";
import { type Fate, sweep } from "./sweep.ts";

afterEach(endAll);

describe("the history", () => {
  test("has a revision for each template, and goes back to one with a higher number", async () => {
    const it = await begun({ replicas: 1 });
    const [one] = await revisions(it);
    await change(it, image(2));
    await sweep(it);
    await change(it, image(1));
    await sweep(it);
    const all = await revisions(it);
    expect(all.map(({ revision }) => revision)).toEqual([2, 3]);
    expect(all[1]?.metadata).toMatchObject({ name: one?.metadata?.name, uid: one?.metadata?.uid });
    expect(await statusOf(it)).toMatchObject({ currentRevision: one?.metadata?.name });
    expect(await members(it)).toEqual(["db-0:1"]);
  });

  test("is cut when an update is complete, and what a pod still is stays", async () => {
    const it = await begun({ replicas: 1, revisionHistoryLimit: 1, updateStrategy: { type: "OnDelete" } });
    for (const tag of [2, 3, 4]) {
      await change(it, image(tag));
      await sweep(it);
    }
    expect((await revisions(it)).map(({ revision }) => revision)).toEqual([1, 3, 4]);
    await change(it, { updateStrategy: { type: "RollingUpdate" } });
    await sweep(it);
    expect((await revisions(it)).map(({ revision }) => revision)).toEqual([3, 4]);
  });

  test("keeps what a pod is of, also where that is neither what was nor what is to be", async () => {
    const it = await begun({ replicas: 2, revisionHistoryLimit: 0 });
    const broken: Fate = (pod) => (pod.spec?.containers[0]?.image?.endsWith(":2") ? "unready" : undefined);
    for (const tag of [2, 3]) {
      await change(it, image(tag));
      await sweep(it, broken);
    }
    expect((await revisions(it)).map(({ revision }) => revision)).toEqual([1, 2, 3]);
    await remove(it, "db-1");
    await sweep(it, broken);
    expect((await revisions(it)).map(({ revision }) => revision)).toEqual([3]);
  });

  test("takes another name where its own is taken, and counts it", async () => {
    const it = await begun({ replicas: 1 });
    const [mine] = await revisions(it);
    const name = mine?.metadata?.name ?? "";
    await it.client.delete(StatefulSet, db, { propagation: "Background" });
    await sweep(it);
    await it.client.create(ControllerRevision, {
      metadata: { name, ...place },
      revision: 9,
      data: { other: true } as never,
    });
    await create(it, { replicas: 1 });
    await sweep(it);
    const status = await statusOf(it);
    expect(status).toMatchObject({ collisionCount: 1, replicas: 1, readyReplicas: 1 });
    expect(status?.currentRevision).not.toBe(name);
    expect((await it.client.get(ControllerRevision, name, place)).revision).toBe(9);
  });
});

describe("pods and revisions without an owner", () => {
  test("are taken in by a set of the same name and template, and no pod is made", async () => {
    const it = await begun({ replicas: 1 });
    await it.client.delete(StatefulSet, db, { propagation: "Orphan" });
    await sweep(it);
    it.writes();
    const before = await it.client.get(Pod, "db-0", place);
    await create(it, { replicas: 1 });
    await sweep(it);
    const [after, set] = [await it.client.get(Pod, "db-0", place), await it.client.get(StatefulSet, "db", place)];
    expect(after.metadata?.uid).toBe(before.metadata?.uid);
    expect(after.metadata?.ownerReferences).toMatchObject([{ uid: set.metadata?.uid, controller: true }]);
    expect(it.writes().filter((line) => line.startsWith("POST"))).toEqual([]);
    expect(set.status).toMatchObject({ replicas: 1, readyReplicas: 1, currentReplicas: 1, collisionCount: 0 });
  });

  test("that only look alike are left alone", async () => {
    const it = await fresh();
    const { spec } = setOf().spec?.template ?? {};
    const stranger = {
      metadata: { name: "other-0", ...place, labels: { app: "db" } },
      ...(spec === undefined ? {} : { spec }),
    };
    await it.client.create(Pod, stranger);
    await create(it, { replicas: 1 });
    await sweep(it);
    expect((await it.client.get(Pod, "other-0", place)).metadata?.ownerReferences).toBeUndefined();
    expect(await statusOf(it)).toMatchObject({ replicas: 1 });
  });

  test("that have a member's name are waited for, without an Event", async () => {
    const it = await begun({ replicas: 1 });
    await it.client.patch(Pod, { name: "db-0", ...place }, { merge: { metadata: { labels: { app: "mine" } } } });
    await sweep(it);
    expect((await it.client.get(Pod, "db-0", place)).metadata?.ownerReferences).toBeUndefined();
    expect(await statusOf(it)).toMatchObject({ replicas: 0 });
    expect(await said(it, "FailedCreate")).toEqual([]);
    await remove(it, "db-0");
    await sweep(it);
    await it.pass(120_000); // nothing tells that the name is free: it is tried later and later
    await sweep(it);
    expect(await statusOf(it)).toMatchObject({ replicas: 1, readyReplicas: 1 });
  });
});

describe("claims", () => {
  const claims = async ({ client }: Cluster) =>
    (await client.list(PersistentVolumeClaim, place)).items.map(
      ({ metadata }) => `${metadata?.name} of ${metadata?.ownerReferences?.[0]?.kind ?? "nobody"}`,
    );
  const withClaims = (whenDeleted: string, whenScaled: string): Partial<Spec> => ({
    replicas: 2,
    volumeClaimTemplates: [storage],
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  });

  test("come before their pods, and stay when pods and set go", async () => {
    const it = await begun(withClaims("Retain", "Retain"));
    const posts = it.writes().filter((line) => line.startsWith("POST"));
    expect(posts.map((line) => line.split("/").at(-1))).toEqual([
      "controllerrevisions",
      "persistentvolumeclaims",
      "pods",
      "persistentvolumeclaims",
      "pods",
    ]);
    await change(it, { replicas: 1 });
    await sweep(it);
    await it.client.delete(StatefulSet, db, { propagation: "Background" });
    await sweep(it);
    expect(await claims(it)).toEqual(["data-db-0 of nobody", "data-db-1 of nobody"]);
    expect(await said(it, "SuccessfulCreate")).toContain("Create Claim data-db-1 Pod db-1 in StatefulSet db success");
  });

  test("go with the set, or with the member that is not wanted any more, where the set says so", async () => {
    const it = await begun(withClaims("Delete", "Delete"));
    expect(await claims(it)).toEqual(["data-db-0 of StatefulSet", "data-db-1 of StatefulSet"]);
    await change(it, { replicas: 1 });
    await it.pass(0);
    expect(await claims(it)).toEqual(["data-db-0 of StatefulSet", "data-db-1 of Pod"]);
    await sweep(it);
    const gone = await it.client.get(PersistentVolumeClaim, "data-db-1", place).catch(() => undefined);
    expect(gone === undefined || gone.metadata?.deletionTimestamp !== undefined).toBe(true);
    await change(it, { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" } });
    await sweep(it);
    expect((await claims(it))[0]).toBe("data-db-0 of nobody");
    expect(await said(it, "SuccessfulUpdate")).toEqual(["Update Pod db-0 in StatefulSet db successful"]);
  });

  test("that are on their way out keep the member waiting, which is said", async () => {
    const it = await begun(withClaims("Retain", "Retain"));
    const claim = { name: "data-db-1", ...place };
    await it.client.patch(PersistentVolumeClaim, claim, { merge: { metadata: { finalizers: ["example.test/hold"] } } });
    await it.client.delete(PersistentVolumeClaim, claim, { propagation: "Background" });
    await remove(it, "db-1");
    await sweep(it);
    expect(await members(it)).toEqual(["db-0:1"]);
    expect(await said(it, "FailedCreate")).toContain(
      "Create Pod db-1 in StatefulSet db failed error: pvc data-db-1 is being deleted",
    );
    await it.client.patch(PersistentVolumeClaim, claim, { merge: { metadata: { finalizers: null } } });
    await sweep(it);
    expect(await members(it)).toEqual(["db-0:1", "db-1:1"]);
  });
});
