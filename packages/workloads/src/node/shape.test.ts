import { describe, expect, test } from "vitest";
import { at } from "../../test/pod-parts.ts";
import { freeAddress, labelsOf, nodeOf, retellAt, statusOf } from "./shape.ts";

const options = { name: "node-1" };

test("a node has the labels, the amounts and the conditions that a kubelet gives it", () => {
  const { metadata, status, spec } = nodeOf(
    {
      ...options,
      labels: { zone: "a" },
      capacity: { cpu: "2", "example.com/gpu": "1" },
      taints: [{ key: "gpu", effect: "NoSchedule" }],
    },
    "10.0.0.1",
    at(0),
  );
  expect(metadata?.labels).toMatchObject({
    "kubernetes.io/hostname": "node-1",
    "kubernetes.io/os": "linux",
    zone: "a",
  });
  expect(spec?.taints).toEqual([{ key: "gpu", effect: "NoSchedule" }]);
  expect(status?.capacity).toEqual({
    cpu: "2",
    memory: "16Gi",
    "ephemeral-storage": "100Gi",
    pods: "1k",
    "example.com/gpu": "1",
  });
  expect(status?.allocatable).toEqual(status?.capacity);
  expect(status?.addresses).toEqual([
    { type: "InternalIP", address: "10.0.0.1" },
    { type: "Hostname", address: "node-1" },
  ]);
  expect(status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
    ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
    ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
    ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
    ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
  ]);
});

test("an amount that is none is refused by name", () => {
  const wrong = { ...options, capacity: { cpu: "lots" } };
  expect(() => nodeOf(wrong, "10.0.0.1", at(0))).toThrow(
    'node node-1: capacity.cpu is "lots"; write an amount such as 8, 500m or 16Gi',
  );
  expect(() => nodeOf({ ...options, capacity: { memory: "-1" } }, "10.0.0.1", at(0))).toThrow("capacity.memory");
});

describe("the status", () => {
  const before = nodeOf(options, "10.0.0.1", at(0)).status;

  test("is the very same as long as nothing is new, for five minutes", () => {
    expect(statusOf(options, before, "10.0.0.9", at(299))).toBe(before);
    const later = statusOf(options, before, "10.0.0.9", at(300));
    expect(later.conditions?.map(({ lastHeartbeatTime }) => lastHeartbeatTime)).toEqual(
      Array(4).fill("2026-01-01T00:05:00Z"),
    );
    expect(later.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(
      Array(4).fill("2026-01-01T00:00:00Z"),
    );
    expect(retellAt({ status: later }, at(0))).toBe(at(600));
  });

  test("is told at once when somebody said otherwise, and keeps what is not ours", () => {
    const foreign = { type: "NetworkUnavailable", status: "False" };
    const conditions = before?.conditions?.map((it) => (it.type === "Ready" ? { ...it, status: "Unknown" } : it)) ?? [];
    const said = {
      ...before,
      conditions: [foreign, ...conditions],
      allocatable: { ...before?.allocatable, "example.com/gpu": "1" },
    };
    const { conditions: now, allocatable } = statusOf(options, said, "10.0.0.9", at(50));
    expect(now?.[0]).toBe(foreign);
    expect(now?.at(-1)).toMatchObject({ status: "True", lastTransitionTime: "2026-01-01T00:00:50Z" });
    expect(allocatable).toMatchObject({ "example.com/gpu": "1" });
  });
});

test("labels of our own come last", () => {
  expect(labelsOf({ ...options, labels: { "kubernetes.io/arch": "arm64" } })["kubernetes.io/arch"]).toBe("arm64");
});

test("each node has an address that no other node and no Service has", () => {
  expect(freeAddress(new Set())).toBe("10.0.1.1");
  expect(freeAddress(new Set(["10.0.1.1", "10.0.1.2"]))).toBe("10.0.1.3");
  expect(freeAddress(new Set(Array.from({ length: 254 }, (_, i) => `10.0.1.${i + 1}`)))).toBe("10.0.2.1");
});
