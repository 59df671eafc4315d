import { describe, expect, test, vi } from "vitest";
import { pricedShops, type Way } from "../../test/prices.ts";
import { shopScenario } from "../../test/shop.ts";
import { deed, shopLike } from "../../test/variants.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("what goes wrong with watches", () => {
  test.each(["P7", "P9", "P10", "P11", "P12"])("does no harm to a sound operator (%s)", async (p) => {
    for (const scenario of [shopScenario(), pricedShops()]) {
      const { failure } = await simulate(scenario, { only: [p], plans: 15 });
      expect(failure?.violations).toBeUndefined();
    }
  });

  test.each<[string, string, Way]>([
    ["P7", "does not hear of what it reads, once that comes late", "deaf"],
    ["P10", "gives up what it has only not seen", "impatient"],
    ["P11", "does not hear of what it reads, once a stream was cut", "deaf"],
    ["P12", "does not hear of what it reads, once it had to list anew", "deaf"],
  ])("shows who %2$s (%1$s)", async (p, _what, way) => {
    const { failure } = await simulate(pricedShops(way), { only: [p], plans: 40 });
    expect(failure?.plan.faults).toMatchObject([{ p, kind: "/configmaps" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });

  test("shows who has to see every state on the way (P9)", async () => {
    const people = [deed(5_000, { motto: "sale" }), deed(8_000, { motto: "as ever" })];
    /** It remembers that there was a sale. */
    const remembering = shopLike(
      () => ({
        status(sound, { shop, draft }) {
          sound();
          if (shop.spec.motto === "sale" || shop.status?.tills === 99) draft.set({ tills: 99 });
        },
      }),
      { people },
    );
    const { failure } = await simulate(remembering, { only: ["P9"], plans: 15 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P9", kind: "example.com/shops" }]);
    expect(failure?.violations[0]?.what).toContain("status.tills is 1, not 99");
    const sound = await simulate({ ...shopScenario(), people }, { only: ["P9"], plans: 15 });
    expect(sound.failure?.violations).toBeUndefined();
  });
});
