import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop, ownClient, refOf } from "../../test/broken.ts";
import { pricedShops } from "../../test/prices.ts";
import { shopScenario } from "../../test/shop.ts";
import { deed } from "../../test/variants.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("objects that are made again under their name, unseen", () => {
  test("do no harm to a sound operator", async () => {
    for (const scenario of [shopScenario(), pricedShops()]) {
      const { failure } = await simulate(scenario, { only: ["P13"], plans: 25 });
      expect(failure?.violations).toBeUndefined();
    }
  });

  test("show who remembers objects by their names (P13)", async () => {
    const byName = brokenShop((sound) => {
      const furnished = new Map<string, string>();
      return actsLike(sound, async (act, { shop }) => {
        const { name = "" } = shop.metadata;
        if (furnished.get(name) === shop.spec.motto) return;
        await act();
        furnished.set(name, shop.spec.motto);
      });
    });
    const { failure } = await simulate(byName, { only: ["P13"], plans: 15 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P13", of: "person" }]);
    expect(failure?.violations.length).toBeGreaterThan(0);
  });

  test("show who deletes by name what is another one by now (P13)", async () => {
    const replacing = (how: "by name" | "by uid") => ({
      ...brokenShop((sound, around) =>
        actsLike(sound, async (act, { shop, hands }) => {
          for (const map of hands.children(ConfigMap)) {
            if (map.data?.["motto"] === shop.spec.motto) continue;
            if (how === "by uid") await hands.remove(ConfigMap, map, "Background");
            else await ownClient(around).delete(ConfigMap, refOf(shop), { propagation: "Background" });
          }
          await act();
        }),
      ),
      people: [deed(2_000, { motto: "closed on Sundays" })],
    });
    const { failure } = await simulate(replacing("by name"), { only: ["P13"], plans: 15 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P13", of: "others" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I4");
    const sound = await simulate(replacing("by uid"), { only: ["P13"], plans: 15 });
    expect(sound.failure?.violations).toBeUndefined();
  });
});
