// Sets as people meet them: they grow, shrink and change their machines, and say how far they are.

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

/** Ends a set with all that it has. */
async function over(name: string): Promise<void> {
  at.play({});
  await at.remove(VMSet, name);
  await at.until(async () => (await at.get(VMSet, name)) === undefined);
  at.order.length = 0;
}

const isReady = (name: string) => async () => (await at.says(VMSet, name)).startsWith("True");
const isPhase = (name: string, phase: string) => async () => (await at.status(name)).updateStatus?.phase === phase;

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
    await at.until(isReady("web"));
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
    await over("web");
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
    await over("web");
  });

  it("a machine that is deleted by hand comes back, and one that is not selected any more is let go and replaced", async () => {
    await at.set("web", { replicas: 2 });
    await at.until(isReady("web"));
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
    await over("web");
  });

  it("a spec that cannot work is said, and nothing is made", async () => {
    const wrong = { matchExpressions: [{ key: "tier", operator: "In", values: ["db"] }] };
    await at.set("web", { selector: wrong });
    expect(await at.says(VMSet, "web")).toBe(
      "False ValidationError spec.selector does not select the machines that spec.template makes",
    );
    expect(await at.machines()).toEqual([]);
    await over("web");
  });
});

describe("updates", () => {
  it("S36 rolling replace: the highest first, one at a time, and the revision changes at the end", async () => {
    at.play({ fate: () => 3_000, going: 2_000 });
    await at.set("web", { replicas: 5 });
    await at.until(isReady("web"));
    const before = await at.status("web");
    at.order.length = 0;
    await at.set("web", { replicas: 5, template: template("two") });
    const messages = new Set<string>();
    let fewest = 5;
    await at.until(async () => {
      messages.add((await at.says(VMSet, "web", "Progressing")).replace(/^True UpdatingReplicas /, ""));
      const status = await at.status("web");
      fewest = Math.min(fewest, status.availableReplicas ?? 0);
      const isOver = status.updateStatus?.phase === "Completed";
      expect(status.currentRevision === before.currentRevision).toBe(!isOver);
      return isOver;
    });
    expect(at.order.filter((it) => it.startsWith("-"))).toEqual([4, 3, 2, 1, 0].map((i) => `- web-${i}`));
    expect(fewest).toBe(4);
    expect(messages).toContain("Rolling update in progress: 3/5 VMs updated");
    expect(await at.status("web")).toMatchObject({
      updatedReplicas: 5,
      updateStatus: {
        phase: "Completed",
        updatedVMs: [0, 1, 2, 3, 4].map((i) => `web-${i}`),
        message: "5/5 VMs updated",
      },
    });
    expect(await at.says(VMSet, "web", "UpdateInProgress")).toMatch(/^False UpdateComplete/);
    expect(await at.events(VMSet)).toContainEqual("Normal UpdateComplete 5/5 VMs updated");
  });

  it("S37 in-place update: a change of the class deletes no machine, and keeps to the budget", async () => {
    at.order.length = 0;
    const uids = (await at.machines()).map(({ metadata }) => metadata.uid);
    let fewest = 5;
    const larger = template("two", { classRef: { name: "large" } });
    await at.set("web", { replicas: 5, template: { ...larger, metadata: { labels: { tier: "gold" } } } });
    await at.until(async () => {
      const status = await at.status("web");
      fewest = Math.min(fewest, status.availableReplicas ?? 0);
      return status.updateStatus?.phase === "Completed";
    });
    expect(at.order).toEqual([]);
    expect(fewest).toBe(4);
    const after = await at.machines();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(uids);
    expect(new Set(after.map(({ spec }) => spec.classRef.name))).toEqual(new Set(["large"]));
    expect(new Set(after.map(({ metadata }) => metadata.labels?.["tier"]))).toEqual(new Set(["gold"]));
    await over("web");
  });

  it("S38 partition: machines below it stay, and come back as they were", async () => {
    const parted = (partition: number) => ({ rollingUpdate: { maxSurge: 0, maxUnavailable: 1, partition } });
    await at.set("web", { replicas: 5 });
    await at.until(isReady("web"));
    const { currentRevision } = await at.status("web");
    await at.set("web", { replicas: 5, template: template("two"), updateStrategy: parted(3) });
    await at.until(isPhase("web", "Completed"));
    const parts = ["web-0@one", "web-1@one", "web-2@one", "web-3@two", "web-4@two"];
    expect(await at.seats()).toEqual(parts);
    expect(await at.status("web")).toMatchObject({ currentRevision, updateStatus: { message: "partitioned at 3" } });
    await at.remove(VirtualMachine, "web-1");
    await at.pass(5_000);
    expect(await at.seats()).toEqual(parts);
    await at.set("web", { replicas: 5, template: template("two"), updateStrategy: parted(0) });
    await at.until(async () => (await at.status("web")).currentRevision !== currentRevision);
    expect((await at.seats()).every((seat) => seat.endsWith("@two"))).toBe(true);
    await over("web");
  });

  it("S39 OnDelete: nothing changes until a machine is deleted by hand", async () => {
    const updateStrategy = { type: "OnDelete" };
    await at.set("web", { replicas: 2, updateStrategy });
    await at.until(isReady("web"));
    await at.set("web", { replicas: 2, updateStrategy, template: template("two") });
    await at.pass(60_000);
    expect(await at.seats()).toEqual(["web-0@one", "web-1@one"]);
    expect((await at.status("web")).updateStatus).toMatchObject({ phase: "Pending", pendingVMs: ["web-0", "web-1"] });
    await at.remove(VirtualMachine, "web-1");
    await at.pass(5_000);
    expect(await at.seats()).toEqual(["web-0@one", "web-1@two"]);
    await at.remove(VirtualMachine, "web-0");
    await at.until(isPhase("web", "Completed"));
    expect(await at.seats()).toEqual(["web-0@two", "web-1@two"]);
    await over("web");
  });

  it("Recreate: all go before the first new one comes", async () => {
    const updateStrategy = { type: "Recreate" };
    at.play({ going: 3_000 });
    await at.set("web", { replicas: 3, updateStrategy });
    await at.until(isReady("web"));
    at.order.length = 0;
    await at.set("web", { replicas: 3, updateStrategy, template: template("two") });
    await at.until(isPhase("web", "Completed"));
    expect(at.order.slice(0, 3).sort()).toEqual(["- web-0", "- web-1", "- web-2"]);
    expect(at.order.slice(3)).toEqual(["+ web-0", "+ web-1", "+ web-2"]);
    await over("web");
  });

  it("S40 failed update stops: three retries, no further machine is touched, and going back completes", async () => {
    const broken = { reason: "ProviderError", message: "no boot device" };
    at.play({ fate: ({ spec }) => (spec.imageRef?.name === "bad" ? broken : 1_000) });
    await at.set("web", { replicas: 5 }, { "virtrigaud.io/progress-deadline": "30s" });
    await at.until(isReady("web"));
    at.order.length = 0;
    await at.set("web", { replicas: 5, template: template("bad") }, { "virtrigaud.io/progress-deadline": "30s" });
    await at.until(isPhase("web", "Failed"));
    expect(at.order).toEqual(Array.from({ length: 4 }, () => ["- web-4", "+ web-4"]).flat());
    const { updateStatus } = await at.status("web");
    expect(updateStatus?.failedVMs).toEqual([
      { name: "web-4", ...broken, lastAttempt: expect.any(String), retryCount: 3 },
    ]);
    expect(await at.says(VMSet, "web", "Progressing")).toBe("False ProviderError not available in time: web-4");
    await at.pass(120_000);
    expect(at.order).toHaveLength(8);
    expect((await at.seats()).filter((seat) => seat.endsWith("@one"))).toHaveLength(4);
    await at.set("web", { replicas: 5 }, { "virtrigaud.io/progress-deadline": "30s" });
    await at.until(isPhase("web", "Completed"));
    expect(at.order).toHaveLength(10);
    expect((await at.seats()).every((seat) => seat.endsWith("@one"))).toBe(true);
    expect((await at.status("web")).updateStatus?.failedVMs).toEqual([]);
    await over("web");
  });

  it("surge: machines beyond the wanted ones stand in, so that none is missing, and go at the end", async () => {
    const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    at.play({ fate: () => 2_000 });
    await at.set("web", { replicas: 3, updateStrategy });
    await at.until(isReady("web"));
    at.order.length = 0;
    await at.set("web", { replicas: 3, updateStrategy, template: template("two") });
    let fewest = 3;
    let most = 0;
    await at.until(async () => {
      const status = await at.status("web");
      fewest = Math.min(fewest, status.availableReplicas ?? 0);
      most = Math.max(most, status.updatedReplicas ?? 0);
      return status.updateStatus?.phase === "Completed" && status.replicas === 3;
    });
    expect([fewest, most]).toEqual([3, 3]);
    expect(at.order[0]).toBe("+ web-3");
    expect(at.order.at(-1)).toBe("- web-3");
    expect(await at.seats()).toEqual(["web-0@two", "web-1@two", "web-2@two"]);
    await over("web");
  });

  it("a pause holds the update, replaces what is missing, and its end goes on where it was", async () => {
    at.play({ fate: () => 5_000 });
    await at.set("web", { replicas: 3 });
    await at.until(isReady("web"));
    await at.set("web", { replicas: 3, template: template("two") });
    await at.until(async () => (await at.seats()).includes("web-2@two"));
    await at.patch(VMSet, "web", { metadata: { annotations: { "virtrigaud.io/paused": "true" } } });
    await at.pass(60_000);
    expect((await at.status("web")).updateStatus?.phase).toBe("Paused");
    expect(await at.says(VMSet, "web", "Progressing")).toMatch(/^False Paused/);
    expect(await at.seats()).toEqual(["web-0@one", "web-1@one", "web-2@two"]);
    await at.patch(VMSet, "web", { metadata: { annotations: { "virtrigaud.io/paused": null } } });
    await at.until(isPhase("web", "Completed"));
    await over("web");
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
    await at.until(isReady("web"));
    const [first = ""] = await revisions();
    expect(first).toBe((await at.status("web")).currentRevision);
    for (const image of ["two", "three", "four"]) {
      await at.set("web", { ...limited, template: template(image) });
      await at.until(isPhase("web", "Completed"));
      await at.pass(2_000);
    }
    expect(await revisions()).toHaveLength(2);
    expect(await revisions()).not.toContain(first);
    const before = await revisions();
    await at.set("web", { ...limited, template: template("three") });
    await at.until(isPhase("web", "Completed"));
    expect(await revisions()).toEqual(before);
    await over("web");
  });

  it("claims are made before their machine, stay when it goes, or go with it", async () => {
    const volumeClaimTemplates = [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ];
    const kept = { replicas: 2, volumeClaimTemplates };
    await at.set("web", kept);
    await at.until(isReady("web"));
    expect(await claims()).toEqual(["data-web-0", "data-web-1"]);
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
    await over("web");
    expect(await claims()).toEqual([]);
  });

  it("at its end the highest machine goes first; where its machines are to stay, they do", async () => {
    at.play({ going: 3_000 });
    await at.set("web", { replicas: 3 });
    await at.until(isReady("web"));
    at.order.length = 0;
    await at.remove(VMSet, "web");
    await at.pass(2_000);
    expect(await at.says(VMSet, "web", "Progressing")).toBe("True DeletingReplicas 3 VMs are left");
    await at.until(async () => (await at.get(VMSet, "web")) === undefined);
    expect(at.order).toEqual(["- web-2", "- web-1", "- web-0"]);

    at.play({});
    await at.set("kept", { replicas: 2 });
    await at.until(isReady("kept"));
    await at.client.delete(VMSet, { name: "kept", namespace }, { propagation: "Orphan" });
    await at.pass(5_000);
    expect(await at.get(VMSet, "kept")).toBeUndefined();
    expect(await at.seats()).toEqual(["kept-0@one", "kept-1@one"]);
    expect((await at.machines()).flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
    // A set of the same name takes them as its own.
    await at.set("kept", { replicas: 2 });
    await at.until(isReady("kept"));
    const owners = (await at.machines()).map(({ metadata }) => metadata.ownerReferences?.length);
    expect(owners).toEqual([1, 1]);
    await over("kept");
  });

  it("kubectl scale: the number of machines is read and set through the subresource", async () => {
    await at.set("web", { replicas: 1 });
    await at.until(isReady("web"));
    await at.client.scale.patch(VMSet, { name: "web", namespace }, { merge: { spec: { replicas: 2 } } });
    await at.until(async () => (await at.status("web")).readyReplicas === 2);
    const scale = await at.client.scale.get(VMSet, { name: "web", namespace });
    expect(scale).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 2, selector: "app=web" } });
    await over("web");
  });
});

