import type { KubeObject } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { describe, expect, it } from "vitest";
import type { ReadScale, ScaleResult } from "../objects/scale.ts";
import { expectedOf } from "./expected.ts";

const owner = (kind: string, name: string, apiVersion = "apps/v1") => ({
  apiVersion,
  kind,
  name,
  uid: `${name}-uid`,
  controller: true,
});
const pod = (name: string, of?: ReturnType<typeof owner>): Pod => ({
  metadata: { name, namespace: "ns", ...(of === undefined ? {} : { ownerReferences: [of] }) },
});
const scaled = (name: string, replicas: number, of?: ReturnType<typeof owner>) => ({
  metadata: { name, namespace: "ns", uid: `${name}-uid`, ...(of === undefined ? {} : { ownerReferences: [of] }) },
  spec: { replicas },
});
const there: Readonly<Record<string, KubeObject>> = {
  "Deployment web": scaled("web", 5),
  "ReplicaSet web-1": scaled("web-1", 2, owner("Deployment", "web")),
  "ReplicaSet web-2": scaled("web-2", 4, owner("Deployment", "web")),
  "ReplicaSet lone": scaled("lone", 3),
  "StatefulSet db": scaled("db", 7),
};
// What is looked for decides what is found.
const look = { get: (kind, { name }) => there[`${kind.kind} ${name}`] } as Look;
const scales: Readonly<Record<string, ScaleResult>> = {
  "Job batch/v1": { is: "not scalable", resource: "jobs.batch" },
  "Widget example.com/v1": { is: "found", uid: "w-uid", desired: 6, current: 2, selector: "" },
  "Gadget example.com/v1": { is: "failed", why: "forbidden" },
  "Unknown example.com/v1": { is: "unknown kind", why: "no matches" },
};
const readScale: ReadScale = async ({ kind, group, version }) =>
  scales[`${kind} ${group}/${version}`] ?? { is: "missing", why: "not found" };
const share = { spec: { minAvailable: "50%" } };

it("pods that must be there are counted as they are, and nothing is asked for", async () => {
  const list = [pod("a"), pod("b", owner("Widget", "w", "example.com/v1"))];
  const unread = () => Promise.reject(new Error("a scale was read"));
  expect(await expectedOf({ spec: { minAvailable: 1 } }, list, look, unread)).toEqual({
    is: "known",
    isRead: false,
    count: 2,
    unmanaged: [],
  });
});

describe("a share is one of all that the controllers want", () => {
  const count = async (...pods: Pod[]) => {
    const found = await expectedOf(share, pods, look, readScale);
    return found.is === "known" ? found.count : found.why;
  };

  it("a Deployment counts once, whichever of its ReplicaSets the pods have", async () => {
    expect(await count(pod("a", owner("ReplicaSet", "web-1")), pod("b", owner("ReplicaSet", "web-2")))).toBe(5);
  });

  it("each controller counts", async () => {
    expect(await count(pod("a", owner("ReplicaSet", "lone")), pod("b", owner("StatefulSet", "db")))).toBe(10);
  });

  it("pods that nobody manages count for nothing, and are told", async () => {
    const alone = pod("a");
    const pods = [alone, pod("b", owner("StatefulSet", "db"))];
    expect(await expectedOf(share, pods, look, readScale)).toEqual({
      is: "known",
      isRead: false,
      count: 7,
      unmanaged: [alone],
    });
  });

  it("is not known where a controller is gone, another one of the name, or has no scale", async () => {
    expect(await count(pod("a", owner("ReplicaSet", "gone")))).toBe('found no controllers for pod "a"');
    const other = { ...owner("StatefulSet", "db"), uid: "older" };
    expect(await count(pod("a", other))).toBe('found no controllers for pod "a"');
    expect(await count(pod("a", owner("Job", "j", "batch/v1")))).toBe(
      "jobs.batch does not implement the scale subresource",
    );
  });

  it("is that of the scale where the kind is another one, which nothing tells of", async () => {
    const pods = [
      pod("a", owner("Widget", "w", "example.com/v1")),
      pod("b", owner("Widget", "w", "example.com/v1")),
      pod("c", owner("StatefulSet", "db")),
    ];
    expect(await expectedOf(share, pods, look, readScale)).toMatchObject({ is: "known", isRead: true, count: 13 });
    expect(await count(pod("a", owner("Widget", "other", "example.com/v1")))).toBe('found no controllers for pod "a"');
    expect(await count(pod("a", owner("Gadget", "g", "example.com/v1")))).toBe("forbidden");
    expect(await count(pod("a", owner("Unknown", "u", "example.com/v1")))).toBe("no matches");
  });
});
