// 16.2: the numbers of children.
import { instant } from "@telltale/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { later, now } from "../../test/views.ts";
import { assignInstanceSlots, assignPodSlots, type SlottedInstance } from "./slots.ts";

const at = (order: number) => later(order * 1000);
const pods = (...names: string[]) => names.map((name, i) => ({ name, created: at(i) }));
const known = (...names: string[]) => new Map(names.map((name, i) => [name, i]));
const slots = (map: ReadonlyMap<string, number>) => Object.fromEntries([...map].sort(([, a], [, b]) => a - b));

describe("5.2 slots of pods", () => {
  test("A-30 a successor takes the slot that became free", () => {
    expect(slots(assignPodSlots(known("a", "b"), pods("c", "b"), 2, false))).toEqual({ c: 0, b: 1 });
  });

  test("A-31 a gap is closed by the pod with the highest slot", () => {
    expect(slots(assignPodSlots(known("a", "b", "c"), pods("b", "c"), 2, false))).toEqual({ c: 0, b: 1 });
  });

  test("A-32 during a rollout nothing is moved; after it the gap is closed", () => {
    const first = known("a", "b");
    const surge = [...pods("a", "b"), { name: "c", created: at(5) }];
    expect(slots(assignPodSlots(first, surge, 2, true))).toEqual({ a: 0, b: 1, c: 2 });
    const three = known("a", "b", "c");
    expect(slots(assignPodSlots(three, pods("b", "c"), 2, true))).toEqual({ b: 1, c: 2 });
    const two = new Map([...three].filter(([, slot]) => slot !== 0));
    const next = [...pods("b", "c"), { name: "d", created: at(9) }];
    expect(slots(assignPodSlots(two, next, 2, true))).toEqual({ d: 0, b: 1, c: 2 });
    const last = known("d", "b", "c");
    expect(slots(assignPodSlots(last, pods("c", "d"), 2, false))).toEqual({ d: 0, c: 1 });
  });

  test("5.2 newcomers are numbered by age, then by name", () => {
    const young = [
      { name: "b", created: at(1) },
      { name: "a", created: at(1) },
      { name: "c", created: at(0) },
    ];
    expect(slots(assignPodSlots(new Map(), young, 3, false))).toEqual({ c: 0, a: 1, b: 2 });
  });
});

describe("5.3 slots of instances", () => {
  const managed = (name: string, role: "primary" | "secondary", ordinal: number, annotation?: string) => ({
    name,
    role,
    ordinal,
    created: now,
    annotation,
  });

  test("A-34 primaries come first, then secondaries, each by its ordinal", () => {
    const { slots: given } = assignInstanceSlots([
      managed("x-secondary-0", "secondary", 0),
      managed("x-primary-10", "primary", 10),
      managed("x-primary-2", "primary", 2),
    ]);
    expect(slots(given)).toEqual({ "x-primary-2": 0, "x-primary-10": 1, "x-secondary-0": 2 });
  });

  test("A-37 of two that claim one slot the elder keeps it, then the primary, then the first by name", () => {
    const twins = [managed("x-secondary-0", "secondary", 0, "0"), managed("x-primary-0", "primary", 0, "0")];
    const { slots: given, repair } = assignInstanceSlots(twins);
    expect(slots(given)).toEqual({ "x-primary-0": 0, "x-secondary-0": 1 });
    expect(repair).toEqual([{ name: "x-secondary-0", slot: 1 }]);
    const repaired = twins.map((it) => ({ ...it, annotation: String(given.get(it.name)) }));
    expect(assignInstanceSlots(repaired).repair).toEqual([]);
    const elder = [{ ...twins[0], created: instant(0) }, twins[1]] as SlottedInstance[];
    expect(assignInstanceSlots(elder).slots.get("x-secondary-0")).toBe(0);
  });

  test("5.3 what a person made is numbered after all managed ones", () => {
    const { slots: given } = assignInstanceSlots([
      { name: "a-mine", role: "primary", ordinal: undefined, created: instant(0), annotation: undefined },
      managed("x-secondary-0", "secondary", 0),
    ]);
    expect(slots(given)).toEqual({ "x-secondary-0": 0, "a-mine": 1 });
  });

  test.each([["abc"], ["-1"], [undefined], ["99999"], ["007"], ["1.5"], [""]])(
    "A-38 the annotation %s is repaired",
    (annotation) => {
      const { repair } = assignInstanceSlots([managed("x-primary-0", "primary", 0, annotation)]);
      expect(repair).toEqual([{ name: "x-primary-0", slot: 0 }]);
    },
  );

  test("A-38 no two instances ever have one slot, and what was repaired stays", () => {
    const instance = fc.record({
      name: fc.string({ minLength: 1, maxLength: 4 }),
      role: fc.constantFrom("primary" as const, "secondary" as const),
      ordinal: fc.option(fc.nat(200), { nil: undefined }),
      created: fc.nat(3).map((n) => instant(n)),
      annotation: fc.option(fc.oneof(fc.nat(12).map(String), fc.string(), fc.constant("9999")), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(instance, { selector: ({ name }) => name, maxLength: 20 }), (all) => {
        const { slots: given } = assignInstanceSlots(all);
        expect(new Set(given.values()).size).toBe(all.length);
        const again = all.map((it) => ({ ...it, annotation: String(given.get(it.name)) }));
        expect(assignInstanceSlots(again).repair).toEqual([]);
      }),
    );
  });
});
