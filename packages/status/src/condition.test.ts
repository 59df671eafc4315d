import { type Condition, instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import {
  findCondition,
  isFalse,
  isTrue,
  type MergeOptions,
  mergeCondition,
  setCondition,
  since,
  statusOf,
} from "./condition.ts";

const early = "2026-01-01T00:00:00Z";
const late = "2026-01-01T01:00:00Z";
const now = instant(Date.parse(late) + 789);

const stored: Condition = {
  type: "Ready",
  status: "True",
  reason: "Up",
  message: "All is well",
  lastTransitionTime: early,
  observedGeneration: 1,
};
const { lastTransitionTime: _, ...same } = stored;

describe("setting a condition, as meta.SetStatusCondition does it", () => {
  const table: [string, Partial<Condition>, boolean, string][] = [
    ["an equal one is no change", {}, false, early],
    ["another reason is a change that keeps the time", { reason: "Fine" }, true, early],
    ["another message is a change that keeps the time", { message: "Still well" }, true, early],
    ["another generation is a change that keeps the time", { observedGeneration: 2 }, true, early],
    ["another status is a change that moves the time", { status: "False" }, true, late],
    ["Unknown is a status like the others", { status: "Unknown", reason: "Lost" }, true, late],
  ];
  it.each(table)("rule 15: %s", (_name, change, changed, time) => {
    const list = [stored];
    expect(setCondition(list, { ...same, ...change }, now)).toBe(changed);
    expect(list).toEqual([{ ...stored, ...change, lastTransitionTime: time }]);
  });

  it("rule 16: an equal condition stays the very same object", () => {
    const list = [stored];
    setCondition(list, same, now);
    expect(list[0]).toBe(stored);
  });

  it("appends a type that is not there, and leaves the others where they are", () => {
    const list = [stored];
    expect(setCondition(list, { ...same, type: "Synced" }, now)).toBe(true);
    expect(list).toEqual([stored, { ...stored, type: "Synced", lastTransitionTime: late }]);
  });

  it("changes the first one where a type is there twice", () => {
    const list = [stored, { ...stored, message: "again" }];
    setCondition(list, { ...same, reason: "Fine" }, now);
    expect(list.map((c) => c.reason)).toEqual(["Fine", "Up"]);
  });

  it("takes a generation away that is not said any more", () => {
    const list = [stored];
    const { observedGeneration: _, ...without } = same;
    expect(setCondition(list, without, now)).toBe(true);
    expect(list[0]).not.toHaveProperty("observedGeneration");
  });

  it("takes a change of severity for a change", () => {
    expect(mergeCondition(stored, { ...same, severity: "Warning" }, late)).toEqual({ ...stored, severity: "Warning" });
  });
});

describe("the transition time", () => {
  const flip = (lastTransitionTime: string) =>
    mergeCondition({ ...stored, lastTransitionTime }, { ...same, status: "False" }, late).lastTransitionTime;
  const stay = (lastTransitionTime: string) =>
    mergeCondition({ ...stored, lastTransitionTime }, same, late).lastTransitionTime;

  it("rule 8: has whole seconds, so that memory and server agree", () => {
    const list: Condition[] = [];
    setCondition(list, same, now);
    expect(list[0]?.lastTransitionTime).toBe(late);
  });

  it("rule 17: does not go back with a clock that does", () => {
    expect(flip("2026-06-01T00:00:00Z")).toBe("2026-06-01T00:00:00Z");
    expect(flip("2026-06-01T00:00:00.123Z")).toBe("2026-06-01T00:00:00.123Z");
    expect(flip("2026-01-01T03:00:00+01:00")).toBe("2026-01-01T03:00:00+01:00");
  });

  it("is compared as a time, not as a text", () => {
    expect(flip("2026-01-01T02:00:00+02:00")).toBe(late);
    expect(flip("2026-01-01T00:59:59.999Z")).toBe(late);
  });

  it.each(["", "yesterday", "2026-13-01T00:00:00Z", "9999"])(
    "rule 8: is replaced where %j is stored, flip or not",
    (bad) => {
      expect(flip(bad)).toBe(late);
      expect(stay(bad)).toBe(late);
    },
  );

  const given: [string, MergeOptions, string][] = [
    ["moves without a flip when it is restamped", { restamp: true }, late],
    ["is the given one for a mirror, older or not", { at: "2020-01-01T00:00:00Z" }, "2020-01-01T00:00:00Z"],
    ["is not taken over from a source that has none", { at: "soon" }, early],
  ];
  it.each(given)("%s", (_name, options, time) => {
    expect(mergeCondition(stored, same, late, options).lastTransitionTime).toBe(time);
  });
});

describe("reading a condition", () => {
  it("rule 34: one that is not there is Unknown, neither true nor false", () => {
    expect([statusOf([stored], "Ready"), statusOf([stored], "Synced"), statusOf(undefined, "Ready")]).toEqual([
      "True",
      "Unknown",
      "Unknown",
    ]);
    expect([isTrue([stored], "Ready"), isTrue([stored], "Synced"), isFalse([stored], "Synced")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isFalse([{ ...stored, status: "False" }], "Ready")).toBe(true);
  });

  it("says since when, where that can be read", () => {
    expect(since([stored], "Ready")).toBe(Date.parse(early));
    expect(since([{ ...stored, lastTransitionTime: "" }], "Ready")).toBeUndefined();
    expect(since([stored], "Synced")).toBeUndefined();
  });

  it("survives a list that is none, and holes in it", () => {
    const wire: unknown = JSON.parse('{"none": {}, "hole": [null, {"type": "Ready"}]}');
    const { none, hole } = wire as { none: readonly Condition[]; hole: readonly Condition[] };
    expect(findCondition(none, "Ready")).toBeUndefined();
    expect(findCondition(hole, "Ready")).toEqual({ type: "Ready" });
  });
});
