import { createClient } from "@telltale/client";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";

test("rule 67: I15 shows who writes without the lease", async () => {
  // It announces itself past the runtime, whoever is in charge.
  const loud = shopLike(
    ({ transport, clock, random }) => {
      const client = createClient({ transport, clock, random, fieldManager: "shops" });
      const object = { metadata: { generateName: "hello-", namespace: "default" } };
      clock.after(40_000, () => void client.create(ConfigMap, object).catch(() => undefined));
      return {};
    },
    { replicas: 2 },
  );
  expect(await verdict(loud)).toEqual(["I15"]);
});

test("I15 has nothing against a leader, also not against one that was away for a while", async () => {
  const sound = { ...shopScenario(), replicas: 2 } as const;
  expect(await verdict(sound)).toEqual([]);
  expect(await verdict(sound, { p: "P23", change: 3 })).toEqual([]);
});
