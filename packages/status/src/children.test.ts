import { type ConditionStatus, instant } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Widget } from "../test/widget.ts";
import { assignSlots, type ChildCondition, rollUp, type SlotOptions, type Slotted, showing } from "./children.ts";
import { draft } from "./draft.ts";
import { text } from "./text.ts";

const child = (key: string, held?: number, more: Partial<Slotted> = {}): Slotted => ({
  key,
  created: instant(0),
  ...(held === undefined ? {} : { held }),
  ...more,
});
const slots = (children: readonly Slotted[], options?: SlotOptions) =>
  Object.fromEntries(assignSlots(children, options).slots);
const repair = (children: readonly Slotted[], options?: SlotOptions) =>
  Object.fromEntries(assignSlots(children, options).repair.map((r) => [r.key, r.slot]));

describe("slots of pods (bindy 5.2)", () => {
  const rest = { compact: true };

  it("newcomers take the lowest free ones by age, then by name", () => {
    const young = { created: instant(2) };
    expect(slots([child("c", undefined, young), child("b"), child("a"), child("d", 1)])).toEqual({
      a: 0,
      d: 1,
      b: 2,
      c: 3,
    });
  });

  it("a pod is replaced: its successor takes the slot, the others keep theirs", () => {
    expect(slots([child("a", 0), child("c", 2), child("new")], { ...rest, desired: 3 })).toEqual({
      a: 0,
      new: 1,
      c: 2,
    });
  });

  it("scale up 2 to 3: the new pod gets slot 2", () => {
    expect(slots([child("a", 0), child("b", 1), child("new")], { ...rest, desired: 3 })).toEqual({
      a: 0,
      b: 1,
      new: 2,
    });
  });

  it("scale down 3 to 2 without the pod on slot 0: the pod on slot 2 moves there, slot 1 is untouched", () => {
    expect(slots([child("b", 1), child("c", 2)], { ...rest, desired: 2 })).toEqual({ b: 1, c: 0 });
  });

  it("a hole that will be filled is left open", () => {
    expect(slots([child("a", 0), child("c", 2)], { ...rest, desired: 3 })).toEqual({ a: 0, c: 2 });
  });

  it("a rolling update with a surge takes extra slots, and moves nothing until it is complete", () => {
    const during = [child("old1", 1), child("new0"), child("new2", 2)];
    expect(slots(during, { compact: false, desired: 2 })).toEqual({ new0: 0, old1: 1, new2: 2 });
    const after = [child("new0", 0), child("new2", 2)];
    expect(slots(after, { compact: false, desired: 2 })).toEqual({ new0: 0, new2: 2 });
    expect(slots(after, { ...rest, desired: 2 })).toEqual({ new0: 0, new2: 1 });
  });

  it("several pods move down, the highest to the lowest", () => {
    expect(slots([child("a", 7), child("b", 1), child("c", 9)], rest)).toEqual({ c: 0, b: 1, a: 2 });
  });

  it("terminating pods and evicted shells are no children: what is not given has no slot", () => {
    expect(slots([])).toEqual({});
  });
});

