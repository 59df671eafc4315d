// Claims and volumes on the embedded server, from the first to the last.
import { CoreEvent, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, test } from "vitest";
import { volumeControllers } from "../src/volume/controllers.ts";
import { type Cluster, cluster } from "./cluster.ts";

const namespace = "default";
const background = { propagation: "Background" } as const;
let it: Cluster;
afterEach(() => it.end());

const made = (name: string, spec: Partial<PersistentVolumeClaim["spec"]> = {}): Promise<PersistentVolumeClaim> =>
  it.client.create(PersistentVolumeClaim, {
    metadata: { name, namespace },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  });
const volume = (name: string, spec: Partial<PersistentVolume["spec"]> = {}): Promise<PersistentVolume> =>
  it.client.create(PersistentVolume, {
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/data" },
      ...spec,
    },
  });
const storageClass = (name: string, more: Partial<StorageClass> = {}): Promise<StorageClass> =>
  it.client.create(StorageClass, { metadata: { name }, provisioner: "telltale.dev/local", ...more });
const claim = (name: string) => it.client.get(PersistentVolumeClaim, name, { namespace });
const phases = async () => {
  const { items } = await it.client.list(PersistentVolume);
  return Object.fromEntries(items.map(({ metadata, status }) => [metadata?.name, status?.phase]));
};
const events = async () => {
  const { items } = await it.client.list(CoreEvent, { namespace });
  return items.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
};
const mounting = (name: string, claimName: string): Promise<Pod> =>
  it.client.create(Pod, {
    metadata: { name, namespace },
    spec: {
      containers: [{ name: "main", image: "example.test/app:1" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  });

describe("a claim that names no class", () => {
  test("gets the standard one, and a volume of it at once", async () => {
    it = await cluster(volumeControllers({ folder: "/somewhere" }));
    const { metadata } = await made("data");
    await it.pass();
    const name = `pvc-${metadata?.uid}`;
    expect(await claim("data")).toMatchObject({
      metadata: {
        annotations: { "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" },
      },
      spec: { storageClassName: "standard", volumeName: name },
      status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } },
    });
    const made_ = await it.client.get(PersistentVolume, name);
    expect(made_.metadata?.annotations).toEqual({ "pv.kubernetes.io/provisioned-by": "telltale.dev/local" });
    expect(made_.spec).toMatchObject({
      storageClassName: "standard",
      persistentVolumeReclaimPolicy: "Delete",
      capacity: { storage: "1Gi" },
      hostPath: { path: `/somewhere/${name}`, type: "DirectoryOrCreate" },
      claimRef: { kind: "PersistentVolumeClaim", namespace, name: "data", uid: metadata?.uid },
    });
    expect(made_.status?.phase).toBe("Bound");
    expect(await events()).toEqual([
      `Normal ProvisioningSucceeded Successfully provisioned volume ${name} using telltale.dev/local`,
    ]);
  });

  test("stays pending where there is no class, and is bound when one comes", async () => {
    it = await cluster(volumeControllers({ defaultClass: "none" }));
    await made("data");
    await it.pass();
    expect((await claim("data")).status).toEqual({ phase: "Pending" });
    expect(await events()).toEqual([
      "Normal FailedBinding no persistent volumes available for this claim and no storage class is set",
    ]);
    await storageClass("late", {
      metadata: { name: "late", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    });
    await it.pass();
    expect((await claim("data")).status?.phase).toBe("Bound");
    expect((await claim("data")).spec?.storageClassName).toBe("late");
  });

  test("and is deleted while pending, goes", async () => {
    it = await cluster(volumeControllers({ defaultClass: "none" }));
    await made("data");
    await it.pass();
    await it.client.delete(PersistentVolumeClaim, { name: "data", namespace }, background);
    await it.pass();
    expect((await it.client.list(PersistentVolumeClaim, { namespace })).items).toEqual([]);
  });
});

test("the standard class comes at the start only", async () => {
  it = await cluster(volumeControllers());
  const names = async () => (await it.client.list(StorageClass)).items.map(({ metadata }) => metadata?.name);
  expect(await names()).toEqual(["standard"]);
  await it.client.delete(StorageClass, { name: "standard" }, background);
  await it.pass(1000);
  expect(await names()).toEqual([]);
  await it.restart(volumeControllers());
  expect(await names()).toEqual(["standard"]);
});

describe("volumes that are there", () => {
  test("become available, and the smallest that fits is taken as soon as it comes", async () => {
    it = await cluster(volumeControllers());
    await made("data", { storageClassName: "" });
    await it.pass();
    await volume("other", { storageClassName: "slow" });
    await volume("small", { capacity: { storage: "1Mi" } });
    await it.pass();
    expect(await phases()).toEqual({ other: "Available", small: "Available" });
    await volume("large", { capacity: { storage: "5Gi" } });
    await it.pass();
    expect(await phases()).toEqual({ other: "Available", small: "Available", large: "Bound" });
    expect((await claim("data")).status).toMatchObject({ phase: "Bound", capacity: { storage: "5Gi" } });
  });

  test("are never given to two claims", async () => {
    it = await cluster(volumeControllers());
    for (let i = 0; i < 5; i += 1) await made(`c${i}`, { storageClassName: "" });
    for (let i = 0; i < 3; i += 1) await volume(`v${i}`);
    await it.pass(60_000);
    const { items } = await it.client.list(PersistentVolumeClaim, { namespace });
    const taken = items.flatMap(({ spec }) => spec?.volumeName ?? []);
    expect(taken.toSorted()).toEqual(["v0", "v1", "v2"]);
    expect(items.map(({ status }) => status?.phase).toSorted()).toEqual([
      "Bound",
      "Bound",
      "Bound",
      "Pending",
      "Pending",
    ]);
  });

  test("are kept for the claim that they name, and taken by the claim that names them", async () => {
    it = await cluster(volumeControllers());
    await volume("kept", { claimRef: { namespace, name: "wanted" } });
    await volume("named");
    await made("other", { storageClassName: "", volumeName: "named" });
    await made("wanted", { storageClassName: "" });
    await it.pass();
    expect((await claim("wanted")).spec?.volumeName).toBe("kept");
    expect((await claim("other")).metadata?.annotations).toEqual({ "pv.kubernetes.io/bind-completed": "yes" });
    expect(await phases()).toEqual({ kept: "Bound", named: "Bound" });
  });
});

describe("a claim that is gone", () => {
  test("takes a generated volume with it, after what is in it was removed", async () => {
    const removed: string[] = [];
    it = await cluster(
      volumeControllers({
        reclaim: async ({ metadata, status }) => {
          removed.push(`${metadata?.name} ${status?.phase}`);
        },
      }),
    );
    const { metadata } = await made("data");
    await it.pass();
    await it.client.delete(PersistentVolumeClaim, { name: "data", namespace }, background);
    await it.pass(1000);
    expect(await phases()).toEqual({});
    expect(removed).toEqual([`pvc-${metadata?.uid} Released`]);
  });

  test("releases a volume that is to be retained, and the next claim of the name does not get it", async () => {
    it = await cluster(volumeControllers());
    await volume("pv");
    await made("data", { storageClassName: "" });
    await it.pass();
    await it.client.delete(PersistentVolumeClaim, { name: "data", namespace }, background);
    await it.pass(1000);
    expect(await phases()).toEqual({ pv: "Released" });
    await made("data", { storageClassName: "" });
    await it.pass(1000);
    expect((await claim("data")).status?.phase).toBe("Pending");
    await it.client.patch(PersistentVolume, { name: "pv" }, { merge: { spec: { claimRef: null } } });
    await it.pass(1000);
    expect((await claim("data")).status?.phase).toBe("Bound");
  });

  test("while a pod uses it, is still there, and so is its volume", async () => {
    it = await cluster(volumeControllers());
    await made("data");
    await mounting("web", "data");
    await it.pass();
    await it.client.delete(PersistentVolumeClaim, { name: "data", namespace }, background);
    await it.pass(1000);
    expect(Object.values(await phases())).toEqual(["Bound"]);
    await it.client.delete(Pod, { name: "web", namespace }, { ...background, gracePeriodSeconds: 0 });
    await it.pass(1000);
    expect(await phases()).toEqual({});
  });
});

test("a claim whose volume is taken away by force is lost", async () => {
  it = await cluster(volumeControllers());
  const { metadata } = await made("data");
  await it.pass();
  const name = `pvc-${metadata?.uid}`;
  await it.client.delete(PersistentVolume, { name }, background);
  await it.client.patch(PersistentVolume, { name }, { merge: { metadata: { finalizers: null } } });
  await it.pass(1000);
  expect((await claim("data")).status).toEqual({ phase: "Lost" });
  expect(await events()).toContain(
    "Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!",
  );
});

test("a claim that waits for a pod is bound when one wants it", async () => {
  it = await cluster(volumeControllers());
  await storageClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
  await made("data", { storageClassName: "late" });
  await it.pass(60_000);
  expect((await claim("data")).status?.phase).toBe("Pending");
  expect(await events()).toEqual([
    "Normal WaitForFirstConsumer waiting for first consumer to be created before binding",
  ]);
  await mounting("web", "data");
  await it.pass();
  expect((await claim("data")).status?.phase).toBe("Bound");
});

test("a volume that somebody deletes stays until its claim is gone", async () => {
  it = await cluster(volumeControllers());
  await volume("pv");
  await made("data", { storageClassName: "" });
  await it.pass();
  await it.client.delete(PersistentVolume, { name: "pv" }, background);
  await it.pass(1000);
  expect(await phases()).toEqual({ pv: "Bound" });
  await it.client.delete(PersistentVolumeClaim, { name: "data", namespace }, background);
  await it.pass(1000);
  expect(await phases()).toEqual({});
});

test("a volume whose claim took another is free again, or gone where it was made for it", async () => {
  it = await cluster(volumeControllers());
  const { metadata } = await made("data", { storageClassName: "" });
  await volume("taken");
  await it.pass();
  const claimRef = { kind: "PersistentVolumeClaim", namespace, name: "data", uid: metadata?.uid ?? "" };
  const annotations = { "pv.kubernetes.io/bound-by-controller": "yes" };
  const spec = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" }, claimRef };
  await it.client.create(PersistentVolume, { metadata: { name: "second", annotations }, spec });
  const made_ = { "pv.kubernetes.io/provisioned-by": "telltale.dev/local" };
  await it.client.create(PersistentVolume, { metadata: { name: "third", annotations: made_ }, spec });
  await it.pass(1000);
  expect(await phases()).toEqual({ taken: "Bound", second: "Available" });
});

test("a volume is not taken away because its claim has not been heard of yet", async () => {
  it = await cluster([]);
  it.server.faults.add({
    match: { resource: "persistentvolumeclaims", verbs: ["watch"] },
    effect: { watch: { delayMs: 5000 } },
  });
  await it.restart(volumeControllers());
  await it.pass(10_000);
  const { metadata } = await made("data", { storageClassName: "", volumeName: "pv" });
  const claimRef = { kind: "PersistentVolumeClaim", namespace, name: "data", uid: metadata?.uid ?? "" };
  await volume("pv", { claimRef, persistentVolumeReclaimPolicy: "Delete" });
  await it.pass(1000);
  expect(await phases()).toEqual({ pv: "Bound" });
});

describe("a volume that lives and dies with its pod", () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const scratch = (): Promise<Pod> =>
    it.client.create(Pod, {
      metadata: { name: "web", namespace },
      spec: {
        containers: [{ name: "main", image: "example.test/app:1" }],
        volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: "b" } }, spec } } }],
      },
    });

  test("has a claim of the pod's, that goes with it", async () => {
    it = await cluster(volumeControllers());
    await scratch();
    await it.pass();
    const { metadata, status } = await claim("web-scratch");
    expect(metadata?.labels).toEqual({ a: "b" });
    expect(metadata?.ownerReferences).toMatchObject([{ kind: "Pod", name: "web", controller: true }]);
    expect(status?.phase).toBe("Bound");
    await it.client.delete(Pod, { name: "web", namespace }, { ...background, gracePeriodSeconds: 0 });
    await it.pass(1000);
    expect((await it.client.list(PersistentVolumeClaim, { namespace })).items).toEqual([]);
    expect(await phases()).toEqual({});
  });

  test("does not take a claim of that name that is not the pod's", async () => {
    it = await cluster(volumeControllers());
    await made("web-scratch");
    await scratch();
    await it.pass();
    expect((await claim("web-scratch")).metadata?.ownerReferences).toBeUndefined();
    expect(await events()).toContain(
      "Warning FailedMount PVC default/web-scratch was not created for pod default/web (pod is not owner)",
    );
  });
});

