// Sets as people meet them: they grow, shrink, keep what they should, and say how far they are.

import { ControllerRevision, PersistentVolumeClaim } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VirtualMachine, VMSet } from "../src/kinds/index.ts";
import { namespace } from "./stage.ts";
import { type SetStage, setStage, template } from "./vm-set-stage.ts";

let at: SetStage;
beforeAll(async () => {
  at = await setStage();
});
afterAll(async () => {
  expect(at.complaints).toEqual([]);
  await at.end();
});

describe("growing and shrinking", () => {
  it("S35 ordered scale up: the next machine is made when the one before it is available", async () => {
    at.play({ fate: ({ metadata }) => (metadata.name === "web-1" ? 20_000 : 2_000) });
    await at.set("web", { replicas: 3 });
    await at.until(async () => (await at.machines()).length === 2);
    await at.pass(10_000);
    expect(at.order).toEqual(["+ web-0", "+ web-1"]);
    expect(await at.status("web")).toMatchObject({
      replicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      currentReplicas: 1,
    });
    expect(await at.says(VMSet, "web")).toBe("False CreatingReplicas 1/3 VMs ready");
    expect(await at.says(VMSet, "web", "Scaling")).toBe("True ScalingUp 2/3");
    await at.until(at.isReady("web"));
    expect(at.order).toEqual(["+ web-0", "+ web-1", "+ web-2"]);
    const status = await at.status("web");
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 3, selector: "app=web" });
    expect(status.currentRevision).toBe(status.updateRevision);
    const [hash] = await at.hashes();
    expect(status.vmStatus).toEqual(
      [0, 1, 2].map((i) => ({
        name: `web-${i}`,
        phase: "Running",
        ready: true,
        revision: hash,
        creationTime: expect.any(String),
        lastUpdateTime: expect.any(String),
      })),
    );
    expect(await at.says(VMSet, "web")).toBe("True AllReplicasReady 3/3 VMs ready");
    expect(await at.says(VMSet, "web", "Progressing")).toMatch(/^False AllReplicasReady/);
  });

  it("scaling down takes the highest first and waits until it is gone", async () => {
    at.order.length = 0;
    at.play({ going: 5_000 });
    await at.patch(VMSet, "web", { spec: { replicas: 1 } });
    await at.pass(3_000);
    expect(await at.says(VMSet, "web", "Scaling")).toMatch(/^True ScalingDown/);
    expect(await at.says(VMSet, "web")).toMatch(/^True/);
    await at.until(async () => (await at.machines()).length === 1);
    expect(at.order).toEqual(["- web-2", "- web-1"]);
    await at.over("web");
  });

  it.each(["OrderedReady", "Parallel"])(
    "scaling down (%s) takes first what is known to be down, and what is unknown not before it is known",
    async (podManagementPolicy) => {
      at.play({});
      at.order.length = 0;
      const updateStrategy = { rollingUpdate: { maxSurge: 0, podManagementPolicy } };
      await at.set("web", { replicas: 5, updateStrategy });
      await at.until(at.isReady("web"));
      at.order.length = 0;
      const away = {
        status: "Unknown",
        reason: "ProviderUnreachable",
        message: "connection refused",
        of: ["web-4"],
      } as const;
      const down = { reason: "Creating", message: "no boot device" };
      const fate = ({ metadata }: VirtualMachine) => (metadata.name === "web-2" ? down : 0);
      at.play({ fate, outage: away });
      await at.pass(3_000);
      await at.patch(VMSet, "web", { spec: { replicas: 2 } });
      await at.pass(60_000);
      expect(at.order).toEqual(["- web-2", "- web-3"]);
      const unknown = "the state of 1 VMs is not known: web-4 (ProviderUnreachable)";
      expect(await at.says(VMSet, "web", "Scaling")).toBe(`True ScalingDown 3/2 VMs; waits: ${unknown}`);
      expect(await at.says(VMSet, "web", "Progressing")).toBe(`False MachineStateUnknown Scale-down waits: ${unknown}`);
      expect(await at.says(VMSet, "web", "ReplicaFailure")).toBe(`Unknown MachineStateUnknown ${unknown}`);
      expect(await at.says(VMSet, "web")).toBe("True AllReplicasReady 2/2 VMs ready");
      at.play({});
      await at.until(async () => (await at.machines()).length === 2);
      expect(at.order).toEqual(["- web-2", "- web-3", "- web-4"]);
      expect(await at.says(VMSet, "web", "ReplicaFailure")).toMatch(/^False NoFailure/);
      await at.over("web");
    },
  );

  it("a set that is asked for more again before the provider is back has lost no machine of which nothing was known", async () => {
    await at.set("web", { replicas: 3 });
    await at.until(at.isReady("web"));
    at.order.length = 0;
    at.play({ outage: { status: "Unknown", reason: "ProviderUnreachable", message: "connection refused" } });
    await at.pass(3_000);
    await at.patch(VMSet, "web", { spec: { replicas: 1 } });
    await at.pass(60_000);
    await at.patch(VMSet, "web", { spec: { replicas: 3 } });
    await at.pass(3_000);
    at.play({});
    await at.until(at.isReady("web"));
    expect(at.order).toEqual([]);
    await at.over("web");
  });

  it("in parallel all are made at once, and all go at once", async () => {
    const rollingUpdate = { podManagementPolicy: "Parallel", maxSurge: 0 };
    at.play({ fate: () => 30_000, going: 5_000 });
    await at.set("web", { replicas: 5, updateStrategy: { rollingUpdate } });
    await at.pass(3_000);
    expect(await at.machines()).toHaveLength(5);
    await at.patch(VMSet, "web", { spec: { replicas: 1 } });
    await at.pass(2_000);
    const leaving = (await at.machines()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(leaving).toHaveLength(4);
    await at.over("web");
  });

  it("a machine that is deleted by hand comes back, and one that is not selected any more is let go and replaced", async () => {
    await at.set("web", { replicas: 2 });
    await at.until(at.isReady("web"));
    await at.remove(VirtualMachine, "web-0");
    await at.pass(5_000);
    expect(at.order).toEqual(["+ web-0", "+ web-1", "- web-0", "+ web-0"]);
    await at.patch(VirtualMachine, "web-1", { metadata: { labels: { app: "other" } } });
    await at.pass(5_000);
    expect(await at.seats()).toEqual(["web-0@one", "web-1@one", "web-2@one"]);
    expect((await at.get(VirtualMachine, "web-1"))?.metadata.ownerReferences ?? []).toEqual([]);
    expect(await at.events(VMSet)).toContainEqual("Normal VMReleased web-1 is not selected any more, and is let go");
    // Back with its labels, it is one of the set again, and the one that stood in for it goes.
    await at.patch(VirtualMachine, "web-1", { metadata: { labels: { app: "web" } } });
    await at.until(async () => (await at.seats()).length === 2);
    expect(await at.seats()).toEqual(["web-0@one", "web-1@one"]);
    await at.over("web");
  });

  it("minReadySeconds: a machine is available when it has been ready for so long, and then the next one is made", async () => {
    await at.set("web", { replicas: 2, minReadySeconds: 20 });
    await at.pass(10_000);
    expect(await at.status("web")).toMatchObject({ replicas: 1, readyReplicas: 1, availableReplicas: 0 });
    await at.pass(15_000);
    expect(await at.status("web")).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 1 });
    expect(await at.says(VMSet, "web")).toBe("False CreatingReplicas 2/2 VMs ready");
    await at.until(at.isReady("web"), 25_000);
    await at.over("web");
  });

  it("a status that somebody wiped is said anew, and a finalizer that somebody took is put back", async () => {
    await at.set("web", { replicas: 2 });
    await at.until(at.isReady("web"));
    const { conditions: _times, ...before } = await at.status("web");
    const { finalizers } = (await at.get(VMSet, "web"))?.metadata ?? {};
    await at.pass(5_000);
    await at.client.status.patch(VMSet, { name: "web", namespace }, { merge: { status: null } });
    await at.patch(VMSet, "web", { metadata: { finalizers: null } });
    await at.pass(3_000);
    expect(await at.status("web")).toMatchObject(before);
    expect((await at.get(VMSet, "web"))?.metadata.finalizers).toEqual(finalizers);
    await at.over("web");
  });

  it("a spec that cannot work is said, and nothing is made", async () => {
    const wrong = { matchExpressions: [{ key: "tier", operator: "In", values: ["db"] }] };
    await at.set("web", { selector: wrong });
    expect(await at.says(VMSet, "web")).toBe(
      "False ValidationError spec.selector does not select the machines that spec.template makes",
    );
    expect(await at.machines()).toEqual([]);
    await at.over("web");
  });
});

