import { formatTime, parseGoDuration } from "@telltale/kinds";
import { describe, expect, test } from "vitest";
import { at, following, options, reachOf, sample } from "../../test/following.ts";
import { finishedProgress } from "./numbers.ts";
import type { Master } from "./target.ts";

describe("numbers", () => {
  test("A65 are those of the answer (telemetry)", () => {
    const view = following().answer(sample(30));
    expect(view).toMatchObject({
      connectedWorkers: 3,
      workersSource: "LocustAPI",
      testResult: {
        totalRequests: 812,
        failedRequests: 3,
        averageResponseTime: 83.41,
        requestsPerSecond: 40.1,
        sampleTime: "2026-01-19T22:00:30Z",
        final: false,
      },
      progress: { currentUsers: 100, targetUsers: 100, state: "running", loadStartTime: "2026-01-19T22:00:30Z" },
      condition: { status: "True", reason: "Polling", message: "Reading the Locust web API" },
      isLoaded: true,
    });
  });

  test("before there is load: only the workers and what is planned", () => {
    const view = following().answer(sample(5, { state: "ready", workers: 1, totals: { requests: 0, failures: 0 } }));
    expect(view.testResult).toBeUndefined();
    expect(view.progress).toEqual({ targetUsers: 100, runTime: "5m0s", state: "ready" });
    expect(view.connectedWorkers).toBe(1);
  });

  test("are not invented: no answer, no numbers", () => {
    expect(following().look(at(5))).toMatchObject({ testResult: undefined, progress: undefined });
    expect(following().answer({ at: at(5), missing: [] }, { options: options("") })).toMatchObject({
      testResult: undefined,
      progress: undefined,
    });
  });

  test("A73 progress is of the time between samples, in whole seconds (telemetry)", () => {
    const it = following();
    it.answer(sample(10, { state: "spawning" }));
    expect(it.answer(sample(135.9)).progress).toMatchObject({
      targetUsers: 100,
      duration: "2m5s",
      runTime: "5m0s",
      percent: 41,
      loadStartTime: "2026-01-19T22:00:10Z",
    });
    expect(it.look(at(500)).progress).toMatchObject({ duration: "2m5s" });
  });

  test("A74 without a run time there is no percentage (telemetry)", () => {
    const it = following({ phase: "Running" }, { options: options("--users 5") });
    it.answer(sample(10));
    const { progress } = it.answer(sample(20));
    expect(progress).toMatchObject({ duration: "10s", targetUsers: 5 });
    expect(progress).not.toHaveProperty("percent");
    expect(progress).not.toHaveProperty("runTime");
  });

  test("A75 after the end are final and stay, and a sample 3.5 s later corrects them (telemetry)", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(305));
    const ended = it.answer(sample(311, { state: "stopped", users: 0, totals: { requests: 48_250, failures: 0 } }));
    expect(ended.testResult).toMatchObject({ totalRequests: 48_250, final: true });
    const settled = it.answer(
      sample(314.5, { state: "stopped", users: 0, totals: { requests: 48_300, failures: 0 }, rate: 12 }),
    );
    expect(settled.testResult).toMatchObject({ totalRequests: 48_300, final: true });
    expect(settled).toMatchObject({ progress: { duration: "5m1s", percent: 100 } });
    it.set({ ...it.stored, phase: "Succeeded" });
    const before = JSON.stringify(it.stored);
    const after = it.answer(sample(330, { state: "ready", workers: 0, totals: { requests: 1, failures: 1 } }));
    expect(after).toMatchObject({ connectedWorkers: 3, testResult: { totalRequests: 48_300 } });
    it.fail(340);
    it.look(at(900), { reach: { at: "ended" } });
    expect(JSON.stringify({ ...it.stored, conditions: [] })).toBe(
      JSON.stringify({ ...JSON.parse(before), conditions: [] }),
    );
  });

  test("A76 of a finished test that somebody reset are kept (telemetry)", () => {
    const zero = { requests: 0, failures: 0, average: 0 };
    for (const state of ["stopped", "ready"] as const) {
      const it = following();
      it.answer(sample(10));
      it.answer(sample(311, { state: "stopped", totals: { requests: 48_300, failures: 2, average: 50 } }));
      const view = it.answer(sample(341, { state, totals: zero }));
      expect(view.testResult).toMatchObject({ totalRequests: 48_300, sampleTime: formatTime(at(311)) });
    }
    const running = following();
    running.answer(sample(10));
    expect(running.answer(sample(30, { totals: zero })).testResult).toMatchObject({ totalRequests: 0 });
  });

  test("that are missing from an answer are the last ones", () => {
    const it = following();
    it.answer(sample(10));
    const { totals: _, users: __, rate: ___, ...poor } = sample(30);
    expect(it.answer(poor)).toMatchObject({
      testResult: { totalRequests: 812, sampleTime: formatTime(at(10)) },
      progress: { currentUsers: 100, duration: "20s" },
    });
    expect(it.answer(sample(50, { totals: { failures: 9 } })).testResult).toMatchObject({
      totalRequests: 812,
      failedRequests: 9,
    });
  });

  test("A45 of another master replace those of the last, and are never added (telemetry)", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(100));
    const next: Master = { uid: "m2", created: at(200) };
    expect(it.look(at(201), { reach: reachOf(next) })).toMatchObject({ testResult: { totalRequests: 812 } });
    const first = it.answer(
      sample(210, { state: "ready", workers: 0, totals: { requests: 0, failures: 0 } }),
      {},
      next,
    );
    expect(first).toMatchObject({ testResult: undefined, connectedWorkers: 0 });
    expect(first.progress).toEqual({ targetUsers: 100, runTime: "5m0s", state: "ready" });
    it.answer(sample(220, { totals: { requests: 5, failures: 0 } }), {}, next);
    expect(it.answer(sample(240, { totals: { requests: 9, failures: 0 } }), {}, next)).toMatchObject({
      testResult: { totalRequests: 9 },
      progress: { loadStartTime: formatTime(at(220)), duration: "20s" },
    });
  });

  test("of another master are told apart after a restart too, and with a clock that is behind the server's", () => {
    const it = following();
    it.answer(sample(10));
    it.restart();
    const next: Master = { uid: "m2", created: at(200) };
    expect(it.answer(sample(210, { totals: { requests: 5, failures: 0 } }), {}, next).progress).toMatchObject({
      loadStartTime: formatTime(at(210)),
    });
    const slow = following();
    const ahead: Master = { uid: "m1", created: at(60) };
    slow.answer(sample(10), {}, ahead);
    slow.restart();
    expect(slow.answer(sample(100), {}, ahead).progress).toMatchObject({
      loadStartTime: formatTime(at(60)),
      duration: "40s",
    });
  });

  test("of another master are told apart with a clock that is ahead of the server's", () => {
    const it = following();
    it.answer(sample(500));
    const next: Master = { uid: "m2", created: at(200) };
    expect(it.answer(sample(510, { totals: { requests: 5, failures: 0 } }), {}, next)).toMatchObject({
      progress: { loadStartTime: formatTime(at(510)), duration: "0s" },
      testResult: { totalRequests: 5 },
    });
  });

  test("of an ended load keep its length after a restart", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(311, { state: "stopped" }));
    it.restart();
    expect(it.answer(sample(400, { state: "stopped" })).progress).toMatchObject({ duration: "5m1s" });
    expect(it.answer(sample(450, { state: "ready" })).progress).toMatchObject({ duration: "5m1s" });
  });

  test("go on where they were after a restart of the operator", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(40));
    it.restart();
    expect(it.look(at(41))).toMatchObject({ connectedWorkers: 3, workersSource: "LocustAPI" });
    expect(it.answer(sample(70)).progress).toMatchObject({ duration: "1m0s", loadStartTime: formatTime(at(10)) });
  });

  test("a clock that is put back makes no load shorter", () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(100));
    expect(it.answer(sample(50)).progress).toMatchObject({ duration: "1m30s" });
  });

  test("of a load that nobody saw begin are there, without a length", () => {
    const view = following().answer(sample(400, { state: "stopped", users: 0 }));
    expect(view.testResult).toMatchObject({ totalRequests: 812, final: true });
    expect(view.progress).toEqual({ currentUsers: 0, targetUsers: 100, runTime: "5m0s", state: "stopped" });
  });

  test("a state that no Locust has is kept out, and is no load", () => {
    const it = following();
    it.answer(sample(10));
    const { state: _, ...strange } = sample(30);
    const view = it.answer(strange);
    expect(view.progress).not.toHaveProperty("state");
    expect(view).toMatchObject({ isLoaded: false, progress: { duration: "20s" } });
    expect(it.answer(sample(40)).progress).toMatchObject({ state: "running", duration: "30s" });
    expect(following().answer({ ...strange, state: "missing" }).progress).not.toHaveProperty("state");
  });

  test("a test that has ended is complete, where its load was as long as it should be", () => {
    const it = following();
    it.answer(sample(10));
    const { progress } = it.answer(sample(100));
    const { currentUsers, ...others } = progress ?? {};
    expect(currentUsers).toBe(100);
    expect(finishedProgress(progress, "whole")).toEqual({ ...others, duration: "5m0s", percent: 100 });
    for (const length of ["short", "unseen", "unknown"] as const) {
      expect(finishedProgress(progress, length)).toEqual(others);
    }
    const stopped = { ...progress, state: "stopped", currentUsers: 0 } as const;
    expect(finishedProgress(stopped, "unknown")).toEqual(stopped);
    expect(finishedProgress(undefined, "unknown")).toBeUndefined();
  });
});

