import { Service } from "@telltale/kinds/builtin";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop } from "../../test/broken.ts";
import { shopScenario } from "../../test/shop.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("the same news twice", () => {
  test("do no harm to a sound operator", async () => {
    const { failure } = await simulate(shopScenario(), { only: ["P6"], plans: 25 });
    expect(failure?.violations).toBeUndefined();
  });

  test("show who takes a second look for a sign of trouble (P6)", async () => {
    const nervous = brokenShop((sound) => {
      const seen = new Map<string, number | undefined>();
      return actsLike(sound, async (act, { shop, hands }) => {
        const { uid = "", generation } = shop.metadata;
        const isAgain = seen.get(uid) === generation;
        seen.set(uid, generation);
        if (isAgain) for (const it of hands.children(Service)) await hands.remove(Service, it, "Background");
        await act();
      });
    });
    const { failure } = await simulate(nervous, { only: ["P6"], plans: 15 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P6", times: 1 }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I3");
  });
});
