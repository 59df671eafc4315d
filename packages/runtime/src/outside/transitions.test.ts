import {
  type Condition,
  conditions,
  defineKind,
  Fields,
  family,
  Int32,
  instant,
  negative,
  neutral,
  no,
  phases,
  positive,
  unknown,
  yes,
} from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { transitions, type Written } from "./transitions.ts";

const Boat = defineKind({
  group: "sea.test",
  version: "v1",
  kind: "Boat",
  status: Fields({ knots: Int32() }),
  phases: phases({ Docked: ["Sailing"], Sailing: ["Docked"] }),
  conditions: conditions({
    Ready: positive({
      means: "It can sail",
      reasons: { Afloat: yes("it floats"), Aground: no("it is stuck", "wait for the tide"), Fog: unknown("?", "look") },
    }),
    Leaking: negative({
      means: "Water comes in",
      reasons: { Hole: yes("there is a hole", "mend it"), Tight: no("no water", "nothing to do") },
      present: "whenTrue",
    }),
    Crowded: neutral({ means: "Many aboard", reasons: { Full: yes("full"), Empty: no("empty", "nothing to do") } }),
    Sail: family({ means: "A sail is up", reasons: { Up: yes("up"), Down: no("down", "hoist it") } }),
  }),
});

const now = instant(Date.parse("2026-01-01T00:10:00Z"));

