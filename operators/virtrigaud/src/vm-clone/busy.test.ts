// When a busy machine is asked again, out of what is stored alone.
import { instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { text } from "@telltale/status";
import { describe, expect, it } from "vitest";
import { ProviderError } from "../link/provider-error.ts";
import { decide } from "./decide.ts";
import type { World } from "./world.ts";

const startTime = "2026-01-01T00:00:00Z";
const start = parseTime(startTime) ?? instant(0);
const busy = ProviderError.unsent("ABORTED", "Busy", text`machine vm-1 is busy: snapshot`);

function world({ after, ...more }: { after: Ms } & Partial<World>): World {
  const condition = { type: "x", status: "False", reason: "Busy", message: "machine vm-1 is busy: snapshot" } as const;
  const told = {
    phase: "Cloning",
    isSameSpec: true,
    ready: { ...condition, lastTransitionTime: startTime },
    cloning: { ...condition, lastTransitionTime: "2026-01-01T00:00:20Z" },
    customizing: undefined,
    failed: undefined,
  } as const;
  const known = {
    clone: { metadata: {}, spec: { source: {}, target: { name: "copy" }, options: { timeout: "10m" } } },
    now: plus(start, after),
    source: { is: "machine", snapshotId: "" },
    target: { object: undefined, isOurs: false, namesake: undefined },
    vmClass: { is: "there" },
    channel: { is: "open" },
    claimed: new Set(),
    held: { startTime },
    told,
    heard: {},
    record: undefined,
    recordAge: 0,
  };
  // Only what the rows in question read.
  return { ...known, ...more } as unknown as World;
}

describe("a machine that is busy", () => {
  it("is asked again after as long as it has been waited for, a minute at most", () => {
    for (const [after, next] of [
      [5_000, 15_000],
      [30_000, 60_000],
      [300_000, 360_000],
    ] as const) {
      const record = { op: "Clone", id: "a", attempt: 1, at: startTime };
      const step = decide(world({ after, record, heard: { request: { is: "refused", error: busy } } }));
      expect(step).toMatchObject({ is: "rest", as: { is: "busy", why: busy.said, at: plus(start, next) } });
    }
  });

  it("is not asked before its time, also where the record of the attempt is gone", () => {
    expect(decide(world({ after: 39_000 }))).toMatchObject({ as: { is: "busy", at: plus(start, 40_000) } });
    expect(decide(world({ after: 40_000 }))).toEqual({ is: "ask", what: "list" });
  });

  it("is asked at once where the clock was put back", () => {
    expect(decide(world({ after: 1_000 }))).toEqual({ is: "ask", what: "list" });
  });

  it("is not waited for beyond the timeout of the clone", () => {
    expect(decide(world({ after: 600_000 }))).toMatchObject({
      as: { is: "failed", reason: "Timeout", why: "it took longer than 10m: machine vm-1 is busy: snapshot" },
    });
  });
});
