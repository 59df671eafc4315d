import { createClient } from "@telltale/client";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { simulate } from "../simulate.ts";

test("a stop in the middle of its work does no harm to a sound operator", async () => {
  const { failure, coverage } = await simulate(shopScenario(), { only: ["P35"], plans: 8 });
  expect(failure?.violations).toBeUndefined();
  expect(Object.keys(coverage)).toContain("P35");
});

test("a stop shows who still has something planned", async () => {
  const lingering = shopLike(({ transport, clock, random }) => {
    const client = createClient({ transport, clock, random, fieldManager: "shops" });
    let isPlanned = false;
    return {
      async act(sound, { hands }) {
        await sound();
        const [map] = hands.children(ConfigMap);
        if (isPlanned || map?.metadata === undefined || map.metadata.annotations?.["polished"] !== undefined) return;
        isPlanned = true;
        const { name = "", namespace = "" } = map.metadata;
        const merge = { metadata: { annotations: { polished: "yes" } } };
        clock.after(1000, () => void client.patch(ConfigMap, { name, namespace }, { merge }).catch(() => undefined));
      },
    };
  });
  const { failure } = await simulate(lingering, { only: ["P35"], plans: 8 });
  expect(failure?.violations.map(({ invariant }) => invariant)).toContain("I26");
});