test("a claim of somebody else's class is announced to them, and bound to what they make", async () => {
  it = await cluster(volumeControllers());
  await storageClass("disks", { provisioner: "example.com/disks" });
  const { metadata } = await made("data", { storageClassName: "disks" });
  await it.pass();
  expect((await claim("data")).metadata?.annotations).toEqual({
    "volume.beta.kubernetes.io/storage-provisioner": "example.com/disks",
    "volume.kubernetes.io/storage-provisioner": "example.com/disks",
  });
  const claimRef = {
    kind: "PersistentVolumeClaim",
    namespace,
    name: "data",
    ...(metadata?.uid ? { uid: metadata.uid } : {}),
  };
  await volume("theirs", { storageClassName: "disks", claimRef });
  await it.pass();
  expect((await claim("data")).spec?.volumeName).toBe("theirs");
  expect(await phases()).toEqual({ theirs: "Bound" });
});

test("a larger request makes the volume larger, and the claim says so", async () => {
  it = await cluster(volumeControllers());
  const { metadata } = await made("data");
  await it.pass();
  await it.client.patch(
    PersistentVolumeClaim,
    { name: "data", namespace },
    { merge: { spec: { resources: { requests: { storage: "3Gi" } } } } },
  );
  await it.pass();
  expect((await claim("data")).status?.capacity).toEqual({ storage: "3Gi" });
  expect((await it.client.get(PersistentVolume, `pvc-${metadata?.uid}`)).spec?.capacity).toEqual({ storage: "3Gi" });
});

