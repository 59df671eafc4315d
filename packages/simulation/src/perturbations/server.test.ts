import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop } from "../../test/broken.ts";
import { pricedShops } from "../../test/prices.ts";
import { shopScenario } from "../../test/shop.ts";
import { closing, deed } from "../../test/variants.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("an older server", () => {
  test("does no harm to a sound operator", async () => {
    for (const scenario of [shopScenario(), pricedShops()]) {
      const { failure } = await simulate(scenario, { only: ["P14"], plans: 10 });
      expect(failure?.violations).toBeUndefined();
    }
  });

  test("shows who takes their own late start for somebody else's neglect (P14)", async () => {
    const { failure } = await simulate(pricedShops("suspicious"), { only: ["P14"], plans: 10 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P14", has: "never heard of streamed lists" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });
});

describe("a restored server", () => {
  test("does no harm to a sound operator", async () => {
    const people = [deed(5_000, { motto: "sale" }), closing(9_000)];
    for (const scenario of [shopScenario(), { ...shopScenario(), people }]) {
      const { failure } = await simulate(scenario, { only: ["P31"], plans: 40 });
      expect(failure?.violations).toBeUndefined();
    }
  });

  test("shows who believes that what they did stays done (P31)", async () => {
    const sure = brokenShop((sound) => {
      const done = new Map<string, string>();
      return actsLike(sound, async (act, { shop }) => {
        const { uid = "" } = shop.metadata;
        if (done.get(uid) === shop.spec.motto) return;
        await act();
        done.set(uid, shop.spec.motto);
      });
    });
    const { failure } = await simulate(sure, { only: ["P31"], plans: 20 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P31" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });
});
