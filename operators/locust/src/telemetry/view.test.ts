import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { at, following, options, sample, worker } from "../../test/following.ts";
import type { Sample } from "./sample.ts";
import { Unread } from "./trouble.ts";

describe("workers", () => {
  test("A34 are counted by the master: 1, 2, 3 (telemetry)", () => {
    const it = following();
    const counts = [1, 2, 3].map((workers) => it.answer(sample(workers * 10, { state: "ready", workers })));
    expect(counts.map(({ connectedWorkers }) => connectedWorkers)).toEqual([1, 2, 3]);
  });

  test("A35 that are missing are named, if they are pods of the test (telemetry)", () => {
    const missing = ["demo-worker-b", "somebody-else"];
    const view = following().answer(sample(10, { workers: 2, missing }));
    expect(view).toMatchObject({ connectedWorkers: 2, missingPods: ["demo-worker-b"], isLoaded: true });
  });

  test("may be more than expected", () => {
    expect(following().answer(sample(10, { workers: 12 }))).toMatchObject({ connectedWorkers: 12, isFrozen: false });
  });

  test("A37 stay as they were while Locust stops, and when they leave at the end (telemetry)", () => {
    const it = following();
    it.answer(sample(10));
    const stopping = it.answer(sample(311, { state: "stopping", workers: 0 }));
    const stopped = it.answer(sample(314.5, { state: "stopped", workers: 0 }));
    const again = it.answer(sample(325, { state: "stopped", workers: 3 }));
    const leaving = it.look(at(340), { worker: worker({ succeeded: 1 }) });
    const gone = it.look(at(341), { worker: worker({ conditions: [{ type: "Complete", status: "True" }] }) });
    for (const view of [stopping, stopped, again, leaving, gone]) expect(view.connectedWorkers).toBe(3);
    expect([stopping, stopped, again, leaving, gone].map(({ isFrozen }) => isFrozen)).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
  });

  test("that are fewer from the second look after the end on are missed", () => {
    const it = following({ phase: "Running" }, { options: options("-u 5") });
    it.answer(sample(10));
    const first = it.answer(sample(50, { state: "stopped", workers: 1 }));
    expect(first).toMatchObject({ connectedWorkers: 3, isFrozen: true });
    expect(it.answer(sample(60, { state: "stopped", workers: 1 }))).toMatchObject({
      connectedWorkers: 1,
      isFrozen: false,
    });
  });

  test("that the master sends away when all is over are not missed", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(311, { state: "stopped" }));
    it.answer(sample(315, { state: "stopped" }));
    expect(it.answer(sample(341, { state: "stopped", workers: 0 }))).toMatchObject({
      connectedWorkers: 3,
      isFrozen: true,
    });
    const lost = sample(345, { state: "stopped", workers: 0, missing: ["demo-worker-a"] });
    expect(it.answer(lost)).toMatchObject({ connectedWorkers: 0, isFrozen: false });
  });

  test("A50a that quit long before the time is up are missed, also when their Job is done (telemetry)", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(60));
    it.answer(sample(70, { state: "stopped", workers: 0 }));
    const view = it.answer(sample(73.5, { state: "stopped", workers: 0 }), { worker: worker({ succeeded: 3 }) });
    expect(view).toMatchObject({ endedEarly: true, isFrozen: false, connectedWorkers: 0 });
    expect(view.progress).toMatchObject({ duration: "1m0s", percent: 20 });
    it.restart();
    expect(it.look(at(400), { reach: { at: "ended" } })).toMatchObject({ endedEarly: true });
  });
});

