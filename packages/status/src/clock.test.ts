import { type Instant, instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { clock, dueClocks, seenFor, sighting } from "./clock.ts";

const minute = 60_000;
const t0 = instant(Date.parse("2026-01-01T00:00:00Z"));
const at = (ms: number): Instant => instant(t0 + ms);

interface Status {
  readonly vpc?: Instant;
  readonly workspace?: Instant;
  readonly secret?: Instant;
  readonly provisioned?: boolean;
  readonly paused?: boolean;
}
interface World {
  readonly deleting?: boolean;
  readonly secretMinutes?: number;
  readonly secretFound?: boolean;
}

const runs = (s: Status, w: World) => s.provisioned !== true && s.paused !== true && w.deleting !== true;
const vpc = clock({
  name: "vpc",
  start: (s: Status, _w: World) => s.vpc,
  limit: 15 * minute,
  runs,
  reason: "VPCReadyTimeout",
  rank: 3,
});
const workspace = clock({
  name: "workspace",
  start: (s: Status, _w: World) => s.workspace,
  limit: 15 * minute,
  runs: (s: Status, w: World) => runs(s, w) && s.workspace !== undefined,
  reason: "WorkspaceReadyTimeout",
  rank: 2,
});
const secret = clock({
  name: "secret",
  start: (s: Status, _w: World) => s.secret,
  limit: (_s: Status, w: World) => (w.secretMinutes ?? 5) * minute,
  runs: (s: Status, w: World) => runs(s, w) && s.secret !== undefined && w.secretFound !== true,
  reason: "SecretTimeout",
  rank: 1,
});
const clocks = [vpc, workspace, secret];
const due = (s: Status, w: World, now: Instant) => dueClocks(clocks, s, w, now);

describe("deadlines", () => {
  it("TO-1 what has arrived in the same pass is not late", () => {
    expect(due({ vpc: t0, secret: t0 }, { secretFound: true }, at(6 * minute)).expired).toBeUndefined();
    expect(due({ vpc: t0, secret: t0 }, {}, at(6 * minute)).expired).toBe(secret);
  });

  it("TO-2 rule 78: one expires when its limit is reached, not a millisecond before", () => {
    expect(due({ vpc: t0 }, {}, at(15 * minute - 1)).expired).toBeUndefined();
    expect(due({ vpc: t0 }, {}, at(15 * minute)).expired?.reason).toBe("VPCReadyTimeout");
  });

  it.each<[string, Status, World]>([
    ["once provisioned", { vpc: t0, provisioned: true }, {}],
    ["while paused", { vpc: t0, paused: true }, {}],
    ["while deleting", { vpc: t0 }, { deleting: true }],
  ])("TO-3 none is evaluated %s", (_when, status, world) => {
    expect(due(status, world, at(100 * minute))).toEqual({});
  });

  it("TO-4 the next pass comes one second after the nearest deadline", () => {
    expect(due({ vpc: t0, secret: at(minute) }, {}, at(2 * minute)).wakeAt).toBe(at(6 * minute + 1000));
    expect(due({ vpc: t0, secret: at(14 * minute) }, {}, at(14 * minute)).wakeAt).toBe(at(15 * minute + 1000));
  });

  it("TO-5 only what is stored decides, so that a restart moves nothing", () => {
    const status = { vpc: t0 };
    due(status, {}, at(minute));
    expect(due({ ...status }, {}, at(5 * minute))).toEqual(due(status, {}, at(5 * minute)));
    expect(due(status, {}, at(5 * minute)).wakeAt).toBe(at(15 * minute + 1000));
  });

  it("TO-6 one without a start starts now", () => {
    expect(due({}, {}, at(100 * minute))).toEqual({ wakeAt: at(115 * minute + 1000) });
  });

  it("TO-7 a changed limit holds at once, with the old start", () => {
    const status = { vpc: t0, secret: t0 };
    expect(due(status, { secretMinutes: 10 }, at(6 * minute)).expired).toBeUndefined();
    expect(due(status, { secretMinutes: 3 }, at(6 * minute)).expired).toBe(secret);
  });

  it("TO-8 of several the most specific one is reported, wherever it stands in the list", () => {
    const status = { vpc: t0, workspace: t0, secret: t0 };
    expect(due(status, {}, at(15 * minute)).expired).toBe(secret);
    expect(dueClocks([secret, workspace, vpc], { vpc: t0, workspace: t0 }, {}, at(15 * minute)).expired).toBe(
      workspace,
    );
  });

  it("TO-8 of two that are equally specific the first one is reported", () => {
    const twin = { ...vpc, name: "twin" };
    expect(dueClocks([vpc, twin], { vpc: t0 }, {}, at(15 * minute)).expired).toBe(vpc);
  });

  it("TO-9 a start in the future counts as now", () => {
    expect(due({ vpc: at(60 * minute) }, {}, t0).wakeAt).toBe(at(15 * minute + 1000));
  });

  it("one that has expired does not hide when the next one will", () => {
    expect(due({ vpc: t0, secret: t0 }, {}, at(5 * minute))).toEqual({
      expired: secret,
      wakeAt: at(15 * minute + 1000),
    });
  });

  it("one without an end wakes nobody", () => {
    expect(dueClocks([{ ...vpc, limit: Number.POSITIVE_INFINITY }], { vpc: t0 }, {}, t0)).toEqual({});
  });
});

describe("a sighting", () => {
  it("keeps the moment at which something was first seen", () => {
    const first = sighting(undefined, ["a"], t0);
    const second = sighting(first, ["a", "b"], at(10));
    expect([...second.seen]).toEqual([
      ["a", t0],
      ["b", at(10)],
    ]);
  });

  it("forgets what is out of sight, so that it is first seen again", () => {
    const gone = sighting(sighting(undefined, ["a"], t0), [], at(10));
    expect(sighting(gone, ["a"], at(20)).seen.get("a")).toBe(at(20));
  });

  it("lasts from its limit on, and never for what is not in sight", () => {
    const seen = sighting(undefined, ["a"], t0);
    expect([seenFor(seen, "a", 30, at(29)), seenFor(seen, "a", 30, at(30)), seenFor(seen, "b", 0, at(99))]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
