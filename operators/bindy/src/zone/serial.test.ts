import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { following, isNewer, newest, serialsUpTo, targetSerial } from "./serial.ts";

const least = 2_025_010_101;
const serial = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe("the serial of a zone", () => {
  it("begins with what the spec says", () => {
    expect(targetSerial({ least, stored: undefined, primaries: [{ steps: 1 }, { steps: 1 }] })).toBe(least);
    expect(targetSerial({ least: 0, stored: undefined, primaries: [{ steps: 1 }] })).toBe(1);
  });

  it("A-122 grows by one when the content changes, for all primaries", () => {
    const primaries = [
      { serial: 10, steps: 1 },
      { serial: 10, steps: 1 },
    ];
    expect(targetSerial({ least: 5, stored: 10, primaries })).toBe(11);
  });

  it("stays where nothing changes", () => {
    const primaries = [{ serial: 10, steps: 0 }];
    expect(targetSerial({ least: 5, stored: 10, primaries })).toBe(10);
  });

  it("is that of the primary that has the content, for one that lost it or lags", () => {
    const there = { serial: 10, steps: 0 };
    expect(targetSerial({ least: 5, stored: 10, primaries: [there, { steps: 1 }] })).toBe(10);
    expect(targetSerial({ least: 5, stored: 9, primaries: [there, { serial: 9, steps: 1 }] })).toBe(10);
  });

  it("grows where another one has other content at the same serial", () => {
    const primaries = [
      { serial: 10, steps: 0 },
      { serial: 10, steps: 1 },
    ];
    expect(targetSerial({ least: 5, stored: 10, primaries })).toBe(11);
  });

  it("grows where the only primary lost everything: what the secondaries have may be older", () => {
    expect(targetSerial({ least: 5, stored: 10, primaries: [{ steps: 1 }] })).toBe(11);
  });

  it("grows beyond what secondaries have where no primary has the zone, and nobody has written down what it had", () => {
    const primaries = [{ steps: 1 }];
    expect(targetSerial({ least: 5, stored: undefined, primaries, followed: [5, 7] })).toBe(8);
    expect(targetSerial({ least: 5, stored: 6, primaries, followed: [7] })).toBe(8);
    expect(targetSerial({ least: 5, stored: undefined, primaries, followed: [] })).toBe(5);
  });

  it("A-130 is not lowered by a spec, and raised by one", () => {
    const primaries = [{ serial: 10, steps: 0 }];
    expect(targetSerial({ least: 3, stored: 10, primaries })).toBe(10);
    expect(targetSerial({ least: 30, stored: 10, primaries })).toBe(30);
    expect(targetSerial({ least: 30, stored: 10, primaries: [{ serial: 10, steps: 1 }] })).toBe(30);
  });

  it("has one for each transaction of a large change", () => {
    const primaries = [
      { serial: 10, steps: 3 },
      { serial: 10, steps: 1 },
    ];
    expect(targetSerial({ least: 5, stored: 10, primaries })).toBe(13);
    expect(serialsUpTo(13, 3)).toEqual([11, 12, 13]);
  });

  it("goes on with 1 after the last one", () => {
    expect(following(4_294_967_295)).toBe(1);
    expect(isNewer(1, 4_294_967_295)).toBe(true);
    expect(newest([4_294_967_295, 1])).toBe(1);
    const primaries = [{ serial: 4_294_967_295, steps: 1 }];
    expect(targetSerial({ least: 4_294_967_000, stored: 4_294_967_295, primaries })).toBe(1);
    expect(serialsUpTo(1, 2)).toEqual([4_294_967_295, 1]);
  });

  it("is news for every primary that has to change, whatever they had before", () => {
    const close = fc.tuple(serial, fc.array(fc.record({ behind: fc.nat(1000), steps: fc.nat(4) }), { minLength: 1 }));
    fc.assert(
      fc.property(close, ([start, given]) => {
        const primaries = given.map(({ behind, steps }) => ({ serial: Math.max(0, start - behind), steps }));
        const target = targetSerial({ least: 1, stored: undefined, primaries });
        for (const it of primaries) {
          if (it.steps === 0) expect(target === it.serial || isNewer(target, it.serial)).toBe(true);
          else for (const one of serialsUpTo(target, it.steps)) expect(isNewer(one, it.serial)).toBe(true);
        }
      }),
      { seed: 3 },
    );
  });
});