describe("slots of instances (bindy 5.3)", () => {
  const primary = { order: 0 };
  const secondary = { order: 1 };
  const unmanaged = { order: 2 };

  it("2 primaries and 1 secondary are created as 0, 1 and 2", () => {
    expect(
      slots([
        child("secondary-0", undefined, secondary),
        child("primary-1", undefined, primary),
        child("primary-0", undefined, primary),
      ]),
    ).toEqual({
      "primary-0": 0,
      "primary-1": 1,
      "secondary-0": 2,
    });
  });

  it("scale primaries 2 to 3 with one secondary: primary-2 gets 3, secondary-0 stays 2", () => {
    const before = [child("primary-0", 0, primary), child("primary-1", 1, primary), child("secondary-0", 2, secondary)];
    expect(slots([...before, child("primary-2", undefined, primary)])).toMatchObject({
      "primary-2": 3,
      "secondary-0": 2,
    });
  });

  it("scale primaries 3 to 1: holes are legal, and are filled first when it scales up again", () => {
    const holes = [child("primary-0", 0, primary), child("secondary-0", 3, secondary)];
    expect(slots(holes)).toEqual({ "primary-0": 0, "secondary-0": 3 });
    expect(slots([...holes, child("primary-1", undefined, primary)])["primary-1"]).toBe(1);
  });

  it("terminating ones keep theirs, so that a new one takes another", () => {
    const terminating = child("primary-1", 1, primary);
    expect(slots([child("primary-0", 0, primary), terminating, child("primary-2", undefined, primary)])).toEqual({
      "primary-0": 0,
      "primary-1": 1,
      "primary-2": 2,
    });
  });

  it("one that was deleted by hand and made again returns to its slot once the old one is gone", () => {
    expect(slots([child("primary-0", 0), child("primary-2", 2), child("primary-1")])["primary-1"]).toBe(1);
  });

  it("unmanaged ones come after all managed ones, however old they are", () => {
    expect(
      slots([child("mine", undefined, unmanaged), child("primary-0", undefined, { ...primary, created: instant(9) })]),
    ).toEqual({
      "primary-0": 0,
      mine: 1,
    });
  });

  it.each([undefined, Number.NaN, -1, 1.5, 10_000])("a held number of %s is repaired", (held) => {
    expect(repair([child("a", held), child("b", 0)])).toEqual({ a: 1 });
  });

  it("9999 is still a number", () => {
    expect(repair([child("a", 9999)])).toEqual({});
  });

  it("of two on one slot the older keeps it, then the primary, then the first by name; the others get the lowest free ones", () => {
    expect(slots([child("a", 0, { created: instant(5) }), child("b", 0, { created: instant(1) })])).toEqual({
      b: 0,
      a: 1,
    });
    expect(slots([child("a", 0, secondary), child("b", 0, primary)])).toEqual({ b: 0, a: 1 });
    expect(slots([child("b", 0), child("a", 0), child("c", 1)])).toEqual({ a: 0, c: 1, b: 2 });
    expect(repair([child("b", 0), child("a", 0), child("c", 1)])).toEqual({ b: 2 });
  });

  it("objects of upstream, where both roles start at 0, are adopted", () => {
    const upstream = [
      child("p0", 0, primary),
      child("p1", 1, primary),
      child("s0", 0, secondary),
      child("s1", 1, secondary),
    ];
    expect(slots(upstream)).toEqual({ p0: 0, p1: 1, s0: 2, s1: 3 });
  });

  it("the same object twice counts once", () => {
    expect(slots([child("a", 0), child("a", 0), child("b")], { compact: true })).toEqual({ a: 0, b: 1 });
  });
});

describe("any set of children", () => {
  const one = fc.record({
    key: fc.integer({ min: 0, max: 30 }).map((n) => `c${n}`),
    created: fc.integer({ min: 0, max: 3 }).map(instant),
    held: fc.option(fc.integer({ min: -1, max: 12 }), { nil: undefined }),
    order: fc.integer({ min: 0, max: 2 }),
  });
  const set = fc
    .array(one, { maxLength: 20 })
    .map((list) => list.map(({ held, ...c }): Slotted => (held === undefined ? c : { ...c, held })));

  it("has unique slots; who holds one alone keeps it; at rest they are exactly 0 to n-1", () => {
    fc.assert(
      fc.property(set, fc.boolean(), (children, compact) => {
        const unique = [...new Map(children.map((c) => [c.key, c])).values()];
        const given = assignSlots(children, { compact }).slots;
        expect(given.size).toBe(unique.length);
        expect(new Set(given.values()).size).toBe(unique.length);
        for (const c of unique) {
          const alone = c.held !== undefined && c.held >= 0 && unique.every((o) => o === c || o.held !== c.held);
          if (alone && (!compact || (c.held ?? 0) < unique.length)) expect(given.get(c.key)).toBe(c.held);
        }
        if (compact) expect([...given.values()].sort((a, b) => a - b)).toEqual(unique.map((_, i) => i));
      }),
      { numRuns: 500 },
    );
  });

  it("does not depend on the order in which they are listed, and is settled after one pass", () => {
    fc.assert(
      fc.property(set, fc.boolean(), (children, compact) => {
        const unique = [...new Map(children.map((c) => [c.key, c])).values()];
        const first = assignSlots(unique, { compact });
        expect(Object.fromEntries(assignSlots(unique.toReversed(), { compact }).slots)).toEqual(
          Object.fromEntries(first.slots),
        );
        const held = unique.map((c) => ({ ...c, held: first.slots.get(c.key) ?? -1 }));
        expect(assignSlots(held, { compact }).repair).toEqual([]);
      }),
    );
  });
});

const t0 = instant(Date.parse("2026-01-01T00:00:00Z"));
const t1 = instant(t0 + 60_000);

