// Section 21.1: what is said of a test, and how a condition is set.
import { type Condition, formatTime, instant } from "@telltale/kinds";
import { draft, setCondition } from "@telltale/status";
import { describe, expect, test } from "vitest";
import { demo, worker } from "../../test/demo.ts";
import { specHash } from "../build/index.ts";
import { standardConfig } from "../config.ts";
import { LocustTest, type LocustTestStatus } from "../kinds/locust-test.ts";
import { status } from "./status.ts";
import { nothingMade, type World } from "./world.ts";

const [t0, t1] = [instant(Date.UTC(2026, 0, 19, 22)), instant(Date.UTC(2026, 0, 19, 22, 5))];

const ready = (is: "True" | "False", reason: string, message: string) => ({
  type: "Ready",
  status: is,
  reason,
  message,
  observedGeneration: 1,
});
const creating = ready("False", "ResourcesCreating", "Creating resources");
const created = ready("True", "ResourcesCreated", "All resources created");
const failed = ready("False", "ResourcesFailed", "Job demo-worker: exceeded quota");

describe("a condition", () => {
  test("A01 that is new has the time and the generation", () => {
    const list: Condition[] = [];
    expect(setCondition(list, creating, t0)).toBe(true);
    expect(list).toEqual([{ ...creating, lastTransitionTime: formatTime(t0) }]);
  });

  test("A02 that turns has the time at which it did", () => {
    const list: Condition[] = [{ ...creating, lastTransitionTime: formatTime(t0) }];
    expect(setCondition(list, created, t1)).toBe(true);
    expect(list).toEqual([{ ...created, lastTransitionTime: formatTime(t1) }]);
  });

  test("A03 that is said again is as it was", () => {
    const list: Condition[] = [{ ...created, lastTransitionTime: formatTime(t0) }];
    expect(setCondition(list, created, t1)).toBe(false);
    expect(list).toEqual([{ ...created, lastTransitionTime: formatTime(t0) }]);
  });

  test("A04 that has another reason alone keeps its time", () => {
    const list: Condition[] = [{ ...creating, lastTransitionTime: formatTime(t0) }];
    expect(setCondition(list, failed, t1)).toBe(true);
    expect(list).toEqual([{ ...failed, lastTransitionTime: formatTime(t0) }]);
  });
});

test("A11 a test of which nothing exists yet is Pending, with its conditions in words", () => {
  const it = demo({ worker: worker({ replicas: 10 }) });
  const next = draft(LocustTest, it, t0, { strict: true });
  status(unmade(it), next, t0);
  const said = next.finish().status as LocustTestStatus;
  expect(said).toMatchObject({
    phase: "Pending",
    expectedWorkers: 10,
    connectedWorkers: 0,
    workersSource: "JobStatus",
  });
  expect(said.conditions).toEqual(
    [
      ["Ready", "False", "ResourcesCreating", "Creating resources"],
      ["WorkersConnected", "False", "WaitingForWorkers", "Waiting for workers to connect"],
      ["TestCompleted", "False", "TestInProgress", "Test has not started"],
      ["PodsHealthy", "Unknown", "PodsStarting", "Waiting for pods to start"],
      ["TelemetryAvailable", "Unknown", "WaitingForMaster", "Master pod is not running yet"],
    ].map(([type, is, reason, message]) => ({
      type,
      status: is,
      reason,
      message,
      observedGeneration: 1,
      lastTransitionTime: formatTime(t0),
    })),
  );
});

const unmade = (it: LocustTest): World => ({
  test: it,
  config: standardConfig,
  service: { is: "absent" },
  master: { is: "absent" },
  worker: { is: "absent" },
  last: {},
  pods: { master: [], worker: [] },
  complaints: new Map(),
  masterPod: undefined,
  isMasterReplaced: false,
  telemetry: {
    connectedWorkers: 0,
    workersSource: "JobStatus",
    condition: { status: "Unknown", reason: "WaitingForMaster", message: "Master pod is not running yet" },
    isLoaded: false,
    isFrozen: false,
    endedEarly: false,
    loadLength: "unknown",
    missingPods: [],
    testResult: undefined,
    progress: undefined,
  },
  invalid: [],
  hash: specHash(it.spec),
  making: nothingMade,
});
