import type { Pod } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { container, pod } from "../../test/pod-parts.ts";
import { allocatableOf, requestsOf, shortages } from "./resources.ts";

const asking = (name: string, requests: Record<string, string>, more = {}) =>
  container(name, { resources: { requests }, ...more });
const amounts = (spec: Partial<NonNullable<Pod["spec"]>>) => Object.fromEntries(requestsOf(pod(spec)).amounts);

test("containers together, or the largest step before them, with sidecars beside both, and overhead", () => {
  const containers = [asking("a", { cpu: "100m", memory: "1Gi" }), asking("b", { cpu: "1", "example.com/gpu": "2" })];
  expect(amounts({ containers })).toEqual({ cpu: 1_100, memory: 2 ** 30, "example.com/gpu": 2 });
  const large = [asking("init", { cpu: "5" })];
  expect(amounts({ containers, initContainers: large })["cpu"]).toBe(5_000);
  const sidecar = [asking("side", { cpu: "500m" }, { restartPolicy: "Always" }), asking("init", { cpu: "1" })];
  expect(amounts({ containers, initContainers: sidecar })["cpu"]).toBe(1_600);
  expect(amounts({ containers, overhead: { cpu: "250m" } })["cpu"]).toBe(1_350);
});

test("a container that asks for nothing is taken to need some when nodes are compared", () => {
  expect(requestsOf(pod()).likely).toEqual({ cpu: 100, memory: 200 * 1024 * 1024 });
  expect(requestsOf(pod({ containers: [asking("a", { cpu: "1" })] })).likely).toEqual({
    cpu: 1_000,
    memory: 200 * 1024 * 1024,
  });
  expect(requestsOf(pod()).amounts.size).toBe(0);
});

test("what a node lacks, and whether an empty one would do", () => {
  const there = allocatableOf({ status: { allocatable: { cpu: "2", memory: "1Gi", pods: "3" } } });
  const want = requestsOf(pod({ containers: [asking("a", { cpu: "1", memory: "2Gi", "example.com/gpu": "1" })] }));
  const load = { used: new Map([["cpu", 1_500]]), likely: { cpu: 0, memory: 0 }, pods: 3 };
  expect(shortages(want, load, there)).toEqual([
    { reason: "Too many pods", isHopeless: false },
    { reason: "Insufficient cpu", isHopeless: false },
    { reason: "Insufficient memory", isHopeless: true },
    { reason: "Insufficient example.com/gpu", isHopeless: true },
  ]);
  const idle = { used: new Map(), likely: { cpu: 0, memory: 0 }, pods: 2 };
  expect(shortages(requestsOf(pod()), idle, there)).toEqual([]);
});

test("a node of which nothing is known has room for nobody", () => {
  const idle = { used: new Map(), likely: { cpu: 0, memory: 0 }, pods: 0 };
  expect(shortages(requestsOf(pod()), idle, allocatableOf({}))).toEqual([
    { reason: "Too many pods", isHopeless: false },
  ]);
});
