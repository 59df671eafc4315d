import { describe, expect, it } from "vitest";
import { ring } from "./ring.ts";
import { agreed, drained, mayActOn, moved, rightsOf, type Stage, written } from "./stage.ts";

const joined: Stage = { at: "joined", says: "" };
const [alone, two, three, others] = [ring(["a"]), ring(["a", "b"]), ring(["a", "b", "c"]), ring(["a", "c"])];
const keys = Array.from({ length: 300 }, (_, i) => `team/object-${i}`);

const mine = (stage: Stage) => keys.filter((key) => mayActOn(rightsOf(stage), "a", key));
const owned = (by: typeof two) => keys.filter((key) => by.owner(key) === "a");
const adopt = (stage: Stage, by: typeof two) => written(drained(moved(stage, by)), by.hash);
const settle = (stage: Stage, by: typeof two) => agreed(adopt(stage, by));

describe("a member", () => {
  it("acts on nothing until all have said the set that it says", () => {
    for (const stage of [joined, moved(joined, two), drained(moved(joined, two)), adopt(joined, two)]) {
      expect(mine(stage)).toEqual([]);
    }
    expect(mine(settle(joined, two))).toEqual(owned(two));
  });

  it("lets go of what it loses before it says so, and keeps the rest all the time", () => {
    const before = settle(joined, two);
    const draining = moved(before, three);
    expect(draining).toMatchObject({ at: "draining", says: two.hash });
    expect(mine(draining)).toEqual(owned(three));
    expect(drained(draining)).toMatchObject({ at: "adopting", says: three.hash });
    expect(mine(adopt(before, three))).toEqual(owned(three));
  });

  it("takes up what it gains only when all agree", () => {
    const before = settle(joined, three);
    expect(mine(adopt(before, two))).toEqual(owned(three));
    expect(mine(settle(before, two))).toEqual(owned(two));
  });

  it("leaves a key alone that it gave away once, even where it comes back before all agreed", () => {
    const gave = adopt(settle(joined, alone), two);
    const back = adopt(gave, alone);
    expect(mine(back)).toEqual(owned(two));
    expect(mine(settle(gave, alone))).toEqual(keys);
    const both = adopt(gave, others);
    expect(mine(both)).toEqual(owned(two).filter((key) => others.owner(key) === "a"));
  });

  it("has not said what its Lease is not known to say", () => {
    const adopting = drained(moved(settle(joined, alone), two));
    expect(written(adopting, alone.hash)).toBe(adopting);
    expect(agreed(adopting)).toBe(adopting);
  });

  it("that is out or leaving stays so, whoever else there is", () => {
    for (const stage of [{ at: "out" }, { at: "leaving", says: "x" }] satisfies Stage[]) {
      for (const next of [moved(stage, two), drained(stage), written(stage, "x"), agreed(stage)])
        expect(next).toBe(stage);
      expect(mine(stage)).toEqual([]);
    }
  });
});
