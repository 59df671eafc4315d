// Section 22: what holds of the status whatever is seen, in whatever order.
import { deepEqual, formatTime, type Instant, instant, type Ms, plus } from "@telltale/kinds";
import type { Job, Pod, Service } from "@telltale/kinds/builtin";
import { draft } from "@telltale/status";
import fc from "fast-check";
import { expect, test } from "vitest";
import { demo, worker } from "../../test/demo.ts";
import { buildJob, buildService, specHash } from "../build/index.ts";
import { type Role, standardConfig } from "../config.ts";
import { LocustTest, type LocustTestStatus } from "../kinds/locust-test.ts";
import { decide, factsOf } from "./decide.ts";
import { status } from "./status.ts";
import { type Found, nothingMade, type World } from "./world.ts";

const secret = "hunter2";
const begin = instant(Date.UTC(2026, 0, 19, 22));

/** What one pass may see. Times of Jobs and pods are so many seconds before it. */
interface Seen {
  readonly after: Ms;
  readonly edit: boolean;
  readonly service: "absent" | "ours" | "foreign" | "earlier" | "leaving";
  readonly master: SeenJob;
  readonly worker: SeenJob;
  readonly buried: { readonly master: SeenJob | undefined; readonly worker: SeenJob | undefined };
  readonly pods: readonly SeenPod[];
  readonly telemetry: { readonly workers: number; readonly isLoaded: boolean; readonly isFrozen: boolean };
  readonly failure: "none" | "quota" | "invalid";
  readonly policy: "Fail" | "Recreate";
  readonly isInvalid: boolean;
}
type SeenPod = readonly [Role, string, NonNullable<Pod["status"]>];
interface SeenJob {
  readonly is: "absent" | "ours" | "foreign" | "leaving";
  readonly status: string;
  readonly isSuspended: boolean;
}

const seenJob: fc.Arbitrary<SeenJob> = fc.record({
  is: fc.constantFrom("ours", "ours", "ours", "ours", "absent", "leaving", "foreign"),
  status: fc.constantFrom("new", "active", "active", "settling", "complete", "failed"),
  isSuspended: fc.constantFrom(false, false, false, true),
});

const pull = { reason: "ErrImagePull", message: `pull //me:${secret}@registry` };
const creating = { reason: "ContainerCreating" };

const seenPods: readonly SeenPod[] = [
  ["master", "m", { phase: "Running" }],
  ["master", "m", { phase: "Failed", containerStatuses: [container("demo-master", { terminated: { exitCode: 1 } })] }],
  ["master", "m", { phase: "Succeeded", reason: "Evicted" }],
  ["worker", "w", { phase: "Running" }],
  ["worker", "w", { phase: "Pending", containerStatuses: [container("demo-worker", { waiting: pull })] }],
  ["worker", "v", { phase: "Pending", containerStatuses: [container("demo-worker", { waiting: creating })] }],
];

const seen: fc.Arbitrary<Seen> = fc.record({
  after: fc.constantFrom(0, 1_000, 31_000, 130_000, 700_000, 1_000_000),
  edit: fc.constantFrom(false, false, false, false, true),
  service: fc.constantFrom("ours", "ours", "ours", "ours", "absent", "foreign", "earlier", "leaving"),
  master: seenJob,
  worker: seenJob,
  buried: fc.record({
    master: fc.option(seenJob, { nil: undefined }),
    worker: fc.option(seenJob, { nil: undefined }),
  }),
  pods: fc.array(fc.constantFrom(...seenPods), { maxLength: 3 }),
  telemetry: fc.record({ workers: fc.nat(4), isLoaded: fc.boolean(), isFrozen: fc.boolean() }),
  failure: fc.constantFrom("none", "none", "none", "none", "quota", "invalid"),
  policy: fc.constantFrom("Fail", "Fail", "Fail", "Recreate"),
  isInvalid: fc.constantFrom(false, false, false, false, false, false, true),
});

test("a status said twice is the same, a time is said once, an end is not left, and no secret is in it", () => {
  fc.assert(
    fc.property(fc.array(seen, { minLength: 1, maxLength: 8 }), (steps) => {
      let [now, generation]: [Instant, number] = [begin, 1];
      let stored: LocustTestStatus | undefined;
      for (const step of steps) {
        now = plus(now, step.after);
        if (step.edit) generation += 1;
        const world = worldOf(step, now, generation, stored);
        const next = said(world, now);
        if (decide(world, factsOf(world, now), now).is !== "recreate") {
          expect(said({ ...world, test: { ...world.test, status: next } }, now)).toEqual(next);
        }
        if (stored !== undefined) follows(stored, next);
        expect(JSON.stringify(next)).not.toContain(secret);
        stored = next;
      }
    }),
    { seed: 1, numRuns: 1_000 },
  );
});

function said(world: World, now: Instant): LocustTestStatus {
  const next = draft(LocustTest, world.test, now, { strict: true });
  status(world, next, now);
  return next.finish().status as LocustTestStatus;
}

