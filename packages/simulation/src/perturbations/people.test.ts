import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test, vi } from "vitest";
import { actsLike, brokenShop, ownClient, refOf } from "../../test/broken.ts";
import { Shop, shopScenario } from "../../test/shop.ts";
import type { Scenario } from "../scenario.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

const options = { only: ["P22"], plans: 20 };

test("a spec that changes in the middle of a pass is no trouble for a sound operator", async () => {
  const { failure } = await simulate(shopScenario(), options);
  expect(failure?.violations).toBeUndefined();
});

test("a spec that changes in the middle of a pass shows who takes it for the one that was handled (P22)", async () => {
  const hasty = brokenShop((sound, around) => {
    const handled = new Map<string, number>();
    return actsLike(sound, async (act, { shop }) => {
      const { name, namespace } = refOf(shop);
      const { uid = "", generation } = shop.metadata;
      if (handled.get(uid) === generation) return;
      await act();
      const { metadata } = await ownClient(around).get(Shop, name, { namespace });
      handled.set(uid, metadata.generation ?? 0);
    });
  });
  const isKept: Scenario["promise"] = (object, look) =>
    look.list(ConfigMap).some(({ data }) => data?.["motto"] === (object as Shop).spec.motto);
  const { failure } = await simulate({ ...hasty, promise: isKept }, options);
  expect(failure?.plan.faults).toMatchObject([{ p: "P22", at: "/motto" }]);
  expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I9");
});

test("a spec that changes and changes back shows who leaves behind what it asked for meanwhile (P22)", async () => {
  const untidy = brokenShop((sound) =>
    actsLike(sound, async (act, { shop, hands }) => {
      await act();
      for (let i = 2; i <= shop.spec.tills; i += 1) await hands.ensure(ConfigMap, { metadata: { name: `till-${i}` } });
    }),
  );
  const { failure } = await simulate(untidy, options);
  expect(failure?.plan.faults).toMatchObject([{ p: "P22", at: "/tills" }]);
});