describe("trouble", () => {
  it("S42 quota in the set: it is said, and the machines that are there stay", async () => {
    const full = { reason: "QuotaExceeded", message: "quota exceeded for cpu" };
    at.play({ fate: ({ metadata }) => (metadata.name === "web-2" ? full : 0) });
    await at.set("web", { replicas: 4 });
    await at.pass(30_000);
    expect(await at.says(VMSet, "web", "ReplicaFailure")).toBe("True InsufficientResources no room for web-2");
    expect(await at.seats()).toEqual(["web-0@one", "web-1@one", "web-2@one"]);
    expect((await at.status("web")).vmStatus?.[2]).toMatchObject({ ready: false, message: "quota exceeded for cpu" });
    await at.pass(600_000);
    expect(await at.says(VMSet, "web", "Progressing")).toBe(
      "False ProgressDeadlineExceeded not available in time: web-2",
    );
    at.play({});
    await at.until(isReady("web"));
    expect(await at.says(VMSet, "web", "ReplicaFailure")).toMatch(/^False/);
    await over("web");
  });

  it("S41 hash collision: the other template gets another name, and no machine is replaced for it", async () => {
    // Two templates with one hash, until the count of collisions is part of it.
    const it = await setStage({ hash: (text) => (text.endsWith("}") ? "same" : "other") });
    await it.set("web", { replicas: 2 });
    await it.until(async () => (await it.says(VMSet, "web")).startsWith("True"));
    expect((await it.status("web")).updateRevision).toBe("web-same");
    const uids = (await it.machines()).map(({ metadata }) => metadata.uid);
    await it.set("web", { replicas: 2, template: template("one", { classRef: { name: "large" } }) });
    await it.until(async () => (await it.status("web")).updateStatus?.phase === "Completed");
    expect(await it.status("web")).toMatchObject({ collisionCount: 1, updateRevision: "web-other" });
    expect((await it.machines()).map(({ metadata }) => metadata.uid)).toEqual(uids);
    await it.set("web", { replicas: 2 });
    await it.until(async () => (await it.status("web")).currentRevision === "web-same");
    expect(await it.status("web")).toMatchObject({ collisionCount: 1 });
    expect(it.complaints).toEqual([]);
    await it.end();
  });

  it("what the server refuses is said, and tried again", async () => {
    let isFull = true;
    const refuse = ({ method, path }: { method: string; path: string }) =>
      isFull && method === "POST" && path.includes("virtualmachines") ? 403 : undefined;
    const it = await setStage({ refuse });
    await it.set("web", { replicas: 2 });
    await it.pass(20_000);
    expect(await it.says(VMSet, "web", "ReplicaFailure")).toBe("True ProviderError no");
    expect(await it.says(VMSet, "web", "Scaling")).toBe("True ScalingUp 0/2");
    isFull = false;
    await it.until(async () => (await it.says(VMSet, "web")).startsWith("True"), 20_000);
    expect(await it.says(VMSet, "web", "ReplicaFailure")).toMatch(/^False/);
    await it.end();
  });

  it("a process that dies in the middle of an update leaves nothing that the next one does not finish", async () => {
    const it = await setStage();
    it.play({ fate: () => 3_000, going: 2_000 });
    await it.set("web", { replicas: 3 });
    await it.until(async () => (await it.says(VMSet, "web")).startsWith("True"));
    it.order.length = 0;
    await it.set("web", { replicas: 3, template: template("two") });
    for (let i = 0; i < 3; i += 1) {
      await it.pass(4_000);
      await it.restart();
    }
    await it.until(async () => (await it.status("web")).updateStatus?.phase === "Completed");
    expect(it.order).toEqual([2, 1, 0].flatMap((i) => [`- web-${i}`, `+ web-${i}`]));
    expect(it.complaints.filter((line) => !line.includes("the process is gone"))).toEqual([]);
    await it.end();
  });
});