const ranks = { Pending: 0, Running: 1, Succeeded: 2, Failed: 2 } as const;

function follows(before: LocustTestStatus, after: LocustTestStatus): void {
  for (const once of ["startTime", "masterStartTime", "completionTime"] as const) {
    if (before[once] !== undefined) expect(after[once]).toBe(before[once]);
  }
  const [was, is] = [before.phase ?? "Pending", after.phase ?? "Pending"];
  if (ranks[is] < ranks[was]) expect([was, is]).toEqual(["Running", "Pending"]); // T22
  expect(after.completionTime !== undefined).toBe(ranks[is] === 2);
  if (is === "Running") expect(after.startTime).toBeDefined();
  if (ranks[was] < 2) return;
  expect(deepEqual(still(before), still(after))).toBe(true);
}

/** What of a finished test never changes. When its master ran may be learned later, once. */
function still({ conditions = [], observedGeneration: _, masterStartTime: _once, ...rest }: LocustTestStatus): object {
  return { ...rest, conditions: conditions.filter(({ type }) => type !== "SpecDrifted") };
}

function worldOf(step: Seen, now: Instant, generation: number, stored: LocustTestStatus | undefined): World {
  const first = demo({ master: { ...demo().spec.master, extraArgs: [`--token=${secret}`] } });
  const edited = { ...first.spec, worker: worker({ replicas: 2 + generation }) };
  const it: LocustTest = {
    ...first,
    metadata: { ...first.metadata, generation },
    spec: generation === 1 ? first.spec : edited,
    ...(stored !== undefined && { status: stored }),
  };
  const config = { ...standardConfig, onJobDeleted: step.policy };
  const job = (role: Role, { status: how, isSuspended }: SeenJob): Job => {
    const built = buildJob(first, role, config);
    const spec = { ...built.spec, suspend: isSuspended } as NonNullable<Job["spec"]>;
    return { ...built, spec, status: statuses[how]?.(plus(now, -20_000)) ?? {} };
  };
  const found = <T>(is: Seen["service"], object: T): Found<T> => {
    if (is === "absent") return { is };
    if (is === "earlier") return { is: "leaving", object, of: "earlier" };
    return is === "leaving" ? { is, object, of: "this" } : { is, object };
  };
  const [master, workers] = [
    found(step.master.is, job("master", step.master)),
    found(step.worker.is, job("worker", step.worker)),
  ];
  const service: Found<Service> = found(step.service, buildService(first, config));
  const podsOf = (role: Role): readonly Pod[] =>
    step.pods
      .filter(([of]) => of === role)
      .map(([, name, podStatus]) => ({
        metadata: { name, uid: name, creationTimestamp: formatTime(plus(now, -125_000)) },
        spec: { nodeName: "n", containers: [] },
        status: podStatus,
      }));
  const { master: lastMaster, worker: lastWorker } = step.buried;
  return {
    test: it,
    config,
    service,
    master,
    worker: workers,
    last: {
      ...(lastMaster && { master: job("master", lastMaster) }),
      ...(lastWorker && { worker: job("worker", lastWorker) }),
    },
    pods: { master: podsOf("master"), worker: podsOf("worker") },
    complaints: new Map([["v", { reason: "FailedMount", message: `configmap missing: token=${secret}` }]]),
    masterPod: undefined,
    isMasterReplaced: false,
    telemetry: {
      connectedWorkers: step.telemetry.workers,
      workersSource: "LocustAPI",
      condition: { status: "True", reason: "Polling", message: "Reading the Locust web API" },
      isLoaded: step.telemetry.isLoaded,
      isFrozen: step.telemetry.isFrozen,
      endedEarly: false,
      loadLength: "unknown",
      missingPods: ["w"],
      testResult: undefined,
      progress: undefined,
    },
    invalid: step.isInvalid ? ["metadata.name: too long"] : [],
    hash: specHash(it.spec),
    making: {
      ...nothingMade,
      ...(step.failure !== "none" && {
        failure: { kind: "Job", name: "demo-worker", cause: step.failure, isHopeless: step.failure === "invalid" },
      }),
    },
  };
}

const statuses: Readonly<Record<string, (at: Instant) => NonNullable<Job["status"]>>> = {
  active: (at) => ({ active: 1, startTime: formatTime(at) }),
  settling: (at) => ({ succeeded: 1, startTime: formatTime(at) }),
  complete: (at) => concluded("Complete", at),
  failed: (at) => concluded("Failed", at),
};

function concluded(type: string, at: Instant): NonNullable<Job["status"]> {
  const reason = type === "Failed" ? `token=${secret}` : "CompletionsReached";
  return {
    startTime: formatTime(at),
    conditions: [{ type, status: "True", reason, lastTransitionTime: formatTime(at) }],
  };
}

function container(name: string, state: object) {
  return { name, image: "", imageID: "", ready: false, restartCount: 0, state };
}
