import { instant } from "@telltale/kinds";
import type { Lease } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { claimPatch, freed, nextStep, type Seen, see, stamp } from "./lease.ts";

const duration = 15_000;
const lease = (spec: Lease["spec"], metadata: Lease["metadata"] = {}): Lease => ({
  metadata: { uid: "u", resourceVersion: "7", ...metadata },
  ...(spec && { spec }),
});
const held = lease({ holderIdentity: "x", leaseDurationSeconds: 15, renewTime: "t1", leaseTransitions: 4 });
const renewed = lease({ ...held.spec, renewTime: "t2" });
const seeAll = (...looks: [Lease | undefined, number][]) =>
  looks.reduce<Seen>((seen, [it, now]) => see(seen, it, now, duration), { at: "unread" });

describe("what a Lease says", () => {
  it("counts from when we first saw it, as long as it stays the same", () => {
    expect(seeAll([held, 100], [held, 900])).toMatchObject({ at: "there", since: 100 });
    expect(seeAll([held, 100], [renewed, 900])).toMatchObject({ at: "there", since: 900 });
  });

  it.each([
    { holderIdentity: "y" },
    { leaseDurationSeconds: 16 },
    { leaseTransitions: 5 },
    { acquireTime: "t0" },
    { renewTime: "t2" },
  ])("is another one with %j", (change) => {
    expect(seeAll([held, 100], [lease({ ...held.spec, ...change }), 900])).toMatchObject({ since: 900 });
  });

  it("stays the same when something else in it changes, but not when it was made anew", () => {
    const labelled = lease(held.spec, { resourceVersion: "8", labels: { a: "b" } });
    expect(seeAll([held, 100], [labelled, 900])).toMatchObject({ since: 100, lease: labelled });
    expect(seeAll([held, 100], [lease(held.spec, { uid: "v" }), 900])).toMatchObject({ since: 900 });
  });

  it("lasts as long as it says, or as long as we would have it", () => {
    expect(seeAll([held, 0])).toMatchObject({ claim: { duration: 15_000 } });
    expect(seeAll([lease({ holderIdentity: "x", leaseDurationSeconds: 40 }), 0])).toMatchObject({
      claim: { duration: 40_000 },
    });
    expect(seeAll([lease({ holderIdentity: "x" }), 0])).toMatchObject({ claim: { duration } });
  });

  it("is remembered when the Lease is deleted", () => {
    expect(seeAll([undefined, 5])).toEqual({ at: "none" });
    expect(seeAll([held, 5], [undefined, 9], [undefined, 20])).toMatchObject({
      at: "gone",
      since: 9,
      was: { epoch: 4 },
    });
  });
});

describe("the next step", () => {
  const step = (seen: Seen, now: number, mine = false, inTerm = false) => nextStep(seen, mine, inTerm, now).do;

  it("waits for another's claim until it was unchanged for as long as it lasts", () => {
    const seen = seeAll([held, 100]);
    expect(nextStep(seen, false, false, 200)).toEqual({ do: "wait", until: 15_100, holder: "x" });
    expect([step(seen, 15_099), step(seen, 15_100)]).toEqual(["wait", "take"]);
    const gone = seeAll([held, 100], [undefined, 300]);
    expect([step(gone, 15_299), step(gone, 15_300)]).toEqual(["wait", "create"]);
  });

  it("takes at once what nobody holds, what was ours, and what was never there", () => {
    expect(step(seeAll([lease({ holderIdentity: "" }), 0]), 0)).toBe("take");
    expect(step(seeAll([lease(undefined), 0]), 0)).toBe("take");
    expect(step(seeAll([held, 0]), 0, true)).toBe("take");
    expect(step(seeAll([held, 0], [undefined, 1]), 1, true)).toBe("create");
    expect(step({ at: "none" }, 0)).toBe("create");
  });

  it("renews within a term and begins every other one with a higher epoch", () => {
    expect(step(seeAll([held, 0]), 0, true, true)).toBe("renew");
    expect(nextStep(seeAll([held, 0]), true, false, 0)).toMatchObject({ do: "take", epoch: 5 });
    expect(nextStep(seeAll([held, 0], [undefined, 1]), true, false, 1)).toEqual({ do: "create", epoch: 5 });
    expect(nextStep({ at: "none" }, false, false, 0)).toEqual({ do: "create", epoch: 0 });
  });

  it("knows nothing of what was not read", () => {
    expect(step({ at: "unread" }, 0)).toBe("wait");
  });
});

describe("a patch", () => {
  const claim = { holder: "a", duration: 14_500, epoch: 5, acquired: "t3", renewed: "t3" };
  const tests = [
    { op: "test", path: "/metadata/uid", value: "u" },
    { op: "test", path: "/metadata/resourceVersion", value: "7" },
  ];

  it("fits one version of one object, and changes nothing but the claim", () => {
    expect(claimPatch(held, claim)).toEqual([
      ...tests,
      { op: "add", path: "/spec/holderIdentity", value: "a" },
      { op: "add", path: "/spec/leaseDurationSeconds", value: 15 },
      { op: "add", path: "/spec/acquireTime", value: "t3" },
      { op: "add", path: "/spec/renewTime", value: "t3" },
      { op: "add", path: "/spec/leaseTransitions", value: 5 },
    ]);
  });

  it("adds marks beside those of others, and makes the place for them where there is none", () => {
    const marks = { labels: { "x.dev/~g": "1" }, annotations: { "x.dev/a": "2" } };
    const labelled = lease(undefined, { labels: { other: "y" } });
    expect(claimPatch(labelled, claim, marks).slice(2)).toEqual([
      { op: "add", path: "/spec", value: expect.objectContaining({ holderIdentity: "a" }) },
      { op: "add", path: "/metadata/labels/x.dev~1~0g", value: "1" },
      { op: "add", path: "/metadata/annotations", value: { "x.dev/a": "2" } },
    ]);
  });

  it("that gives back keeps the epoch, for the next to count on", () => {
    expect(freed(claim, "t4")).toEqual({ holder: "", duration: 1000, epoch: 5, acquired: "t4", renewed: "t4" });
  });
});

it("no two stamps are alike, even of one moment", () => {
  const now = instant(Date.UTC(2026, 0, 1, 2, 3, 4, 567));
  expect([0, 1, 999, 1000].map((write) => stamp(now, write))).toEqual([
    "2026-01-01T02:03:04.567000Z",
    "2026-01-01T02:03:04.567001Z",
    "2026-01-01T02:03:04.567999Z",
    "2026-01-01T02:03:04.567000Z",
  ]);
});