describe("when the master cannot be read", () => {
  test("A67 the third failure in a row is said, numbers and workers stay (telemetry)", () => {
    const it = following();
    it.answer(sample(10));
    const said = [20, 30, 40].map((seconds) => it.fail(seconds));
    expect(said.map(({ condition }) => condition.reason)).toEqual(["Polling", "Polling", "MasterUnreachable"]);
    expect(said[2]).toMatchObject({
      condition: { status: "False", message: "The Locust web API does not answer: connection refused" },
      connectedWorkers: 3,
      workersSource: "LocustAPI",
      testResult: { totalRequests: 812 },
      wakeAt: at(70),
    });
    expect(it.answer(sample(50)).condition).toMatchObject({ status: "True", reason: "Polling" });
  });

  test("A68 after a minute the Job counts: ready pods, else active ones (telemetry)", () => {
    const it = following();
    it.answer(sample(10));
    for (const seconds of [20, 30, 40]) it.fail(seconds);
    expect(it.look(at(69))).toMatchObject({ workersSource: "LocustAPI", connectedWorkers: 3 });
    const ready = it.look(at(70), { worker: worker({ active: 3, ready: 2 }) });
    expect(ready).toMatchObject({ workersSource: "JobStatus", connectedWorkers: 2, isLoaded: true });
    expect(ready).not.toHaveProperty("wakeAt");
    expect(it.look(at(71), { worker: worker({ active: 3 }) })).toMatchObject({ connectedWorkers: 3 });
    expect(it.look(at(72), { worker: undefined })).toMatchObject({ connectedWorkers: 0, isLoaded: false });
    expect(it.answer(sample(80, { workers: 3 }))).toMatchObject({ workersSource: "LocustAPI", connectedWorkers: 3 });
  });

  test("workers that leave at the end are not missed by the Job's count either", () => {
    const it = following();
    for (const seconds of [40, 50, 61]) it.fail(seconds);
    expect(it.stored).toMatchObject({ connectedWorkers: 3, workersSource: "JobStatus" });
    const first = worker({ active: 3, ready: 2, uncountedTerminatedPods: { succeeded: ["u"] } });
    for (const left of [first, worker({ active: 2, ready: 2, succeeded: 1 }), worker({ succeeded: 3 })]) {
      expect(it.look(at(70), { worker: left })).toMatchObject({ connectedWorkers: 3, isFrozen: true });
    }
  });

  test("a single failure after a restart does not bring the Job's count", () => {
    const it = following();
    it.answer(sample(5, { state: "ready", workers: 1 }));
    it.restart();
    expect(it.fail(600)).toMatchObject({ connectedWorkers: 1, workersSource: "LocustAPI" });
    expect(it.fail(610)).not.toHaveProperty("wakeAt");
    expect(it.fail(620)).toMatchObject({ connectedWorkers: 3, workersSource: "JobStatus" });
    it.restart();
    expect(it.look(at(630), { worker: worker({ active: 3, ready: 2 }) })).toMatchObject({ connectedWorkers: 2 });
  });

  test("A69 a login is said at once, and stays said while other trouble is not certain (telemetry)", () => {
    const it = following();
    const condition = { status: "False", reason: "AuthenticationRequired" };
    expect(it.fail(10, new Unread("AuthenticationRequired", "HTTP 302"))).toMatchObject({
      condition: { ...condition, message: "The Locust web API asks for a login: HTTP 302" },
    });
    expect(it.fail(20)).toMatchObject({ condition });
    expect(it.fail(30)).toMatchObject({ condition: { reason: "MasterUnreachable" } });
  });

  test("a login that nobody set up is still one", () => {
    const it = following({ phase: "Running" }, { options: options("--web-login") });
    const said = [10, 20, 30].map((seconds) => it.fail(seconds, new Unread("InvalidResponse", "not JSON")));
    expect(said[2]?.condition).toMatchObject({ status: "False", reason: "AuthenticationRequired" });
  });

  test("A70 what is no answer is said after three times (telemetry)", () => {
    const it = following();
    const error = new Unread("InvalidResponse", "not JSON");
    for (const seconds of [10, 20]) expect(it.fail(seconds, error)).toMatchObject({ condition: { status: "Unknown" } });
    expect(it.fail(30, error)).toMatchObject({
      condition: {
        status: "False",
        reason: "InvalidResponse",
        message: "The Locust web API does not answer with statistics: not JSON",
      },
    });
  });

  test.each([
    ["WebUIDisabled", "The test runs without a web API"],
    ["Disabled", "Telemetry is switched off"],
    ["MasterUnreachable", "The Locust web API does not answer: it listens on loopback only"],
  ] as const)("A71 %s is said at once, and the Job counts (telemetry)", (reason, message) => {
    const view = following({ phase: "Running" }, { reach: { at: "nowhere", reason } }).look(at(5));
    expect(view).toMatchObject({
      condition: { status: "False", reason, message: `${message}; connectedWorkers counts ready worker pods` },
      connectedWorkers: 3,
      workersSource: "JobStatus",
    });
  });

  test("no master yet: nobody is connected, whatever the Job says", () => {
    const view = following().look(at(5), { reach: { at: "waiting" } });
    expect(view).toMatchObject({
      condition: { status: "Unknown", reason: "WaitingForMaster", message: "Master pod is not running yet" },
      connectedWorkers: 0,
      workersSource: "JobStatus",
    });
  });

  test("no master any more, as the Job is suspended: the count follows the Job", () => {
    const it = following();
    it.answer(sample(10));
    const view = it.look(at(20), { reach: { at: "waiting" }, worker: worker({ active: 0, ready: 0 }) });
    expect(view).toMatchObject({ connectedWorkers: 0, workersSource: "JobStatus", condition: { status: "Unknown" } });
    expect(view.testResult).toMatchObject({ totalRequests: 812 });
  });

  test("a master that has ended: everything stays as it was last seen", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(20, { totals: { requests: 999, failures: 3 } }));
    for (const seconds of [30, 40]) it.fail(seconds);
    const view = it.fail(50, undefined, { reach: { at: "ended" } });
    expect(it.look(at(400), { reach: { at: "ended" } })).toEqual(view);
    expect(view).toMatchObject({
      condition: { status: "Unknown", reason: "MasterEnded" },
      connectedWorkers: 3,
      workersSource: "LocustAPI",
      testResult: { totalRequests: 999 },
    });
  });

  test("answers without a count of workers: the last count, and after a minute the Job's", () => {
    const it = following();
    it.answer(sample(10));
    const { workers: _, ...poor } = sample(0);
    expect(it.answer({ ...poor, at: at(40) })).toMatchObject({ connectedWorkers: 3, workersSource: "LocustAPI" });
    expect(it.answer({ ...poor, at: at(75) }, { worker: worker({ ready: 2 }) })).toMatchObject({
      connectedWorkers: 2,
      workersSource: "JobStatus",
      condition: { reason: "Polling" },
      testResult: { totalRequests: 812 },
    });
  });
});

