import { type Instant, instant, plus } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import type { Terminated } from "../kubelet/pod-runtime.ts";
import { begin, end, fresh, lost, next, type Policy, policyOf, report, type Standing, type View } from "./container.ts";
import type { Member, Role } from "./spec.ts";

const t0 = instant(1_000_000);

const ended = (exitCode: number, startedAt: Instant, finishedAt: Instant): Terminated => ({
  exitCode,
  reason: exitCode === 0 ? "Completed" : "Error",
  startedAt,
  finishedAt,
});

/** Runs and fails, as often as asked for, each as soon as it may. Gives how long it waited each time. */
function crash(times: number, runs: number): { readonly waits: readonly number[]; readonly standing: Standing } {
  let standing = fresh;
  let now = t0;
  const waits: number[] = [];
  for (let run = 0; run < times; run += 1) {
    const step = next(standing, "Always", now);
    if (step.do === "wait") now = step.until;
    if (standing.stage.at === "ended") waits.push((now - standing.stage.how.finishedAt) / 1_000);
    expect(next(standing, "Always", now)).toEqual({ do: "start" });
    standing = begin(standing, now);
    const startedAt = now;
    now = plus(now, runs);
    standing = end(standing, ended(1, startedAt, now));
  }
  return { waits, standing };
}

describe("a container that ends again and again", () => {
  it("is restarted at once, then after 10 s, twice as long each time, and never more than 300 s", () => {
    const { waits, standing } = crash(9, 100);
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
    expect(standing.restarts).toBe(8);
  });

  it("begins anew when it ran for more than ten minutes", () => {
    const { standing } = crash(5, 100);
    const now = plus(t0, 500_000);
    const again = end(begin(standing, now), ended(1, now, plus(now, 600_001)));
    expect(next(again, "Always", plus(now, 600_001))).toEqual({ do: "start" });
    const once = begin(again, plus(now, 600_002));
    expect(once.delay?.ms).toBe(10_000);
  });

  it("does not wait longer because the clock was put back", () => {
    const standing = crash(3, 100).standing;
    const back = instant(5);
    expect(next(standing, "Always", back)).toEqual({ do: "wait", until: plus(back, 20_000), delay: 20_000 });
  });
});

describe("what comes next", () => {
  it.each<[Policy, number, string]>([
    ["Always", 0, "start"],
    ["Always", 1, "start"],
    ["OnFailure", 0, "stay"],
    ["OnFailure", 1, "start"],
    ["Never", 0, "stay"],
    ["Never", 1, "stay"],
  ])("with policy %s after exit code %i is: %s", (policy, exitCode, wanted) => {
    const standing = end(begin(fresh, t0), ended(exitCode, t0, plus(t0, 5)));
    expect(next(standing, policy, plus(t0, 5)).do).toBe(wanted);
  });

  it("is a start for one that never ran, whatever its policy, and nothing while it runs", () => {
    expect(next(fresh, "Never", t0).do).toBe("start");
    expect(next(begin(fresh, t0), "Always", t0).do).toBe("stay");
  });

  it.each<[Role, string | undefined, string | undefined, Policy]>([
    ["main", undefined, undefined, "Always"],
    ["main", "Never", undefined, "Never"],
    ["main", "Never", "OnFailure", "OnFailure"],
    ["init", "Always", undefined, "OnFailure"],
    ["init", "Never", undefined, "Never"],
    ["sidecar", "Never", "Always", "Always"],
  ])("is decided for a %s container in a pod with %s, itself %s, by policy %s", (role, pod, own, wanted) => {
    const container = { name: "c", ...(own === undefined ? {} : { restartPolicy: own }) };
    expect(policyOf({ role, container, field: "" }, pod)).toBe(wanted);
  });
});

describe("a container that ran when the server ended", () => {
  it("has ended, nobody knows how, and starts again", () => {
    const gone = lost(begin(fresh, t0), plus(t0, 99), "process://u/c/0");
    expect(gone.stage).toMatchObject({ at: "ended", how: { exitCode: 137, reason: "ContainerStatusUnknown" } });
    expect(begin(gone, plus(t0, 100))).toMatchObject({ restarts: 1, last: { reason: "ContainerStatusUnknown" } });
  });

  it("is left as it was when it had ended by itself", () => {
    const done = end(begin(fresh, t0), ended(0, t0, t0));
    expect(lost(done, plus(t0, 9), "")).toBe(done);
  });
});

describe("the report of a container", () => {
  const member: Member = { container: { name: "c" }, role: "main", field: "spec.containers[0]" };
  const view: View = {
    waiting: { reason: "ContainerCreating" },
    next: { do: "stay" },
    pod: "p_ns(u)",
    isSettled: true,
    isStarted: true,
    isReady: true,
    containerID: "process://u/c/0",
  };
  const failed = end(begin(fresh, t0), ended(1, t0, plus(t0, 5)));

  it("says why it has not begun", () => {
    const waiting = { reason: "CreateContainerError", message: "no such program" };
    expect(report(member, fresh, { ...view, waiting })).toEqual({
      name: "c",
      restartCount: 0,
      isReady: false,
      isStarted: false,
      state: { is: "waiting", ...waiting },
    });
  });

  it("counts as running only when it is settled", () => {
    expect(report(member, begin(fresh, t0), view).state).toEqual({ is: "running", startedAt: t0 });
    expect(report(member, begin(fresh, t0), { ...view, isSettled: false })).toMatchObject({
      state: { is: "waiting", reason: "ContainerCreating" },
      isReady: false,
      isStarted: false,
    });
  });

  it("says how long it backs off, and how it ended", () => {
    const back = { do: "wait", until: plus(t0, 80_000), delay: 80_000 } as const;
    expect(report(member, failed, { ...view, next: back })).toMatchObject({
      state: {
        is: "waiting",
        reason: "CrashLoopBackOff",
        message: "back-off 1m20s restarting failed container=c pod=p_ns(u)",
      },
      last: { exitCode: 1 },
    });
  });

  it("keeps the end before the last", () => {
    const twice = end(begin(failed, plus(t0, 10)), ended(2, plus(t0, 10), plus(t0, 20)));
    expect(report(member, twice, view)).toMatchObject({
      state: { is: "terminated", exitCode: 2 },
      last: { exitCode: 1 },
      restartCount: 1,
    });
  });

  it("is ready for an init container that succeeded", () => {
    const done = end(begin(fresh, t0), ended(0, t0, t0));
    expect(report({ ...member, role: "init" }, done, view).isReady).toBe(true);
    expect(report(member, done, view).isReady).toBe(false);
    expect(report({ ...member, role: "init" }, failed, view).isReady).toBe(false);
  });
});
