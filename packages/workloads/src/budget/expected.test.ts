import type { KubeObject } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { MapLook } from "@telltale/runtime";
import { describe, expect, it } from "vitest";
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
const look = { get: (kind, { name }) => there[`${kind.kind} ${name}`] } as Pick<MapLook, "get">;
const share = { spec: { minAvailable: "50%" } };

it("pods that must be there are counted as they are", () => {
  expect(
    expectedOf({ spec: { minAvailable: 1 } }, [pod("a"), pod("b", owner("Widget", "w", "example.com/v1"))], look),
  ).toEqual({
    is: "known",
    count: 2,
    unmanaged: [],
  });
});

describe("a share is one of all that the controllers want", () => {
  const count = (...pods: Pod[]) => {
    const found = expectedOf(share, pods, look);
    return found.is === "known" ? found.count : found.why;
  };

  it("a Deployment counts once, whichever of its ReplicaSets the pods have", () => {
    expect(count(pod("a", owner("ReplicaSet", "web-1")), pod("b", owner("ReplicaSet", "web-2")))).toBe(5);
  });

  it("each controller counts", () => {
    expect(count(pod("a", owner("ReplicaSet", "lone")), pod("b", owner("StatefulSet", "db")))).toBe(10);
  });

  it("pods that nobody manages count for nothing, and are told", () => {
    const alone = pod("a");
    expect(expectedOf(share, [alone, pod("b", owner("StatefulSet", "db"))], look)).toEqual({
      is: "known",
      count: 7,
      unmanaged: [alone],
    });
  });

  it("is not known where a controller is gone, another one of the name, or has no scale", () => {
    expect(count(pod("a", owner("ReplicaSet", "gone")))).toBe('found no controllers for pod "a"');
    const other = { ...owner("StatefulSet", "db"), uid: "older" };
    expect(count(pod("a", other))).toBe('found no controllers for pod "a"');
    expect(count(pod("a", owner("Job", "j", "batch/v1")))).toBe("jobs.batch does not implement the scale subresource");
    expect(count(pod("a", owner("CronTab", "c", "stable.example.com/v1")))).toBe(
      "the scale of crontabs.stable.example.com is not read here; set minAvailable to a number of pods",
    );
  });
});
