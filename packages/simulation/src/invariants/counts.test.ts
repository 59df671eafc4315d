import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";

/** Longer than a call is repeated for: the pass fails. */
const refused = { p: "P15", write: 3, after: 60, for: 0 };

test("I3 shows who makes things anew after a failure", async () => {
  const rash = shopLike(() => {
    let hasFailed = false;
    return {
      async act(sound, { hands }) {
        if (hasFailed) for (const map of hands.children(ConfigMap)) await hands.remove(ConfigMap, map, "Background");
        hasFailed = true;
        await sound();
        hasFailed = false;
      },
    };
  });
  expect(await verdict(rash, refused)).toEqual(["I3"]);
  expect(await verdict(shopScenario(), refused)).toEqual([]);
});

test("I3 lets what others deleted be made again", async () => {
  const monkey = { p: "P30", how: "deleted", write: 4, on: "//configmaps/default/corner", kind: "ConfigMap" };
  expect(await verdict(shopScenario(), monkey)).toEqual([]);
});