describe("writes", () => {
  test("a test that is over and waits writes nothing more", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(311, { state: "stopped", rate: 0 }));
    it.answer(sample(314.5, { state: "stopped", rate: 0 }));
    const before = it.writes;
    for (let seconds = 325; seconds < 900; seconds += 10) it.answer(sample(seconds, { state: "stopped", rate: 0 }));
    expect(it.writes).toBe(before);
  });

  test("a view of what is stored says the same again", () => {
    const states = fc.constantFrom<Sample["state"][]>("ready", "spawning", "running", "stopping", "stopped", undefined);
    const step = fc.record({
      state: states,
      workers: fc.integer({ min: 0, max: 4 }),
      after: fc.integer({ min: 2, max: 40 }),
    });
    const fails = fc.constant("fail" as const);
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: step }, fails), { maxLength: 25 }), (steps) => {
        const it = following();
        let now = 10;
        for (const one of steps) {
          now += one === "fail" ? 10 : one.after;
          if (one === "fail") it.fail(now);
          else {
            const { state: _, ...rest } = sample(now, { workers: one.workers });
            it.answer({ ...rest, ...(one.state !== undefined && { state: one.state }) });
          }
          const before = JSON.stringify(it.stored);
          it.look(at(now));
          expect(JSON.stringify(it.stored)).toBe(before);
        }
      }),
    );
  });
});

describe("workers that are lost", () => {
  test("are counted while there is load, and stay counted", () => {
    const it = following();
    it.answer(sample(10));
    expect(it.answer(sample(20, { workers: 2 }))).toMatchObject({ mostConnectedWorkers: 3, lostWorkers: 1 });
    expect(it.answer(sample(30))).toMatchObject({ mostConnectedWorkers: 3, lostWorkers: 1 });
  });

  test("are not those that have not connected yet, nor those that leave at the end", () => {
    const it = following();
    it.answer(sample(10, { workers: 1, state: "spawning" }));
    it.answer(sample(20));
    const view = it.answer(sample(320, { workers: 0, state: "stopped" }));
    expect(view.mostConnectedWorkers).toBe(3);
    expect(view).not.toHaveProperty("lostWorkers");
  });

  test("are pods that failed before the load was last seen, and none that failed after it", () => {
    const it = following();
    it.answer(sample(10));
    expect(it.answer(sample(20), { workerFailures: [at(19)] }).lostWorkers).toBe(1);
    const end = following();
    end.answer(sample(10));
    expect(end.answer(sample(20), { workerFailures: [at(21), at(5)] })).not.toHaveProperty("lostWorkers");
  });

  test("are told by the run time where Locust is not read", () => {
    const reach = { at: "nowhere", reason: "Disabled" } as const;
    const lookAt = (failed: number) =>
      following().look(at(400), { reach, masterStartedAt: at(0), workerFailures: [at(failed)] });
    expect(lookAt(100).lostWorkers).toBe(1);
    expect(lookAt(301)).not.toHaveProperty("lostWorkers");
  });
});
