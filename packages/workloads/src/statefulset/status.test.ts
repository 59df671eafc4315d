import { instant, plus } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { member, now, setOf, updating } from "../../test/members.ts";
import { dueAt, statusOf } from "./status.ts";

const [one, two] = [updating.current.metadata?.name ?? "", updating.update.metadata?.name ?? ""];
const names = { current: one, update: two, collisions: 0 };
const told = (pods: readonly Pod[], set = setOf()) => statusOf(set, pods, names, now);

test("counters that are always there, and those only when not zero", () => {
  expect(told([])).toEqual({
    observedGeneration: 1,
    replicas: 0,
    availableReplicas: 0,
    collisionCount: 0,
    currentRevision: one,
    updateRevision: two,
  });
});

test("a member that was asked to go is there until it is gone, ready as long as it is, and of no revision", () => {
  expect(told([member(0), member(1, "Leaving"), member(2, "LeavingUnready", 2)])).toMatchObject({
    replicas: 3,
    readyReplicas: 2,
    availableReplicas: 2,
    currentReplicas: 1,
  });
  expect(told([member(2, "LeavingUnready", 2)])).not.toHaveProperty("updatedReplicas");
});

test("an update is complete when all are there, ready and of the new revision", () => {
  const fresh = [member(0, "Ready", 2), member(1, "Ready", 2)];
  expect(told([...fresh, member(2, "Unready", 2)])).toMatchObject({ currentRevision: one, updatedReplicas: 3 });
  expect(told([...fresh, member(2, "Unready", 2)])).not.toHaveProperty("currentReplicas");
  const done = [...fresh, member(2, "Ready", 2)];
  expect(told(done)).toMatchObject({ currentRevision: two, currentReplicas: 3, updatedReplicas: 3 });
  expect(told([...done, member(3, "Ready", 2)])).toMatchObject({ currentRevision: one });
  expect(told([...done, member(3, "LeavingUnready", 1)])).toMatchObject({ currentRevision: one });
  const byHand = setOf({ updateStrategy: { type: "OnDelete" } });
  expect(told(done, byHand)).toMatchObject({ currentRevision: one, updatedReplicas: 3 });
});

test("rule 79: a ready member that has not run for long enough is not available, and it is known when it will be", () => {
  const set = setOf({ minReadySeconds: 7200 });
  expect(told([member(0)], set)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
  expect(dueAt(set, [member(0)], now)).toBe(plus(instant(Date.parse("2026-01-01T00:00:00Z")), 7_200_000));
  expect(dueAt(setOf(), [member(0)], now)).toBeUndefined();
});

test("a set that went before it had a revision says none", () => {
  const status = statusOf(setOf(), [], { current: undefined, update: undefined, collisions: 2 }, now);
  expect(status).toEqual({ observedGeneration: 1, replicas: 0, availableReplicas: 0, collisionCount: 2 });
});
