import { instant, plus } from "@telltale/kinds";
import { expect, test } from "vitest";
import { daemon, node, nodes, now, podOn, viewOf } from "../../test/daemons.ts";
import { dueAt, statusOf } from "./status.ts";

const two = nodes(2);

test("counters that are always there, and those only when not zero", () => {
  expect(statusOf(viewOf(daemon(), [], []), 0, now)).toEqual({
    observedGeneration: 2,
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
  });
});

test("a node counts by the first of its pods", () => {
  const pods = [podOn("node-1", "Ready", "old"), podOn("node-1", "Unready", "new"), podOn("node-2", "Unready")];
  expect(statusOf(viewOf(daemon(), two, pods), undefined, now)).toEqual({
    observedGeneration: 2,
    currentNumberScheduled: 2,
    desiredNumberScheduled: 2,
    numberMisscheduled: 0,
    numberReady: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
    updatedNumberScheduled: 1,
  });
});

test("a pod where none should be is told of, and one that has ended and is going counts nowhere", () => {
  const refuge = node("node-1", { taints: [{ key: "x", effect: "NoSchedule" }] });
  const pods = [podOn("node-1"), podOn("node-2", "Gone")];
  expect(statusOf(viewOf(daemon(), [refuge, node("node-2")], pods), undefined, now)).toMatchObject({
    currentNumberScheduled: 0,
    desiredNumberScheduled: 1,
    numberMisscheduled: 1,
    numberUnavailable: 1,
  });
});

test("a ready pod that has not run for long enough is not available, and it is known when it will be", () => {
  const seen = viewOf(daemon({ minReadySeconds: 7200 }), two, [podOn("node-1")]);
  expect(statusOf(seen, undefined, now)).toMatchObject({ numberReady: 1, numberUnavailable: 2 });
  expect(dueAt(seen, now)).toBe(plus(instant(Date.parse("2026-01-01T00:00:00Z")), 7_200_000));
});

test("collisions are told of once there are any, and what others said stays", () => {
  const conditions = [{ type: "Odd", status: "True" }];
  const set = { ...daemon(), status: { conditions } as never };
  expect(statusOf(viewOf(set, [], []), 3, now)).toMatchObject({ collisionCount: 3, conditions });
});