function condition(type: string, status: Condition["status"], reason: string, message = ""): Condition {
  return { type, status, reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" };
}

const afloat = condition("Ready", "True", "Afloat", "It floats");
const aground = condition("Ready", "False", "Aground", "It is stuck");

function told(old: Written["old"], next: Written["next"], more: Partial<Written> = {}) {
  return transitions({ kind: Boat, controller: "boats", old, next, now, ...more });
}

describe("phases", () => {
  it("a phase that was entered is told with the one before and how long that lasted", () => {
    const since = instant(now - 90_000);
    expect(told({ phase: "Docked" }, { phase: "Sailing" }, { phaseSince: since }).phase).toEqual({
      is: "phase",
      controller: "boats",
      kind: "Boat",
      from: "Docked",
      to: "Sailing",
      after: 90_000,
    });
  });

  it("the first phase comes from nowhere, and the same phase is no news", () => {
    expect(told(undefined, { phase: "Docked" }, { phaseSince: now }).phase).toEqual({
      is: "phase",
      controller: "boats",
      kind: "Boat",
      to: "Docked",
    });
    expect(told({ phase: "Docked" }, { phase: "Docked" }).phase).toBeUndefined();
    expect(told({ phase: "Docked" }, {}).phase).toBeUndefined();
  });

  it("a kind without conditions announces its phases, by what they mean", () => {
    const Raft = defineKind({
      group: "sea.test",
      version: "v1",
      kind: "Raft",
      phases: phases({ Dry: ["Wet"] }, { means: { Wet: "It is in the water" } }),
    });
    expect(told({ phase: "Dry" }, { phase: "Wet" }, { kind: Raft }).events).toEqual([
      { type: "Normal", reason: "Wet", message: "It is in the water" },
    ]);
    expect(told({}, { phase: "Dry" }, { kind: Raft }).events[0]?.message).toBe("Entered Dry");
    expect(told({ phase: "Docked" }, { phase: "Sailing" }).events).toEqual([]);
  });
});

describe("flips", () => {
  it("a flip is told with what held before and for how long", () => {
    expect(told({ conditions: [afloat] }, { conditions: [aground] }).flips).toEqual([
      {
        type: "Ready",
        sample: {
          is: "flip",
          controller: "boats",
          kind: "Boat",
          type: "Ready",
          status: "False",
          reason: "Aground",
          from: "True",
          after: 600_000,
        },
      },
    ]);
  });

  it("another reason or message with the same status is no flip", () => {
    const other = condition("Ready", "True", "Other", "Else");
    expect(told({ conditions: [afloat] }, { conditions: [other] })).toEqual({ flips: [], events: [] });
  });

  it("a condition that appears as Unknown says nothing that was not known", () => {
    expect(told({}, { conditions: [condition("Ready", "Unknown", "Fog")] }).flips).toEqual([]);
    expect(told({}, { conditions: [afloat] }).flips[0]?.sample).not.toHaveProperty("from");
  });

  it("a condition that is there only while True has become False when it goes", () => {
    const leaking = condition("Leaking", "True", "Hole");
    const { flips, events } = told({ conditions: [leaking] }, { conditions: [] }, { announce: ["Leaking"] });
    expect(flips[0]?.sample).toMatchObject({ type: "Leaking", status: "False", reason: "Removed", from: "True" });
    expect(events).toEqual([]);
    expect(told({ conditions: [afloat] }, { conditions: [] }).flips[0]?.sample.status).toBe("Unknown");
  });

  it("a child's flip is counted under its family, and kept apart from its siblings'", () => {
    const sail = (i: number) => condition(`Sail-${i}`, "True", "Up");
    const { flips } = told({}, { conditions: [sail(0), sail(11)] });
    expect(flips.map(({ type, sample }) => [type, sample.type])).toEqual([
      ["Sail-0", "Sail"],
      ["Sail-11", "Sail"],
    ]);
  });

  it("a condition that the kind does not declare is somebody else's to tell of", () => {
    expect(told({}, { conditions: [condition("Painted", "True", "Blue")] }).flips).toEqual([]);
  });

  it("a clock that went back gives no negative time", () => {
    const early = instant(Date.parse("2025-12-31T00:00:00Z"));
    expect(told({ conditions: [afloat] }, { conditions: [aground] }, { now: early }).flips[0]?.sample.after).toBe(0);
  });
});

describe("events", () => {
  const event = (old: Condition | undefined, next: Condition, more: Partial<Written> = {}) =>
    told({ conditions: old === undefined ? [] : [old] }, { conditions: [next] }, more).events.map(
      ({ type, reason, message }) => `${type} ${reason}: ${message}`,
    );
  const on = (status: Condition["status"], type: string) => condition(type, status, "R", "m");

  it("a good condition that becomes bad is a warning, in its own words", () => {
    expect(event(afloat, aground)).toEqual(["Warning Aground: It is stuck"]);
    expect(event(aground, afloat)).toEqual(["Normal Afloat: It floats"]);
    expect(event(afloat, condition("Ready", "Unknown", "Fog", "No view"))).toEqual(["Normal Fog: No view"]);
  });

  it.each([
    ["Leaking", "False", "True", "Warning R: m"],
    ["Leaking", "True", "False", "Normal R: m"],
    ["Crowded", "False", "True", "Normal R: m"],
    ["Crowded", "True", "False", "Normal R: m"],
  ] as const)("%s from %s to %s is %s", (type, from, to, expected) => {
    expect(event(on(from, type), on(to, type), { announce: [type] })).toEqual([expected]);
  });

  it("a new object that is not ready yet is no reason to worry, unless its first pass failed", () => {
    expect(event(undefined, aground)).toEqual(["Normal Aground: It is stuck"]);
    expect(event(undefined, aground, { failed: true })).toEqual(["Warning Aground: It is stuck"]);
  });

  it("only the top condition is announced, or those that were asked for", () => {
    const old = { conditions: [afloat, on("False", "Crowded"), on("True", "Sail-3")] };
    const next = { conditions: [aground, on("True", "Crowded"), on("False", "Sail-3")] };
    expect(told(old, next).events.map(({ reason }) => reason)).toEqual(["Aground"]);
    expect(told(old, next, { announce: ["Sail", "Crowded"] }).events.map(({ type }) => type)).toEqual([
      "Normal",
      "Warning",
    ]);
    expect(told(old, next, { announce: [] }).events).toEqual([]);
  });

  it("a condition without a reason is announced by its type, since no Event goes without one", () => {
    expect(event(afloat, condition("Ready", "False", "", "m"))).toEqual(["Warning Ready: m"]);
  });
});
