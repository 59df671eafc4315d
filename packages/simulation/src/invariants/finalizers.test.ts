import { ConfigMap } from "@telltale/kinds/builtin";
import { done } from "@telltale/runtime";
import { expect, test } from "vitest";
import { Shop, shopScenario } from "../../test/shop.ts";
import { closing, shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";
import type { Scenario } from "../index.ts";

const scenario: Partial<Scenario> = {
  people: [closing(5000)],
  leftovers: ({ metadata }, _backend, look) =>
    look.list(ConfigMap).find((map) => map.metadata?.ownerReferences?.some(({ uid }) => uid === metadata?.uid))
      ?.metadata?.name,
};
/** Its fifth write: the map is to be deleted. */
const refused = { p: "P15", write: 5, after: 60, for: 0 };

test("I6 shows who takes a finalizer off although cleaning up failed", async () => {
  const careless = shopLike(
    () => ({
      async finalize({ hands }) {
        for (const map of hands.children(ConfigMap))
          await hands.remove(ConfigMap, map, "Background").catch(() => undefined);
        return done;
      },
    }),
    scenario,
  );
  expect(await verdict(careless)).toEqual([]);
  expect(await verdict(careless, refused)).toEqual(["I6"]);
  expect(await verdict({ ...shopScenario(), ...scenario }, refused)).toEqual([]);
});

test("I6 shows who takes a finalizer off before it has cleaned up", async () => {
  const impatient = shopLike(
    () => ({
      async finalize({ shop, hands }) {
        await hands.patch(Shop, shop, [{ op: "remove", path: "/metadata/finalizers" }]);
        return done;
      },
    }),
    { people: [closing(5000)] },
  );
  expect(await verdict(impatient)).toEqual(["I6"]);
});
