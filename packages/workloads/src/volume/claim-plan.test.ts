import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { planOf, statusOf, type World } from "./claim-plan.ts";

const claim = (
  spec: Partial<PersistentVolumeClaim["spec"]> = {},
  annotations: Record<string, string> = {},
): PersistentVolumeClaim => ({
  metadata: { name: "data", namespace: "ns", uid: "u", annotations },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  status: { phase: "Pending" },
});
const volume = (
  spec: Partial<PersistentVolume["spec"]> = {},
  annotations: Record<string, string> = {},
): PersistentVolume => ({
  metadata: { name: "pv", annotations },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
  status: { phase: "Available" },
});
const ofClass = (more: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name: "standard" },
  provisioner: "telltale.dev/local",
  ...more,
});
const world = (it: Partial<World>): World => ({
  claim: claim(),
  volume: undefined,
  candidates: [],
  storageClass: undefined,
  defaultClass: undefined,
  isUsed: false,
  ...it,
});
const complete = { "pv.kubernetes.io/bind-completed": "yes" };
const mine = { claimRef: { namespace: "ns", name: "data", uid: "u" } };
const told = (it: Partial<World>) => {
  const plan = planOf(world(it));
  return "told" in plan ? `${plan.told.type} ${plan.told.reason}: ${plan.told.message}` : plan.do;
};

describe("a claim without a volume", () => {
  it("gets the default class where it names none, and none where it says so", () => {
    expect(planOf(world({ defaultClass: ofClass() }))).toEqual({ do: "classify", name: "standard" });
    expect(told({ claim: claim({ storageClassName: "" }), defaultClass: ofClass() })).toMatch(/^Normal FailedBinding/);
  });

  it("takes one that is there, before one is made", () => {
    const standard = claim({ storageClassName: "standard" });
    const there = volume({ storageClassName: "standard" });
    expect(planOf(world({ claim: standard, storageClass: ofClass(), candidates: [there] }))).toEqual({
      do: "bind",
      volume: there,
    });
    expect(planOf(world({ claim: standard, storageClass: ofClass() }))).toEqual({ do: "provision", of: ofClass() });
  });

  it("waits for a pod where its class says so", () => {
    const waiting = {
      claim: claim({ storageClassName: "standard" }),
      storageClass: ofClass({ volumeBindingMode: "WaitForFirstConsumer" }),
    };
    expect(told(waiting)).toBe("Normal WaitForFirstConsumer: waiting for first consumer to be created before binding");
    expect(told({ ...waiting, isUsed: true })).toBe("provision");
  });

  it("says why there is none", () => {
    expect(told({})).toBe(
      "Normal FailedBinding: no persistent volumes available for this claim and no storage class is set",
    );
    expect(told({ claim: claim({ storageClassName: "gone" }) })).toBe(
      'Warning ProvisioningFailed: storageclass.storage.k8s.io "gone" not found',
    );
    const local = ofClass({ provisioner: "kubernetes.io/no-provisioner" });
    expect(told({ claim: claim({ storageClassName: "standard" }), storageClass: local })).toBe(
      "Warning ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner",
    );
  });

  it("of somebody else's class is left to them", () => {
    const foreign = ofClass({ provisioner: "example.com/disks" });
    expect(planOf(world({ claim: claim({ storageClassName: "standard" }), storageClass: foreign }))).toMatchObject({
      do: "announce",
      provisioner: "example.com/disks",
      told: { type: "Normal", reason: "ExternalProvisioning" },
    });
  });
});

describe("a claim that names its volume", () => {
  const named = claim({ volumeName: "pv" });

  it("waits for it, and takes it when it is free or kept for it", () => {
    expect(planOf(world({ claim: named }))).toEqual({ do: "nothing" });
    expect(planOf(world({ claim: named, volume: volume() }))).toMatchObject({ do: "bind" });
    const kept = volume({ claimRef: { namespace: "ns", name: "data" } });
    expect(planOf(world({ claim: named, volume: kept }))).toMatchObject({ do: "bind" });
  });

  it("does not get one that does not fit, or that is another's", () => {
    expect(told({ claim: named, volume: volume({ capacity: { storage: "1Mi" } }) })).toBe(
      'Warning VolumeMismatch: Cannot bind to requested volume "pv": requested PV is too small',
    );
    expect(told({ claim: named, volume: volume({ claimRef: { namespace: "ns", name: "other" } }) })).toBe(
      'Warning FailedBinding: volume "pv" already bound to a different claim.',
    );
  });

  it("has begun to be bound, and is bound to the end", () => {
    expect(planOf(world({ claim: named, volume: volume(mine) }))).toMatchObject({ do: "bind" });
  });
});

describe("a claim that is bound", () => {
  const bound = claim({ volumeName: "pv", storageClassName: "standard" }, complete);

  it("shows what its volume has", () => {
    expect(planOf(world({ claim: bound, volume: volume(mine) }))).toEqual({ do: "nothing" });
    expect(statusOf(world({ claim: bound, volume: volume(mine) }))).toEqual({
      phase: "Bound",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
    });
  });

  it("is lost with its volume, and says so once", () => {
    expect(told({ claim: bound })).toBe(
      "Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
    expect(told({ claim: { ...bound, status: { phase: "Lost" } } })).toBe("nothing");
    expect(statusOf(world({ claim: { ...bound, status: { phase: "Bound", capacity: { storage: "1Gi" } } } }))).toEqual({
      phase: "Lost",
    });
  });

  it("is lost when its volume is another's", () => {
    const theirs = volume({ claimRef: { namespace: "ns", name: "data", uid: "other" } });
    expect(told({ claim: bound, volume: theirs })).toMatch(/^Warning ClaimMisbound/);
  });

  it("takes its volume back when somebody has freed it", () => {
    expect(planOf(world({ claim: bound, volume: volume() }))).toMatchObject({ do: "bind" });
  });

  it("grows where it asks for more, where we made the volume and the class allows it", () => {
    const more = claim({ ...bound.spec, resources: { requests: { storage: "2Gi" } } }, complete);
    const made = volume(mine, { "pv.kubernetes.io/provisioned-by": "telltale.dev/local" });
    const growing = { claim: more, volume: made, storageClass: ofClass({ allowVolumeExpansion: true }) };
    expect(planOf(world(growing))).toEqual({ do: "grow", volume: made, to: "2Gi" });
    expect(planOf(world({ ...growing, volume: volume(mine) }))).toEqual({ do: "nothing" });
    expect(planOf(world({ ...growing, storageClass: ofClass() }))).toEqual({ do: "nothing" });
    expect(planOf(world({ ...growing, claim: bound }))).toEqual({ do: "nothing" });
  });
});
