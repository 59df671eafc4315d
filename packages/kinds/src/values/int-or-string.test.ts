import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveIntOrPercent } from "./int-or-string.ts";

describe("an int or a percentage", () => {
  it("takes a number as it is, whatever the total", () => {
    expect(resolveIntOrPercent(3, 10, "up")).toBe(3);
    expect(resolveIntOrPercent(0, 10, "down")).toBe(0);
    expect(resolveIntOrPercent(30, 10, "down")).toBe(30);
  });

  it("rounds a share as told", () => {
    expect(resolveIntOrPercent("25%", 10, "up")).toBe(3);
    expect(resolveIntOrPercent("25%", 10, "down")).toBe(2);
    expect(resolveIntOrPercent("50%", 10, "up")).toBe(5);
    expect(resolveIntOrPercent("0%", 10, "up")).toBe(0);
    expect(resolveIntOrPercent("150%", 10, "down")).toBe(15);
    expect(resolveIntOrPercent("1%", 0, "up")).toBe(0);
  });

  it.each([1.5, -1, Number.NaN, "5", "", "%", "-5%", "2.5%", "25 %", " 25%", "25%%", "abc%"])("refuses %j", (value) => {
    expect(resolveIntOrPercent(value, 10, "up")).toBeUndefined();
  });

  it("rounds up and down to neighbours, equal exactly when the share is whole", () => {
    fc.assert(
      fc.property(fc.nat({ max: 1000 }), fc.nat({ max: 100_000 }), (percent, total) => {
        const up = resolveIntOrPercent(`${percent}%`, total, "up") ?? Number.NaN;
        const down = resolveIntOrPercent(`${percent}%`, total, "down") ?? Number.NaN;
        expect(up - down).toBe((percent * total) % 100 === 0 ? 0 : 1);
        expect(down * 100 <= percent * total && percent * total <= up * 100).toBe(true);
      }),
    );
  });
});
