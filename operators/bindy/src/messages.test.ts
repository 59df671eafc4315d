// Section 5.7 and the texts of 5.6, byte for byte.
import { text } from "@telltale/status";
import { expect, test } from "vitest";
import {
  beingDeleted,
  childInstanceSays,
  clusterSays,
  globalClusterSays,
  instanceSays,
  invalid,
  podSays,
  recordSays,
  secretsForbidden,
  zoneSays,
} from "./messages.ts";

const many = ["z/7", "a/1", "b/2", "c/3", "d/4", "e/5", "f/6"];
const one = { ready: 1, total: 2 };
const where = { primaries: 2, secondaries: 1, endpoints: 3, records: 8 };

test.each([
  [instanceSays.allReady(1), "All 1 pods are ready"],
  [instanceSays.someReady(1, 2), "1/2 pods are ready"],
  [instanceSays.noneReady(), "No pods are ready"],
  [
    instanceSays.noneReadyBecause(text`Cannot connect to Bindcar API`),
    "No pods are ready: Cannot connect to Bindcar API",
  ],
  [instanceSays.noChildren(), "No pods found for this instance"],
  [instanceSays.waiting(), "Waiting for pods to become ready"],
  [instanceSays.pending(), "No pods are ready: waiting for pods to be scheduled"],
  [instanceSays.crashing(), "No pods are ready: pods are crashing"],
  [instanceSays.deadlineExceeded(), "No pods are ready: deployment exceeded its progress deadline"],
  [
    instanceSays.createFailed(secretsForbidden("dns")),
    "Failed to create resources: operator may not create secrets in namespace dns",
  ],
  [instanceSays.unreadable(), "Unable to determine deployment status"],
  [clusterSays.allReady(3), "All 3 instances are ready"],
  [clusterSays.someReady(2, 3), "2/3 instances are ready"],
  [clusterSays.noneReady(), "No instances are ready"],
  [clusterSays.noChildren(), "No instances found for this cluster"],
  [clusterSays.created(3), "Created 3 instances, waiting for them to become ready"],
  [clusterSays.scaling(2, 4), "Scaling instances to 4: 2/4 instances are ready"],
  [clusterSays.pending(3, 3), "Waiting for 3 of 3 instances to be created"],
  [globalClusterSays.allReady(["b/x", "a/x"]), "All 2 clusters are ready (a/x, b/x)"],
  [globalClusterSays.someReady(1, 2, ["b/x"]), "1/2 clusters are ready (not ready: b/x)"],
  [globalClusterSays.noneReady(many), "No clusters are ready (a/1, b/2, c/3, d/4, e/5, and 2 more)"],
  [globalClusterSays.noChildren(), "No clusters found for this global cluster"],
  [invalid("spec.ttl", text`is below 0`), "Invalid configuration: spec.ttl: is below 0"],
  [beingDeleted("Bind9Cluster", "x"), "Bind9Cluster x is being deleted"],
  [
    zoneSays.configured("example.com", where),
    "Zone example.com configured on 2 primary and 1 secondary instance(s) (3 endpoint(s)), discovered 8 DNS record(s)",
  ],
  [
    zoneSays.partial("example.com", one, { ready: 0, total: 1 }, 2, 0),
    "Zone example.com configured on 1/2 primary and 0/1 secondary instance(s) - 2 instance(s) pending",
  ],
  [
    zoneSays.partial("example.com", one, { ready: 0, total: 1 }, 2, 1),
    "Zone example.com configured on 1/2 primary and 0/1 secondary instance(s) - 2 instance(s) pending, 1 of them could not be asked",
  ],
  [
    zoneSays.unknown("example.com", 1, 3, 2, text`Cannot connect to Bindcar API`),
    "Zone example.com is on 1/3 instance(s), 2 could not be asked: Cannot connect to Bindcar API",
  ],
  [zoneSays.duplicate("example.com", ["b/y", "a/x"]), "Zone 'example.com' is already claimed by: a/x, b/y"],
  [
    zoneSays.degraded("example.com"),
    "Zone example.com reconciliation completed with degraded state - see Degraded condition for details",
  ],
  [recordSays.added("A", "example.com"), "A record added to zone example.com"],
  [recordSays.notSelected(), "Record not selected by any DNSZone recordsFrom selector"],
  [recordSays.zoneNotFound({ namespace: "a", name: "x" }), "Referenced DNSZone a/x not found"],
  [recordSays.zoneNotConfigured(text`x`), "DNSZone has no instances: x"],
  [recordSays.noPrimaries(), "DNSZone has no primary instances configured"],
  [recordSays.failed(text`x`), "Failed to add record to zone: x"],
  [
    recordSays.conflict("CNAME", "www.example.com.", { kind: "ARecord", namespace: "a", name: "x" }),
    "CNAME record www.example.com. conflicts with ARecord a/x",
  ],
  [recordSays.invalid("target", text`is not a name`), "Invalid record data: target: is not a name"],
])("%s", (said, expected) => expect(said).toBe(expected));

