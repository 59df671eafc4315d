import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop } from "../../test/broken.ts";
import { shop, shopScenario } from "../../test/shop.ts";
import { replay, simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("a crowd", () => {
  test("does no harm to a sound operator, and is gone in the end", async () => {
    const plan = { seed: 1, faults: [{ p: "P32", at: 960, many: 120 }] };
    expect((await replay(shopScenario(), plan)).violations).toEqual([]);
  });

  test("shows who turns away whoever comes when there is much to do (P32)", async () => {
    const overworked = brokenShop((sound) => {
      let busy = 0;
      return actsLike(sound, async (act) => {
        if (busy > 0) return;
        busy += 1;
        await act().finally(() => {
          busy -= 1;
        });
      });
    });
    const { violations } = await replay(overworked, { seed: 1, faults: [{ p: "P32", at: 4960, many: 30 }] });
    expect(violations.map(({ invariant }) => invariant)).toContain("I2");
    expect((await replay(overworked, { seed: 1, faults: [] })).violations).toEqual([]);
  });

  test("comes before each thing that people do, and small where chance calls it", async () => {
    const { coverage, failure } = await simulate(shopScenario(), { only: ["P32"], plans: 6 });
    expect(failure?.violations).toBeUndefined();
    expect(Object.keys(coverage)).toEqual(["P32"]);
  });

  test("is whoever the scenario says", async () => {
    const stalls = { ...shopScenario(), crowd: (i: number) => (i < 3 ? shop(`stall-${i}`) : undefined) };
    const { trace, violations } = await replay(stalls, { seed: 1, faults: [{ p: "P32", at: 2000, many: 10 }] });
    expect(violations).toEqual([]);
    expect(trace.text()).toContain("stall-2");
    expect(trace.text()).not.toContain("crowd-0");
  });
});
