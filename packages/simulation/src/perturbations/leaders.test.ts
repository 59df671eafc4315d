import { ConfigMap, Service } from "@telltale/kinds/builtin";
import { expect, test, vi } from "vitest";
import { actsLike, brokenShop, childOf, ownClient, refOf } from "../../test/broken.ts";
import { shopScenario } from "../../test/shop.ts";
import { simulate } from "../simulate.ts";

vi.setConfig({ testTimeout: 60_000 });

const options = { only: ["P23"], plans: 9 };

test("a leader that is paused and loses its lease is no trouble for a sound operator", async () => {
  const { failure } = await simulate(shopScenario(), options);
  expect(failure?.violations).toBeUndefined();
});

test("a leader that is paused shows who writes without asking for the lease (P23)", async () => {
  const unasked = brokenShop((sound, around) =>
    actsLike(sound, async (act, { shop, hands }) => {
      const data = { motto: shop.spec.motto };
      const isMissing = hands.get(ConfigMap, refOf(shop))?.data?.["motto"] !== data.motto;
      const { name } = refOf(shop);
      await hands.ensure(Service, { metadata: { name }, spec: { ports: [{ port: 80 }], selector: { shop: name } } });
      // A minute may lie between the decision and this.
      if (isMissing) await ownClient(around).apply(ConfigMap, { metadata: childOf(shop), data }, { force: true });
      await act();
    }),
  );
  const { failure } = await simulate(unasked, options);
  expect(failure?.plan.faults).toMatchObject([{ p: "P23" }]);
  expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I15");
});