test.each([
  [podSays.ready("p"), "Pod p is ready"],
  [podSays.unscheduled("p"), "Pod p is waiting to be scheduled"],
  [
    podSays.unscheduled("p", text`0/3 nodes are available`),
    "Pod p is waiting to be scheduled (0/3 nodes are available)",
  ],
  [
    podSays.crashing("p", "bind9", "CrashLoopBackOff", 7),
    "Pod p is crashing (container bind9: CrashLoopBackOff, 7 restarts)",
  ],
  [podSays.starting("p", "bind9", "ContainerCreating"), "Pod p is progressing (container bind9: ContainerCreating)"],
  [podSays.blocked("p", "bind9", "ImagePullBackOff"), "Pod p is not ready (container bind9: ImagePullBackOff)"],
  [podSays.notReady("p"), "Pod p is not ready"],
  [podSays.notReady("p", "ContainersNotReady"), "Pod p is not ready (ContainersNotReady)"],
  [podSays.lost("p"), "Pod p state is unknown (node unreachable)"],
  [podSays.bindcar("p", text`cannot connect to Bindcar API`), "Pod p cannot connect to Bindcar API"],
  [podSays.behind("p", "example.com", 1, 2), "Pod p has not transferred zone example.com (serial 1, expected 2)"],
])("A-09 %s: its second word is the pod", (said, expected) => {
  expect(said).toBe(expected);
  expect(said.split(" ")[1]).toBe("p");
});

test.each([
  [childInstanceSays.ready("i", one), "Instance i is ready (1/2 pods)"],
  [childInstanceSays.progressing("i", one), "Instance i is progressing (1/2 pods)"],
  [childInstanceSays.stale("i", one, 3), "Instance i is progressing (1/2 pods, waiting for generation 3)"],
  [childInstanceSays.beingDeleted("i"), "Instance i is being deleted"],
  [childInstanceSays.noneReady("i", one), "Instance i has no ready pods (1/2 pods)"],
  [childInstanceSays.pending("i", one), "Instance i is waiting for pods to be scheduled (1/2 pods)"],
  [childInstanceSays.crashing("i", one), "Instance i has crashing pods (1/2 pods)"],
  [childInstanceSays.noPods("i"), "Instance i has no pods"],
  [childInstanceSays.deadlineExceeded("i", one), "Instance i exceeded its progress deadline (1/2 pods)"],
  [childInstanceSays.invalid("i"), "Instance i has an invalid configuration"],
  [
    childInstanceSays.bindcar("i", text`cannot connect to Bindcar API`, one),
    "Instance i cannot connect to Bindcar API (1/2 pods)",
  ],
])("%s: its second word is the instance", (said, expected) => {
  expect(said).toBe(expected);
  expect(said.split(" ")[1]).toBe("i");
});
