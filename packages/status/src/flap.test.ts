import { type Instant, instant } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { damped, type Flips, flapping, flip } from "./flap.ts";

const limit = { max: 3, window: 60_000 };
const at = (s: number): Instant => instant(s * 1000);
const flips = (...seconds: number[]): Flips | undefined =>
  seconds.reduce<Flips | undefined>((before, s) => flip(before, at(s), limit), undefined);

describe("flapping", () => {
  it("rule 81: is more flips in the window than the limit, not as many", () => {
    expect(flapping(flips(0, 10, 20), at(20), limit)).toEqual({ flapping: false });
    expect(flapping(flips(0, 10, 20, 30), at(30), limit)).toEqual({ flapping: true, until: at(60) });
  });

  it("rule 81: counts flips of one moment one by one", () => {
    expect(flapping(flips(5, 5, 5, 5), at(5), limit).flapping).toBe(true);
  });

  it("rule 81: ends by itself at the moment that it names", () => {
    const many = flips(0, 10, 20, 30);
    expect(flapping(many, at(59.999), limit).flapping).toBe(true);
    expect(flapping(many, at(60), limit).flapping).toBe(false);
  });

  it("does not count flips from before the window", () => {
    expect(flapping(flips(0, 10, 70, 80), at(80), limit).flapping).toBe(false);
  });

  it("is not there where nothing has flipped", () => {
    expect(flapping(undefined, at(0), limit)).toEqual({ flapping: false });
  });

  it("goes on for as long as the flips do", () => {
    expect(flapping(flips(0, 10, 20, 30, 40), at(40), limit).until).toEqual(at(70));
  });
});

describe("the memory of flips", () => {
  it("is bounded, however many there are", () => {
    expect(flips(...Array.from({ length: 100 }, (_, i) => i / 10))?.at.length).toBe(4);
  });

  it("drops what lies in the future after the clock went back", () => {
    expect(flip({ at: [at(100)] }, at(50), limit).at).toEqual([at(50)]);
  });
});

describe("damping", () => {
  it("rule 81: holds the bad value while a condition flaps, and lets go afterwards", () => {
    expect([damped("True", true, "False"), damped("True", false, "False")]).toEqual(["False", "True"]);
  });
});
