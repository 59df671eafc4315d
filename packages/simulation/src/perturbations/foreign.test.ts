import { ConfigMap } from "@telltale/kinds/builtin";
import { describe, expect, test, vi } from "vitest";
import { actsLike, brokenShop, ownClient, refOf } from "../../test/broken.ts";
import { Shop, shopScenario } from "../../test/shop.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

const plans = 12;

describe("somebody else who writes to a status", () => {
  test("does no harm to a sound operator", async () => {
    const { failure } = await simulate(shopScenario(), { only: ["P19", "P20", "P21"], plans: 20 });
    expect(failure?.violations).toBeUndefined();
  });

  test("shows who does not look at their own conditions again (P19)", async () => {
    const deaf = brokenShop(() => ({ on: ["generation", "deletion"] }));
    const { failure } = await simulate(deaf, { only: ["P19"], plans });
    expect(failure?.plan.faults).toMatchObject([{ p: "P19" }]);
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I2");
  });

  test("shows who drops conditions of others (P20)", async () => {
    const greedy = brokenShop((sound, around) =>
      actsLike(sound, async (act, { shop }) => {
        await act();
        const own = shop.status?.conditions?.filter(({ type }) => type === "Ready");
        if (own?.length !== shop.status?.conditions?.length)
          await ownClient(around).status.patch(Shop, refOf(shop), { merge: { status: { conditions: own } } });
      }),
    );
    const { failure } = await simulate(greedy, { only: ["P20"], plans });
    expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I13");
  });

  test("shows who knows of children by the status alone (P21)", async () => {
    const forgetful = brokenShop((sound) =>
      actsLike(sound, async (_act, { shop, hands }) => {
        if (shop.status?.phase === undefined)
          await hands.create(ConfigMap, { metadata: { generateName: "list-" }, data: { motto: shop.spec.motto } });
      }),
    );
    const { failure } = await simulate(forgetful, { only: ["P21"], plans });
    expect(failure?.plan.faults).toMatchObject([{ p: "P21" }]);
    expect(failure?.violations.some(({ what }) => what.includes("ConfigMap"))).toBe(true);
  });
});