test("lost answers make no second volume, and every claim is bound in the end", async () => {
  it = await cluster(volumeControllers());
  for (const resource of ["persistentvolumes", "persistentvolumeclaims"]) {
    const match = { verbs: ["create", "patch"], resource, probability: 0.3 };
    it.server.faults.add({
      match: { ...match, userAgent: /kube-controller-manager/ },
      effect: { status: 500, commit: true },
    });
    it.server.faults.add({ match: { ...match, userAgent: /kube-controller-manager/ }, effect: { conflictOnce: true } });
  }
  for (let i = 0; i < 20; i += 1) await made(`c${i}`);
  await it.pass(600_000);
  it.server.faults.clear();
  await it.pass(600_000);
  const { items } = await it.client.list(PersistentVolumeClaim, { namespace });
  expect(items.map(({ status }) => status?.phase)).toEqual(Array(20).fill("Bound"));
  expect(Object.values(await phases())).toEqual(Array(20).fill("Bound"));
});

test("once settled, nothing is written and nobody wakes", async () => {
  it = await cluster(volumeControllers());
  await made("data");
  await made("never", { storageClassName: "gone" });
  await volume("spare");
  await it.pass(1000);
  it.writes();
  it.passes();
  await it.pass(3_600_000);
  expect(it.writes()).toEqual([]);
  expect(it.passes()).toBe(0);
  await it.restart(volumeControllers());
  await it.pass(1000);
  expect(it.writes()).toEqual([]);
});
