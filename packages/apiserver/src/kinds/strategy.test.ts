import { describe, expect, test } from "vitest";
import { builtinStrategy as kind } from "../../test/strategies.ts";
import { at, type JsonObject } from "../json.ts";
import { serviceAllocator } from "./allocator.ts";
import { prepareApproval, validateApproval } from "./certificates.ts";
import { toNewEvent } from "./event-conversion.ts";

const now = "2026-01-01T00:00:00Z";

describe("status", () => {
  const context = { ...serviceAllocator(), uid: "u", now };

  test("S06 a Deployment's status endpoint keeps spec and labels, takes annotations and finalizers", () => {
    const old: JsonObject = { metadata: { name: "d" }, spec: { replicas: 1 }, status: {} };
    const sent: JsonObject = {
      metadata: { name: "d", labels: { x: "1" }, annotations: { y: "1" }, finalizers: ["x.io/f"] },
      spec: { replicas: 9 },
      status: { replicas: 2 },
    };
    expect(kind("apps", "Deployment").prepareStatusUpdate(sent, old, context)).toEqual({
      metadata: { name: "d", annotations: { y: "1" }, finalizers: ["x.io/f"] },
      spec: { replicas: 1 },
      status: { replicas: 2 },
    });
  });

  test("S06 a Pod's keeps its owners and its QoS class, and takes labels", () => {
    const old: JsonObject = {
      metadata: { name: "p" },
      spec: { a: 1 },
      status: { phase: "Pending", qosClass: "BestEffort" },
    };
    const sent: JsonObject = {
      metadata: { name: "p", labels: { x: "1" }, ownerReferences: [{}], deletionTimestamp: now },
      spec: { a: 2 },
      status: { phase: "Running" },
    };
    expect(kind("", "Pod").prepareStatusUpdate(sent, old, context)).toEqual({
      metadata: { name: "p", labels: { x: "1" } },
      spec: { a: 1 },
      status: { phase: "Running", qosClass: "BestEffort" },
    });
  });

  test("S19 approval is stamped and stays", () => {
    const old: JsonObject = { metadata: { name: "c" }, spec: {}, status: {} };
    const yes: JsonObject = { ...old, status: { conditions: [{ type: "Approved", status: "True" }] } };
    const approved = prepareApproval(yes, old, now);
    expect(at(approved, "status", "conditions")).toEqual([
      { type: "Approved", status: "True", lastUpdateTime: now, lastTransitionTime: now },
    ]);
    const denied: JsonObject = { ...old, status: { conditions: [{ type: "Denied", status: "True" }] } };
    expect(validateApproval(denied, approved).map((e) => `${e.field}: ${e.body}`)).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
  });
});

describe("field selectors", () => {
  test("R25 what a pod can be selected by", () => {
    const pod = kind("", "Pod");
    const fields = pod.selectable({ metadata: { name: "p" }, spec: { nodeName: "n1" }, status: { phase: "Running" } });
    expect(fields).toMatchObject({
      "spec.nodeName": "n1",
      "spec.host": "n1",
      "spec.hostNetwork": "false",
      "status.phase": "Running",
    });
    expect(fields["status.podIPs"]).toBeUndefined();
    expect(pod.fieldSelectorError("status.podIPs")).toBeUndefined();
    expect(pod.fieldSelectorError("bogus")).toBe("field label not supported: bogus");
  });

  test("R24, R26 the words for what is not supported differ by kind", () => {
    expect(kind("", "ConfigMap").fieldSelectorError("bogus")).toBe(
      '"bogus" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    expect(kind("batch", "Job").fieldSelectorError("status.active")).toBe(
      'field label "status.active" not supported for Job',
    );
    expect(kind("", "Node").fieldSelectorError("metadata.namespace")).toBe(
      "field label not supported: metadata.namespace",
    );
    expect(kind("rbac.authorization.k8s.io", "ClusterRole").fieldSelectorError("metadata.namespace")).toBeUndefined();
    expect(kind("", "Secret").fieldSelectorError("type")).toBeUndefined();
  });

  test("R28 events by either name", () => {
    const core = { involvedObject: { kind: "Pod", name: "p" }, source: { component: "kubelet" }, reason: "R" };
    expect(kind("", "Event").selectable(core)).toMatchObject({
      "involvedObject.kind": "Pod",
      source: "kubelet",
      reason: "R",
    });
    const other = kind("events.k8s.io", "Event");
    expect(other.selectable(toNewEvent(core))).toMatchObject({ "regarding.kind": "Pod" });
    expect(other.fieldSelectorError("involvedObject.kind")).toBe("field label not supported: involvedObject.kind");
  });
});
