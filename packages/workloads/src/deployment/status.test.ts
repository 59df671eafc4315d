import { formatTime, instant } from "@telltale/kinds";
import type { Deployment, ReplicaSet } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { statusOf } from "./status.ts";

const start = instant(Date.UTC(2026, 0, 1));
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [] } };
const at = (ms: number) => instant(start + ms);

function deployment(reason: string, counts: Deployment["status"] = {}): Deployment {
  const time = formatTime(start);
  const told = {
    type: "Progressing",
    status: "True",
    reason,
    message: "",
    lastUpdateTime: time,
    lastTransitionTime: time,
  };
  return {
    metadata: { name: "web", generation: 1 },
    spec: { replicas: 2, selector: {}, template, progressDeadlineSeconds: 4 },
    status: { observedGeneration: 1, conditions: [told], ...counts },
  };
}

function set(status: ReplicaSet["status"], replicas = 2): ReplicaSet {
  return { metadata: { name: "web-1" }, spec: { replicas, selector: {}, template }, ...(status ? { status } : {}) };
}

const reasonOf = ({ status }: ReturnType<typeof statusOf>) =>
  status?.conditions?.find(({ type }) => type === "Progressing")?.reason;

test("a deadline of 4 s is looked at after 5, and passed only when more than 4 have gone by", () => {
  const stuck = { deployment: deployment("ReplicaSetUpdated"), sets: [set({ replicas: 0 })] };
  const waiting = statusOf(stuck, at(4000));
  expect([reasonOf(waiting), waiting.wakeAt]).toEqual(["ReplicaSetUpdated", at(5000)]);
  const late = statusOf(stuck, at(5000));
  expect([reasonOf(late), late.wakeAt]).toEqual(["ProgressDeadlineExceeded", undefined]);
});

test("each move is a sign of life: the time of the update changes, that of the transition does not", () => {
  const moved = statusOf({ deployment: deployment("ReplicaSetUpdated"), sets: [set({ replicas: 1 })] }, at(3000));
  const told = moved.status?.conditions?.find(({ type }) => type === "Progressing");
  expect([told?.lastUpdateTime, told?.lastTransitionTime]).toEqual([formatTime(at(3000)), formatTime(start)]);
  expect(moved.wakeAt).toBe(at(8000));
});

test("once all was available, a lost pod changes only the availability", () => {
  const before = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
  const it = {
    deployment: deployment("NewReplicaSetAvailable", before),
    sets: [set({ replicas: 2, availableReplicas: 1 })],
  };
  const said = statusOf(it, at(60_000));
  expect(reasonOf(said)).toBe("NewReplicaSetAvailable");
  expect(said.status?.conditions?.find(({ type }) => type === "Available")?.status).toBe("False");
});

test("a ReplicaSet's failure is the Deployment's, the current one's first, and goes with it", () => {
  const failed = (message: string) => ({
    replicas: 0,
    conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message }],
  });
  const other = {
    ...set(failed("old")),
    metadata: { name: "web-0" },
    spec: { replicas: 0, selector: {}, template: {} },
  };
  const it = deployment("ReplicaSetUpdated");
  const failure = (said: ReturnType<typeof statusOf>) =>
    said.status?.conditions?.find(({ type }) => type === "ReplicaFailure")?.message;
  const said = statusOf({ deployment: it, sets: [other, set(failed("new"))] }, start);
  expect(failure(said)).toBe("new");
  const again = { ...it, status: said.status ?? {} };
  expect(failure(statusOf({ deployment: again, sets: [set({ replicas: 2 })] }, start))).toBeUndefined();
});

test("a name that another template has is counted, and tried again under another name", () => {
  const said = statusOf({ deployment: deployment("ReplicaSetUpdated"), sets: [], happening: { is: "taken" } }, start);
  expect([said.status?.collisionCount, said.retry]).toEqual([1, true]);
});
