import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { podCondition } from "./pod.ts";
import { isLive, podView } from "./pod-view.ts";

const pod = (status: NonNullable<Pod["status"]>, metadata: object = {}): Pod => ({
  metadata: { name: "x", uid: "u", ...metadata },
  spec: { nodeName: "n", containers: [{ name: "bind9" }, { name: "api" }] },
  status,
});
const container = (name: string, more: object) => ({
  name,
  image: "",
  imageID: "",
  ready: false,
  restartCount: 0,
  ...more,
});

describe("a pod as the kubelet tells of it", () => {
  test("A-21 a pod that goes away, and one that was evicted, are no children", () => {
    expect(isLive(pod({ phase: "Running" }))).toBe(true);
    expect(isLive(pod({ phase: "Running" }, { deletionTimestamp: "2025-01-01T00:00:00Z" }))).toBe(false);
    expect(["Succeeded", "Failed"].map((phase) => isLive(pod({ phase })))).toEqual([false, false]);
  });

  test("P-3 a container that ended badly again and again is crashing, with the reason of its end", () => {
    const lastState = { terminated: { exitCode: 1, reason: "Error" } };
    const said = podCondition(
      podView(
        pod({
          phase: "Running",
          containerStatuses: [container("bind9", { restartCount: 4, lastState, state: { running: {} } })],
        }),
      ),
    );
    expect(said.message).toBe("Pod x is crashing (container bind9: Error, 4 restarts)");
  });

  test("P-3 an init container counts, unless it has done its work", () => {
    const init = (exitCode: number) =>
      podView(
        pod({
          phase: "Running",
          conditions: [{ type: "Ready", status: "True" }],
          initContainerStatuses: [container("init", { restartCount: 3, state: { terminated: { exitCode } } })],
          containerStatuses: [container("bind9", { ready: true, state: { running: {} } })],
        }),
        { probe: { kind: "succeeded" } },
      );
    expect([podCondition(init(1)).row, podCondition(init(0)).row]).toEqual(["P-3", "P-9"]);
  });

  test("P-5 a pod without any container status is starting its first container", () => {
    expect(podCondition(podView(pod({ phase: "Pending" }))).message).toBe(
      "Pod x is progressing (container bind9: ContainerCreating)",
    );
  });
});
