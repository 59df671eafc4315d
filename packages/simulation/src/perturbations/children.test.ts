import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop, childOf, ownClient, refOf } from "../../test/broken.ts";
import { shopScenario } from "../../test/shop.ts";
import type { Scenario } from "../scenario.ts";
import { replay, simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("children that are deleted, changed or replaced", () => {
  test("are put right by a sound operator", async () => {
    const { failure } = await simulate(shopScenario(), { only: ["P30"], plans: 30 });
    expect(failure?.violations).toBeUndefined();
  });

  test("show who makes them once only (P30)", async () => {
    const once = brokenShop((sound) =>
      actsLike(sound, async (act, { shop }) => {
        if (shop.status?.observedGeneration !== shop.metadata.generation) await act();
      }),
    );
    const { failure } = await simulate(once, { only: ["P30"], plans: 20 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P30", how: "deleted" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });

  test("show who takes whatever has the name for its own (P30)", async () => {
    const byName = brokenShop((sound, around) =>
      actsLike(sound, async (act, { shop, hands }) => {
        const data = { motto: shop.spec.motto };
        if (hands.get(ConfigMap, refOf(shop))?.data?.["motto"] !== data.motto)
          await ownClient(around).apply(ConfigMap, { metadata: childOf(shop), data }, { force: true });
        await act();
      }),
    );
    const at = { on: "//configmaps/default/corner", kind: "ConfigMap", at: "/data/motto" };
    const plan = { seed: 1, faults: [{ p: "P30", write: 5, how: "replaced", ...at }] };
    const found = async (scenario: Scenario) =>
      (await replay(scenario, plan)).violations.map(({ invariant }) => invariant);
    expect(await found(shopScenario())).toEqual([]);
    expect(await found(byName)).toContain("I13");
  });
});