describe("the length of a load", () => {
  const minute = { options: options("--users 10 --run-time 1m") };
  const seen = () => {
    const it = following();
    it.answer(sample(10));
    it.answer(sample(100));
    return it;
  };

  test("is what was run: 45 s of a minute are three quarters of it, however often the master is read", () => {
    const it = following({ phase: "Running" }, minute);
    it.answer(sample(5, { state: "ready" }));
    it.answer(sample(15));
    it.answer(sample(50));
    const view = it.answer(sample(60, { state: "stopped", workers: 0 }));
    expect(view).toMatchObject({ loadLength: "short", endedEarly: true });
    expect(view.progress).toMatchObject({ duration: "45s", runTime: "1m0s", percent: 75 });
    expect(finishedProgress(view.progress, view.loadLength)).toMatchObject({ percent: 75 });
  });

  test("may be as much more as lies between the sample without load and the first with it", () => {
    const it = following({ phase: "Running" }, minute);
    it.answer(sample(5, { state: "ready" }));
    it.answer(sample(25));
    const view = it.answer(sample(70, { state: "stopped" }));
    expect(view).toMatchObject({ loadLength: "whole", progress: { duration: "1m0s", percent: 100 } });
    expect(view.progress).toMatchObject({
      loadStartNotBefore: "2026-01-19T22:00:05Z",
      loadStartTime: "2026-01-19T22:00:25Z",
    });
    it.restart();
    expect(it.look(at(80), { reach: { at: "ended" } })).toMatchObject({ loadLength: "whole" });
  });

  test("never has a percentage that its duration has not", () => {
    for (const start of [5, 14, 25]) {
      for (const end of [30, 50, 60, 65, 70, 80, 95]) {
        const it = following({ phase: "Running" }, minute);
        it.answer(sample(start - 5, { state: "ready" }));
        const views = [start, (start + end) / 2, end - 5].map((seconds) => it.answer(sample(seconds)));
        views.push(it.answer(sample(end, { state: "stopped", workers: 0 })));
        for (const { progress, loadLength } of views) {
          for (const { duration = "", percent } of [progress ?? {}, finishedProgress(progress, loadLength) ?? {}]) {
            expect([start, end, percent]).toEqual([start, end, percentIn(duration)]);
          }
        }
      }
    }

    function percentIn(duration: string): number {
      return Math.min(100, Math.floor((parseGoDuration(duration) ?? Number.NaN) / 600));
    }
  });

  test("is short where the master ended long before the time was up", () => {
    const end = { at: at(105), hasFailed: false };
    expect(seen().look(at(500), { reach: { at: "ended" }, end })).toMatchObject({ loadLength: "short" });
  });

  test("is not known where the master ended in time, and the end of the load was not seen", () => {
    const end = { at: at(320), hasFailed: false };
    const view = seen().look(at(500), { reach: { at: "ended" }, end });
    expect(view).toMatchObject({
      loadLength: "unseen",
      endedEarly: false,
      progress: { duration: "1m30s", percent: 30 },
    });
  });

  test("is whole within what two polls may miss, and not known where there is no run time", () => {
    const late = seen();
    const last = sample(295);
    expect(late.answer(last, { end: { at: at(315), hasFailed: false } })).toMatchObject({ loadLength: "whole" });
    expect(late.answer(last, { end: { at: at(315), hasFailed: true } })).toMatchObject({ loadLength: "unseen" });
    expect(late.answer(last)).toMatchObject({ loadLength: "unseen" });
    const open = following({ phase: "Running" }, { options: options("") });
    open.answer(sample(10));
    expect(open.answer(sample(20))).toMatchObject({ loadLength: "unknown", endedEarly: false });
  });
});
