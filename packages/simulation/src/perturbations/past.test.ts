import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop } from "../../test/broken.ts";
import { shopScenario } from "../../test/shop.ts";
import { closing, deed } from "../../test/variants.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("time travel", () => {
  test("does no harm to a sound operator", async () => {
    const { failure } = await simulate(shopScenario(), { only: ["P8"], plans: 40 });
    expect(failure?.violations).toBeUndefined();
  });

  test("to before an end does no harm either", async () => {
    const people = [deed(5_000, { motto: "sale" }), closing(9_000)];
    const { failure } = await simulate({ ...shopScenario(), people }, { only: ["P8"], plans: 40 });
    expect(failure?.violations).toBeUndefined();
  });

  test("shows who makes a child under any name because none is to be seen (P8)", async () => {
    const hasty = brokenShop((sound) =>
      actsLike(sound, async (_act, { shop, hands }) => {
        if (hands.children(ConfigMap).length === 0)
          await hands.create(ConfigMap, { metadata: { generateName: "list-" }, data: { motto: shop.spec.motto } });
      }),
    );
    const { failure } = await simulate(hasty, { only: ["P8"], plans: 30 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P8", as: "restart" }]);
    expect(failure?.violations.some(({ what }) => what.includes("list-<2> is there"))).toBe(true);
  });
});
