// What a set does when its template changes, and when something does not work.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VirtualMachine, VMSet } from "../src/kinds/index.ts";
import { type SetStage, setStage, template } from "./vm-set-stage.ts";

let at: SetStage;
beforeAll(async () => {
  at = await setStage();
});
afterAll(async () => {
  expect(at.complaints).toEqual([]);
  await at.end();
});

describe("updates", () => {
  it("S36 rolling replace: the highest first, one at a time, and the revision changes at the end", async () => {
    at.play({ fate: () => 3_000, going: 2_000 });
    await at.set("web", { replicas: 5 });
    await at.until(at.isReady("web"));
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
    await at.over("web");
  });

  it("a machine that is changed where it is has its time from then on, however long the update has been going on", async () => {
    const deadline = { "virtrigaud.io/progress-deadline": "20s" };
    at.play({ unseen: 9_000 });
    await at.set("web", { replicas: 4 }, deadline);
    await at.until(at.isReady("web"));
    await at.pass(60_000);
    const larger = template("one", { classRef: { name: "large" } });
    await at.set("web", { replicas: 4, template: larger }, deadline);
    const phases = new Set<string | undefined>();
    await at.until(async () => {
      const { updateStatus } = await at.status("web");
      phases.add(updateStatus?.phase);
      return updateStatus?.phase === "Completed" || updateStatus?.phase === "Failed";
    });
    expect([...phases]).not.toContain("Failed");
    const { vmStatus = [] } = await at.status("web");
    const times = vmStatus.map(({ lastUpdateTime = "" }) => lastUpdateTime);
    expect(times).toEqual([...times].sort().reverse()); // the highest was the first
    for (const { creationTime = "", lastUpdateTime = "" } of vmStatus) expect(lastUpdateTime > creationTime).toBe(true);
    await at.over("web");
  });

  it("S38 partition: machines below it stay, and come back as they were", async () => {
    const parted = (partition: number) => ({ rollingUpdate: { maxSurge: 0, maxUnavailable: 1, partition } });
    await at.set("web", { replicas: 5 });
    await at.until(at.isReady("web"));
    const { currentRevision } = await at.status("web");
    await at.set("web", { replicas: 5, template: template("two"), updateStrategy: parted(3) });
    await at.until(at.isPhase("web", "Completed"));
    const parts = ["web-0@one", "web-1@one", "web-2@one", "web-3@two", "web-4@two"];
    expect(await at.seats()).toEqual(parts);
    expect(await at.status("web")).toMatchObject({ currentRevision, updateStatus: { message: "partitioned at 3" } });
    await at.remove(VirtualMachine, "web-1");
    await at.pass(5_000);
    expect(await at.seats()).toEqual(parts);
    await at.set("web", { replicas: 5, template: template("two"), updateStrategy: parted(0) });
    await at.until(async () => (await at.status("web")).currentRevision !== currentRevision);
    expect((await at.seats()).every((seat) => seat.endsWith("@two"))).toBe(true);
    await at.over("web");
  });

  it("S39 OnDelete: nothing changes until a machine is deleted by hand", async () => {
    const updateStrategy = { type: "OnDelete" };
    await at.set("web", { replicas: 2, updateStrategy });
    await at.until(at.isReady("web"));
    await at.set("web", { replicas: 2, updateStrategy, template: template("two") });
    await at.pass(20_000);
    expect(await at.seats()).toEqual(["web-0@one", "web-1@one"]);
    expect((await at.status("web")).updateStatus).toMatchObject({ phase: "Pending", pendingVMs: ["web-0", "web-1"] });
    await at.remove(VirtualMachine, "web-1");
    await at.pass(5_000);
    expect(await at.seats()).toEqual(["web-0@one", "web-1@two"]);
    await at.remove(VirtualMachine, "web-0");
    await at.until(at.isPhase("web", "Completed"));
    expect(await at.seats()).toEqual(["web-0@two", "web-1@two"]);
    await at.over("web");
  });

  it("Recreate: all go before the first new one comes", async () => {
    const updateStrategy = { type: "Recreate" };
    at.play({ going: 3_000 });
    await at.set("web", { replicas: 3, updateStrategy });
    await at.until(at.isReady("web"));
    at.order.length = 0;
    await at.set("web", { replicas: 3, updateStrategy, template: template("two") });
    await at.until(at.isPhase("web", "Completed"));
    expect(at.order.slice(0, 3).sort()).toEqual(["- web-0", "- web-1", "- web-2"]);
    expect(at.order.slice(3)).toEqual(["+ web-0", "+ web-1", "+ web-2"]);
    await at.over("web");
  });

  it("S40 failed update stops: three retries, no further machine is touched, and going back completes", async () => {
    const broken = { reason: "ProviderError", message: "no boot device" };
    at.play({ fate: ({ spec }) => (spec.imageRef?.name === "bad" ? broken : 1_000) });
    await at.set("web", { replicas: 5 }, { "virtrigaud.io/progress-deadline": "20s" });
    await at.until(at.isReady("web"));
    at.order.length = 0;
    await at.set("web", { replicas: 5, template: template("bad") }, { "virtrigaud.io/progress-deadline": "20s" });
    await at.until(at.isPhase("web", "Failed"));
    expect(at.order).toEqual(Array.from({ length: 4 }, () => ["- web-4", "+ web-4"]).flat());
    const { updateStatus } = await at.status("web");
    expect(updateStatus?.failedVMs).toEqual([
      { name: "web-4", ...broken, lastAttempt: expect.any(String), retryCount: 3 },
    ]);
    expect(await at.says(VMSet, "web", "Progressing")).toBe("False ProviderError not available in time: web-4");
    await at.pass(60_000);
    expect(at.order).toHaveLength(8);
    expect((await at.seats()).filter((seat) => seat.endsWith("@one"))).toHaveLength(4);
    await at.set("web", { replicas: 5 }, { "virtrigaud.io/progress-deadline": "20s" });
    await at.until(at.isPhase("web", "Completed"));
    expect(at.order).toHaveLength(10);
    expect((await at.seats()).every((seat) => seat.endsWith("@one"))).toBe(true);
    expect((await at.status("web")).updateStatus?.failedVMs).toEqual([]);
    await at.over("web");
  });

  it("surge: machines beyond the wanted ones stand in, so that none is missing, and go at the end", async () => {
    const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    at.play({ fate: () => 2_000 });
    await at.set("web", { replicas: 3, updateStrategy });
    await at.until(at.isReady("web"));
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
    await at.over("web");
  });

  it("a pause holds the update, replaces what is missing, and its end goes on where it was", async () => {
    at.play({ fate: () => 5_000 });
    await at.set("web", { replicas: 3 });
    await at.until(at.isReady("web"));
    await at.set("web", { replicas: 3, template: template("two") });
    await at.until(async () => (await at.seats()).includes("web-2@two"));
    await at.patch(VMSet, "web", { metadata: { annotations: { "virtrigaud.io/paused": "true" } } });
    await at.pass(20_000);
    expect((await at.status("web")).updateStatus?.phase).toBe("Paused");
    expect(await at.says(VMSet, "web", "Progressing")).toMatch(/^False Paused/);
    expect(await at.seats()).toEqual(["web-0@one", "web-1@one", "web-2@two"]);
    await at.patch(VMSet, "web", { metadata: { annotations: { "virtrigaud.io/paused": null } } });
    await at.until(at.isPhase("web", "Completed"));
    await at.over("web");
  });
});

