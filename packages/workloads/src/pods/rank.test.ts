import type { Pod } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { leastWanted } from "./rank.ts";

interface Traits {
  readonly node?: string;
  readonly phase?: string;
  readonly readyAt?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly born?: string;
}

function pod(name: string, { node, phase = "Running", readyAt, cost, restarts = 0, born }: Traits): Pod {
  return {
    metadata: {
      name,
      creationTimestamp: born ?? "2026-01-01T00:00:00Z",
      ...(cost === undefined ? {} : { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
    },
    spec: { containers: [], ...(node === undefined ? {} : { nodeName: node }) },
    status: {
      phase,
      conditions: readyAt === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: readyAt }],
      containerStatuses: [{ name: "main", image: "", imageID: "", ready: true, restartCount: restarts }],
    },
  };
}

const ready = { node: "a", readyAt: "2026-01-01T00:00:10Z" };

test.each([
  ["a pod without a node before one with a node", {}, { node: "a" }],
  ["a pending pod before a running one", { node: "a", phase: "Pending" }, { node: "b" }],
  ["a pod that is not ready before one that is", { node: "a" }, { ...ready, node: "b" }],
  ["a cheaper pod before a dearer one", { ...ready, cost: "-5" }, { ...ready, node: "b", cost: "7" }],
  [
    "a pod that became ready later before one that was ready earlier",
    { ...ready, readyAt: "2026-01-01T00:01:00Z" },
    { ...ready, node: "b" },
  ],
  ["a pod that was restarted more often before one that ran on", { ...ready, restarts: 3 }, { ...ready, node: "b" }],
  ["a younger pod before an older one", { ...ready, born: "2026-01-02T00:00:00Z" }, { ...ready, node: "b" }],
])("%s", (_, first, second) => {
  const [going, staying] = [pod("z", first), pod("a", second)];
  expect(leastWanted([staying, going], 1)).toEqual([going]);
});

test("one of two on the same node goes before one that is alone", () => {
  const pods = [
    pod("a", { ...ready, node: "alone" }),
    pod("b", { ...ready, node: "full" }),
    pod("c", { ...ready, node: "full" }),
  ];
  expect(leastWanted(pods, 1).map(({ metadata }) => metadata?.name)).toEqual(["b"]);
});

test("a cost that is no number counts as none", () => {
  const pods = [pod("a", { ...ready, cost: "cheap" }), pod("b", { ...ready, node: "b", cost: "-1" })];
  expect(leastWanted(pods, 1).map(({ metadata }) => metadata?.name)).toEqual(["b"]);
});
