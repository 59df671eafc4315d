import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop } from "../../test/broken.ts";
import { shopScenario } from "../../test/shop.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("a spec at the edges of its schema", () => {
  test("is no trouble for a sound operator, and can be taken back", async () => {
    const { failure } = await simulate(shopScenario(), { only: ["P33", "P34"], plans: 14 });
    expect(failure?.violations).toBeUndefined();
  });

  test("shows who never gets over what a first spec said (P33)", async () => {
    const scarred = brokenShop((sound) =>
      actsLike(sound, async (act, { shop, hands }) => {
        await act();
        if (shop.spec.tills === 0) await hands.ensure(ConfigMap, { metadata: { name: "no-tills" } });
      }),
    );
    const { failure } = await simulate(scarred, { only: ["P33"], plans: 10 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P33", at: "/tills", as: "least" }]);
  });

  test("shows who stays broken once a spec was bad (P34)", async () => {
    const stuck = brokenShop((sound) => {
      let isBroken = false;
      return actsLike(sound, async (act, { shop }) => {
        isBroken ||= shop.spec.motto.length > 10_000;
        if (isBroken) throw new Error("the motto does not fit on the door");
        await act();
      });
    });
    const { failure } = await simulate(stuck, { only: ["P34"], plans: 10 });
    expect(failure?.plan.faults).toMatchObject([{ p: "P34", at: "/motto", as: "longest" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I30");
  });
});
