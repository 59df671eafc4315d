import { expect, test } from "vitest";
import { messageOf, type Refusal } from "./message.ts";

const cpu: Refusal = { reasons: ["Insufficient cpu"], couldHelp: true };
const taint: Refusal = { reasons: ["node(s) had untolerated taint(s)"], couldHelp: false };

test("nodes are counted by what they say, and whether it would help to remove pods", () => {
  expect(messageOf({ by: "nodes", refusals: [taint, cpu, taint] }, true)).toBe(
    "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
  );
});

test("a node may lack several things, and says each", () => {
  const both: Refusal = { reasons: ["Insufficient memory", "Insufficient cpu"], couldHelp: false };
  expect(messageOf({ by: "nodes", refusals: [both] }, true)).toBe(
    "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  );
});

test("what no node can help", () => {
  expect(messageOf({ by: "pod", reason: 'persistentvolumeclaim "data" not found', nodes: 2 }, true)).toBe(
    '0/2 nodes are available: persistentvolumeclaim "data" not found. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
  );
});

test("a pod that may not have others removed, and a cluster without nodes", () => {
  expect(messageOf({ by: "nodes", refusals: [cpu] }, false)).toBe(
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  );
  expect(messageOf({ by: "nodes", refusals: [] }, true)).toBe("no nodes available to schedule pods");
  expect(messageOf({ by: "pod", reason: "x", nodes: 0 }, true)).toBe("no nodes available to schedule pods");
});
