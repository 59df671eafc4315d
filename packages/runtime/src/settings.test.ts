import { describe, expect, test } from "vitest";
import { Settings } from "./settings.ts";

const given = (value: string) => new Settings({ "--a": value });

describe("a length of time", () => {
  test("is what is written, or the standard where nothing is", () => {
    expect(given("1h30m").duration("--a", 5)).toBe(5_400_000);
    expect(given("").duration("--a", 5)).toBe(5);
    expect(given("0").duration("--a", 5, "to wait for ever")).toBe(0);
  });

  test.each(["30", "1d", "-1m", "soon", "0", "0s"])("%s is refused with a way out", (value) => {
    const settings = given(value);
    expect(settings.duration("--a", 5)).toBe(5);
    expect(settings.errors).toEqual([`--a "${value}" is no length of time: set it to one as in 30s or 15m`]);
  });

  test("says what 0 is for where it is for something", () => {
    const settings = given("1d");
    settings.duration("--a", 5, "to wait for ever");
    expect(settings.errors).toEqual([
      '--a "1d" is no length of time: set it to one as in 30s or 15m, or to 0 to wait for ever',
    ]);
  });
});

describe("several of a closed set", () => {
  const read = (settings: Settings) => settings.choices("--a", ["x", "y", "z"], ["x"]);

  test("come in the order of the set, each once", () => {
    expect(read(given("z, x,z"))).toEqual(["x", "z"]);
    expect(read(given(""))).toEqual(["x"]);
  });

  test.each(["w", "x,w", "x,", ","])("%s is refused with a way out", (value) => {
    const settings = given(value);
    expect(read(settings)).toEqual(["x"]);
    expect(settings.errors).toEqual([`--a "${value}" is not accepted: set it to one or more of x, y, z`]);
  });
});

test("one setting that is read twice is complained of once", () => {
  const settings = given("yes");
  settings.flag("--a", false);
  settings.flag("--a", false);
  settings.refuse("--b", "1", "is odd", "set it to 2");
  expect(settings.errors).toEqual(['--a "yes" is no boolean: set it to true or false', '--b "1" is odd: set it to 2']);
});