describe("what is kept", () => {
  const revisions = async () =>
    (await at.client.list(ControllerRevision, { namespace })).items.map(({ metadata }) => metadata?.name ?? "");
  const claims = async () =>
    (await at.client.list(PersistentVolumeClaim, { namespace })).items.map(({ metadata }) => metadata?.name ?? "");

  it("going back to a template that was there before uses its revision, and old ones are dropped beyond the limit", async () => {
    const limited = { replicas: 1, revisionHistoryLimit: 1 };
    await at.set("web", limited);
    await at.until(at.isReady("web"));
    const [first = ""] = await revisions();
    expect(first).toBe((await at.status("web")).currentRevision);
    for (const image of ["two", "three", "four"]) {
      await at.set("web", { ...limited, template: template(image) });
      await at.until(at.isPhase("web", "Completed"));
      await at.pass(2_000);
    }
    expect(await revisions()).toHaveLength(2);
    expect(await revisions()).not.toContain(first);
    const before = await revisions();
    await at.set("web", { ...limited, template: template("three") });
    await at.until(at.isPhase("web", "Completed"));
    expect(await revisions()).toEqual(before);
    await at.over("web");
  });

  it("its machines are counted from the first ordinal that is wanted", async () => {
    await at.set("web", { replicas: 2, ordinals: { start: 5 } });
    await at.until(at.isReady("web"));
    const names = async () => (await at.machines()).map(({ metadata }) => metadata.name).join(" ");
    expect(await names()).toBe("web-5 web-6");
    await at.set("web", { replicas: 2, ordinals: { start: 6 } });
    await at.until(async () => (await names()) === "web-6 web-7");
    await at.over("web");
  });

  it("claims are made before their machine, stay when it goes, or go with it", async () => {
    const volumeClaimTemplates = [
      {
        metadata: { name: "data", labels: { tier: "gold" }, annotations: { note: "kept" } },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ];
    const kept = { replicas: 2, volumeClaimTemplates };
    await at.set("web", kept);
    await at.until(at.isReady("web"));
    expect(await claims()).toEqual(["data-web-0", "data-web-1"]);
    const claim = await at.get(PersistentVolumeClaim, "data-web-0");
    expect(claim?.metadata?.labels).toMatchObject({ tier: "gold" });
    expect(claim?.metadata?.annotations).toMatchObject({ note: "kept" });
    const vm = await at.get(VirtualMachine, "web-1");
    expect(vm?.metadata.annotations?.["virtrigaud.io/volume-claims"]).toBe("data-web-1");
    const warnings = (await at.events(VMSet)).filter((it) => it.includes("VolumeClaimsNotAttached"));
    expect(warnings).toHaveLength(1);
    await at.set("web", { ...kept, replicas: 1 });
    await at.until(async () => (await at.machines()).length === 1);
    await at.pass(5_000);
    expect(await claims()).toEqual(["data-web-0", "data-web-1"]);
    const dropping = { whenScaled: "Delete", whenDeleted: "Delete" };
    await at.set("web", { ...kept, replicas: 1, persistentVolumeClaimRetentionPolicy: dropping });
    await at.pass(5_000);
    expect(await claims()).toEqual(["data-web-0"]);
    await at.over("web");
    expect(await claims()).toEqual([]);
  });

  it("at its end the highest machine goes first; where its machines are to stay, they do", async () => {
    at.play({ going: 3_000 });
    await at.set("web", { replicas: 3 });
    await at.until(at.isReady("web"));
    at.order.length = 0;
    await at.remove(VMSet, "web");
    await at.pass(2_000);
    expect(await at.says(VMSet, "web", "Progressing")).toBe("True DeletingReplicas 3 VMs are left");
    await at.until(async () => (await at.get(VMSet, "web")) === undefined);
    expect(at.order).toEqual(["- web-2", "- web-1", "- web-0"]);

    at.play({});
    await at.set("kept", { replicas: 2 });
    await at.until(at.isReady("kept"));
    await at.client.delete(VMSet, { name: "kept", namespace }, { propagation: "Orphan" });
    await at.pass(5_000);
    expect(await at.get(VMSet, "kept")).toBeUndefined();
    expect(await at.seats()).toEqual(["kept-0@one", "kept-1@one"]);
    expect((await at.machines()).flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
    // A set of the same name takes them as its own.
    await at.set("kept", { replicas: 2 });
    await at.until(at.isReady("kept"));
    const owners = (await at.machines()).map(({ metadata }) => metadata.ownerReferences?.length);
    expect(owners).toEqual([1, 1]);
    await at.over("kept");
  });

  it("kubectl scale: the number of machines is read and set through the subresource", async () => {
    await at.set("web", { replicas: 1 });
    await at.until(at.isReady("web"));
    await at.client.scale.patch(VMSet, { name: "web", namespace }, { merge: { spec: { replicas: 2 } } });
    await at.until(async () => (await at.status("web")).readyReplicas === 2);
    const scale = await at.client.scale.get(VMSet, { name: "web", namespace });
    expect(scale).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 2, selector: "app=web" } });
    await at.over("web");
  });
});
