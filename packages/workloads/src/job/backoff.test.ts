import { describe, expect, it } from "vitest";
import { at, counted, job, lost, pod, running, won } from "../../test/job/samples.ts";
import { delayAfter, endOf, noFailures, remember, resumeAt } from "./backoff.ts";
import { Memory } from "./memory.ts";

const seen = (pods: Parameters<typeof remember>[1], now = 100, known = noFailures) =>
  remember(known, pods, job(), at(now));

describe("the wait after failures", () => {
  it("is ten seconds from the end of the container, and doubles up to six minutes", () => {
    expect([1, 2, 3, 6, 7, 100].map(delayAfter)).toEqual([10_000, 20_000, 40_000, 320_000, 360_000, 360_000]);
    expect(resumeAt(seen([lost("a", { ended: 5 })]))).toBe(at(15));
    expect(resumeAt(seen([lost("a", { ended: 5 }), lost("b", { ended: 20 })]))).toBe(at(40));
    expect(resumeAt(seen([running("a")]))).toBeUndefined();
  });

  it("begins anew after a success", () => {
    const pods = [lost("a", { ended: 5 }), won("b", { ended: 6 }), lost("c", { ended: 7 })];
    expect(resumeAt(seen(pods))).toBe(at(17));
    expect(resumeAt(seen(pods.slice(0, 2)))).toBeUndefined();
  });

  it("counts what failed after the last success, wherever that stands and whether it is still there", () => {
    const first = won("a", { ended: 6 });
    const last = won("b", { ended: 9 });
    const between = lost("c", { ended: 8 });
    expect(resumeAt(seen([first, last, between]))).toBeUndefined();
    expect(resumeAt(seen([last, first, between]))).toBeUndefined();
    expect(resumeAt(seen([between], 100, seen([last])))).toBeUndefined();
    expect(resumeAt(seen([lost("c", { ended: 9 }), last]))).toBeUndefined();
    expect(resumeAt(seen([lost("c", { ended: 10 }), last]))).toBe(at(20));
  });

  it("counts from the earliest end of a pod that was seen, and after the latest of all", () => {
    const late = seen([lost("a", { ended: 9 })]);
    expect(resumeAt(seen([lost("a", { ended: 5 })], 100, late))).toBe(at(15));
    expect(
      resumeAt({
        failed: new Map([
          ["a", at(5)],
          ["b", at(20)],
        ]),
      }),
    ).toBe(at(40));
  });

  it("is not owed to a pod that runs and is not followed any more", () => {
    expect(resumeAt(seen([counted(running("a"))]))).toBeUndefined();
  });

  it("is remembered for pods that are gone, and each counts once", () => {
    const once = seen([lost("a", { ended: 5 })]);
    expect(resumeAt(seen([counted(lost("a", { ended: 5 }))], 100, once))).toBe(at(15));
    expect(resumeAt(seen([lost("b", { ended: 20 })], 100, once))).toBe(at(40));
  });

  it("counts from the request where a pod is deleted, also when it ends later", () => {
    const asked = seen([running("a", { deleted: 3 })]);
    expect(resumeAt(asked)).toBe(at(13));
    expect(resumeAt(seen([lost("a", { deleted: 3, ended: 8 })], 100, asked))).toBe(at(13));
  });

  it("is not owed to pods that were too many", () => {
    expect(resumeAt(seen([pod("a", { deleted: 3, isTracked: false })]))).toBeUndefined();
    expect(resumeAt(seen([lost("a", { deleted: 3, ended: 8, isTracked: false })]))).toBeUndefined();
  });

  it("is never longer than it is, when the clock is put back", () => {
    const before = seen([lost("a", { ended: 5000 })], 5001);
    expect(resumeAt(seen([], 1000, before))).toBe(at(1010));
    expect(resumeAt(seen([lost("b", { ended: 9000 })], 1000))).toBe(at(1010));
  });

  it("is kept for a few failures only, however many there were", () => {
    const pods = Array.from({ length: 50 }, (_, i) => lost(`p${i}`, { ended: i }));
    const known = seen(pods);
    expect([known.failed.size, resumeAt(known)]).toEqual([7, at(49 + 360)]);
  });
});

it("the last container of several counts, and none as long as one still runs", () => {
  const ended = (second: number) => ({ state: { terminated: { finishedAt: new Date(at(second)).toISOString() } } });
  const with_ = (...containerStatuses: readonly object[]) => {
    const it = pod("a", {});
    return { ...it, status: { ...it.status, containerStatuses } } as typeof it;
  };
  expect([
    endOf(with_(ended(5), ended(8))),
    endOf(with_(ended(8), ended(5))),
    endOf(with_(ended(8), { state: { running: {} } })),
  ]).toEqual([at(8), at(8), at(0)]);
});

it("a pod ended when its last container did, or became unready, or was deleted, or was made", () => {
  const unready = { type: "Ready", status: "False", lastTransitionTime: new Date(at(7)).toISOString() };
  expect([
    endOf(lost("a", { ended: 5 })),
    endOf(pod("a", { conditions: [unready] })),
    endOf(running("a", { deleted: 9 })),
    endOf(running("a")),
  ]).toEqual([at(5), at(7), at(9), at(0)]);
});

it("a memory forgets the Job that was kept longest ago when it is full", () => {
  const memory = new Memory(2);
  const failures = seen([lost("a")]);
  for (const uid of ["a", "b", "a", "c"]) memory.keep(uid, failures);
  expect(["a", "b", "c"].map((uid) => memory.of(uid) === failures)).toEqual([true, false, true]);
});