describe("trouble", () => {
  const outages = [
    { status: "Unknown", reason: "ProviderUnreachable", message: "connection refused" },
    { status: "False", reason: "ProviderError", message: "connection refused" },
  ] as const;

  it.each(outages)(
    "a provider that cannot be asked ($status) costs no machine, and the update goes on by itself",
    async (outage) => {
      at.play({ fate: () => 2_000 });
      const parallel = { rollingUpdate: { maxSurge: 0, maxUnavailable: 1, podManagementPolicy: "Parallel" } };
      const short = { "virtrigaud.io/progress-deadline": "60s" };
      await at.set("web", { replicas: 6, updateStrategy: parallel, minReadySeconds: 5 }, short);
      await at.until(at.isReady("web"));
      at.order.length = 0;
      const next = { replicas: 6, updateStrategy: parallel, minReadySeconds: 5, template: template("two") };
      await at.set("web", next, short);
      await at.until(async () => (await at.status("web")).updatedReplicas === 3);
      const before = at.order.filter((line) => line.startsWith("-")).length;
      at.play({ fate: () => 2_000, outage });
      await at.pass(300_000);
      // Longer than machines have for coming up: one may be on its way out, and no other is touched.
      const leaving = (await at.machines()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect(leaving.length).toBeLessThanOrEqual(1);
      expect(at.order.filter((line) => line.startsWith("-"))).toHaveLength(before);
      expect((await at.status("web")).updateStatus?.phase).toBe("InProgress");
      at.play({ fate: () => 2_000 });
      await at.until(at.isPhase("web", "Completed"));
      // What is not known is not touched. A machine that is said to be in error, and may run, is replaced within budget.
      const removed = at.order.filter((line) => line.startsWith("-"));
      const all = [5, 4, 3, 2, 1, 0].map((i) => `- web-${i}`);
      if (outage.status === "Unknown") expect(removed).toEqual(all);
      else expect(new Set(removed)).toEqual(new Set(all));
      await at.over("web");
    },
  );

  it("an update that waits for a provider says so, and what is not known is not reported as a failure", async () => {
    await at.set("web", { replicas: 3 });
    await at.until(at.isReady("web"));
    at.play({ outage: outages[0] });
    await at.pass(5_000);
    const unknown = "the state of 3 VMs is not known: web-0, web-1, web-2 (ProviderUnreachable)";
    expect(await at.says(VMSet, "web")).toBe(`Unknown MachineStateUnknown 0/3 VMs ready; ${unknown}`);
    expect(await at.says(VMSet, "web", "Progressing")).toBe(`False MachineStateUnknown ${unknown}`);
    expect(await at.says(VMSet, "web", "ReplicaFailure")).toBe(`Unknown MachineStateUnknown ${unknown}`);
    expect(await at.says(VMSet, "web", "Scaling")).toBe("False NotScaling 3/3");
    expect(await at.says(VMSet, "web", "UpdateInProgress")).toMatch(/^False NoUpdate /);
    expect((await at.status("web")).vmStatus?.[0]).not.toHaveProperty("ready");
    await at.set("web", { replicas: 3, template: template("two") });
    await at.pass(30_000);
    expect(await at.says(VMSet, "web", "Progressing")).toBe(
      `False MachineStateUnknown Rolling update waits, 0/3 VMs updated: ${unknown}`,
    );
    expect(await at.says(VMSet, "web", "UpdateInProgress")).toBe(
      `True UpdatingReplicas the template has changed; waits: ${unknown}`,
    );
    expect(await at.events(VMSet)).toContainEqual(
      `Warning UpdateWaiting Rolling update waits, 0/3 VMs updated: ${unknown}`,
    );
    at.play({});
    await at.until(at.isPhase("web", "Completed"));
    await at.over("web");
  });

  it("Recreate: what is unknown is not removed before it is known, and the set says that it waits", async () => {
    const updateStrategy = { type: "Recreate" };
    await at.set("web", { replicas: 2, updateStrategy });
    await at.until(at.isReady("web"));
    at.order.length = 0;
    at.play({ outage: outages[0] });
    await at.pass(5_000);
    await at.set("web", { replicas: 2, updateStrategy, template: template("two") });
    await at.pass(30_000);
    expect((await at.machines()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
    expect(await at.says(VMSet, "web", "Progressing")).toMatch(
      /^False MachineStateUnknown Recreation waits, 0\/2 VMs updated: the state of 2 VMs is not known: /,
    );
    at.play({});
    await at.until(at.isPhase("web", "Completed"));
    expect(at.order.slice(0, 2).sort()).toEqual(["- web-0", "- web-1"]);
    await at.over("web");
  });

  it("a set none of whose machines is ready does not give that all are as a reason", async () => {
    at.play({ fate: () => 20_000 });
    await at.set("web", {
      replicas: 3,
      updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1, podManagementPolicy: "Parallel" } },
    });
    await at.pass(5_000);
    expect(await at.says(VMSet, "web")).toBe("False CreatingReplicas 0/3 VMs ready");
    expect(await at.says(VMSet, "web", "Scaling")).toBe("False NotScaling 3/3");
    expect(await at.says(VMSet, "web", "UpdateInProgress")).toMatch(/^False NoUpdate /);
    expect(await at.says(VMSet, "web", "ReplicaFailure")).toMatch(/^False NoFailure /);
    const { conditions = [] } = await at.status("web");
    expect(conditions.map(({ reason }) => reason)).not.toContain("AllReplicasReady");
    await at.over("web");
  });

  it("an update that needs one machine more than there is room for says so, with all that are wanted there", async () => {
    await at.set("web", { replicas: 2 });
    await at.until(at.isReady("web"));
    const full = { reason: "QuotaExceeded", message: "quota exceeded for cpu" };
    at.play({ fate: ({ metadata }) => (metadata.name === "web-2" ? full : 0) });
    const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    await at.set("web", { replicas: 2, updateStrategy, template: template("two") });
    await at.pass(10_000);
    expect(await at.says(VMSet, "web")).toBe("False InsufficientResources no room for web-2");
    expect(await at.status("web")).toMatchObject({ availableReplicas: 2, updatedReplicas: 0 });
    at.play({});
    await at.until(at.isPhase("web", "Completed"));
    expect(await at.says(VMSet, "web")).toMatch(/^True AllReplicasReady/);
    await at.over("web");
  });

  it("S42 quota in the set: it is said, and the machines that are there stay", async () => {
    const full = { reason: "QuotaExceeded", message: "quota exceeded for cpu" };
    at.play({ fate: ({ metadata }) => (metadata.name === "web-2" ? full : 0) });
    await at.set("web", { replicas: 4 }, { "virtrigaud.io/progress-deadline": "60s" });
    await at.pass(20_000);
    expect(await at.says(VMSet, "web", "ReplicaFailure")).toBe("True InsufficientResources no room for web-2");
    expect(await at.seats()).toEqual(["web-0@one", "web-1@one", "web-2@one"]);
    expect((await at.status("web")).vmStatus?.[2]).toMatchObject({ ready: false, message: "quota exceeded for cpu" });
    await at.pass(60_000);
    expect(await at.says(VMSet, "web", "Progressing")).toBe(
      "False ProgressDeadlineExceeded not available in time: web-2",
    );
    at.play({});
    await at.until(at.isReady("web"));
    expect(await at.says(VMSet, "web", "ReplicaFailure")).toMatch(/^False/);
    await at.over("web");
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
    let isKept = false;
    const refuse = ({ method, path }: { method: string; path: string }) => {
      const isRefused = (isFull && method === "POST") || (isKept && method === "DELETE");
      return isRefused && path.includes("virtualmachines") ? 403 : undefined;
    };
    const it = await setStage({ refuse });
    await it.set("web", { replicas: 2 });
    await it.pass(20_000);
    expect(await it.says(VMSet, "web", "ReplicaFailure")).toBe("True ProviderError no");
    expect(await it.says(VMSet, "web", "Scaling")).toBe("True ScalingUp 0/2");
    isFull = false;
    await it.until(async () => (await it.says(VMSet, "web")).startsWith("True"), 20_000);
    expect(await it.says(VMSet, "web", "ReplicaFailure")).toMatch(/^False/);
    // Where all are there and something cannot be done, it is not well either.
    isKept = true;
    await it.patch(VMSet, "web", { spec: { replicas: 1 } });
    await it.pass(5_000);
    expect(await it.status("web")).toMatchObject({ availableReplicas: 2 });
    expect(await it.says(VMSet, "web")).toBe("False ProviderError no");
    isKept = false;
    await it.until(async () => (await it.says(VMSet, "web")) === "True AllReplicasReady 1/1 VMs ready", 20_000);
    expect(it.complaints).toEqual([]);
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