function pass(parts: readonly [number, string, ConditionStatus, number?][], stored?: Widget["status"], now = t0) {
  const object: Widget = {
    apiVersion: "telltale.test/v1",
    kind: "Widget",
    metadata: { name: "w", uid: "u", generation: 1 },
    spec: { size: 1 },
    ...(stored === undefined ? {} : { status: stored }),
  };
  const list = parts.map(
    ([slot, key, status, storedSlot]): ChildCondition => ({
      slot,
      storedSlot,
      status,
      reason: status === "True" ? "Fine" : "Loose",
      message: text`Part ${key} is ${status}`,
    }),
  );
  return draft(Widget, object, now)
    .state({ type: "Linked", status: "True", reason: "Up", message: "" })
    .children("Part", list)
    .finish();
}
const parts = (status: Widget["status"]) =>
  (status?.conditions ?? [])
    .filter((c) => c.type.startsWith("Part-"))
    .map((c) => `${c.type} ${c.message.split(" ")[1]} ${c.lastTransitionTime.slice(11, 16)}`);

describe("conditions of children", () => {
  const before = pass([
    [0, "a", "True"],
    [1, "b", "True"],
  ]).status;

  it("stand in the order of their numbers, however they are listed", () => {
    expect(
      parts(
        pass([
          [3, "d", "True"],
          [0, "a", "True"],
        ]).status,
      ),
    ).toEqual(["Part-0 a 00:00", "Part-3 d 00:00"]);
  });

  it("go when their child is gone, and others appear", () => {
    expect(
      parts(
        pass(
          [
            [0, "a", "True"],
            [2, "c", "True"],
          ],
          before,
          t1,
        ).status,
      ),
    ).toEqual(["Part-0 a 00:00", "Part-2 c 00:01"]);
  });

  it("bring their time along when the child moves, if it says the same (bindy 7.7.2)", () => {
    const late = pass(
      [
        [0, "a", "True"],
        [1, "b", "True"],
        [2, "c", "True"],
      ],
      before,
      t1,
    ).status;
    expect(
      parts(
        pass(
          [
            [0, "c", "True", 2],
            [1, "b", "True"],
          ],
          late,
          instant(t1 + 60_000),
        ).status,
      ),
    ).toEqual(["Part-0 c 00:01", "Part-1 b 00:00"]);
  });

  it("get a new time when the child moves and says something else", () => {
    const mixed = pass([
      [0, "a", "False"],
      [1, "b", "True"],
    ]).status;
    expect(parts(pass([[0, "b", "False", 1]], mixed, t1).status)).toEqual(["Part-0 b 00:01"]);
  });

  it("keep the time of their number where nothing is stored for the child, whatever its message says", () => {
    const stored = pass([[0, "a", "True"]]).status;
    const reworded = {
      ...stored,
      conditions: stored?.conditions?.map((c) => (c.type === "Part-0" ? { ...c, message: "In other words" } : c)),
    } as Widget["status"];
    expect(parts(pass([[2, "a", "True", 0]], reworded, t1).status)).toEqual(["Part-2 a 00:00"]);
    expect(parts(pass([[2, "a", "True", 1]], reworded, t1).status)).toEqual(["Part-2 a 00:01"]);
  });

  it("rule 10: are cut at the family's limit, lowest numbers first", () => {
    const many = Array.from({ length: 6 }, (_, i): [number, string, ConditionStatus] => [5 - i, `p${5 - i}`, "True"]);
    expect(parts(pass(many).status).map((p) => p.slice(0, 6))).toEqual(["Part-0", "Part-1", "Part-2", "Part-3"]);
  });

  it("cause no write when nothing changed", () => {
    expect(
      pass(
        [
          [1, "b", "True"],
          [0, "a", "True"],
        ],
        before,
        t1,
      ).changed,
    ).toBe(false);
  });
});

describe("one sentence about all children (bindy 5.7)", () => {
  const pods = { children: "pods", parent: "instance" };
  it.each([
    [3, 3, undefined, "True", "AllReady", "All 3 pods are ready"],
    [1, 1, undefined, "True", "AllReady", "All 1 pods are ready"],
    [4, 3, undefined, "True", "AllReady", "All 3 pods are ready"],
    [1, 3, undefined, "False", "PartiallyReady", "1/3 pods are ready"],
    [0, 3, undefined, "False", "NotReady", "No pods are ready"],
    [0, 3, text`pods are crashing`, "False", "NotReady", "No pods are ready: pods are crashing"],
    [0, 0, undefined, "False", "NoChildren", "No pods found for this instance"],
  ])("rule 74: %i of %i", (ready, total, cause, status, reason, message) => {
    expect(rollUp({ ready, total }, pods, cause)).toEqual({ status, reason, message });
  });

  it("uses the nouns of its parent", () => {
    expect(rollUp({ ready: 0, total: 0 }, { children: "clusters", parent: "global cluster" }).message).toBe(
      "No clusters found for this global cluster",
    );
  });

  it("says how many are shown where not all are (bindy 5.4)", () => {
    expect([showing(256, 300), showing(256, 256), showing(256, 3)]).toEqual([" (showing 256 of 300 children)", "", ""]);
  });
});
