import { createClient } from "@telltale/client";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";

test("I26 shows who goes on after it has ended", async () => {
  const lingering = shopLike(({ transport, clock, random }) => {
    const client = createClient({ transport, clock, random, fieldManager: "shops" });
    let isPlanned = false;
    return {
      async act(sound, { shop }) {
        await sound();
        if (shop.metadata.generation !== 2 || isPlanned) return;
        isPlanned = true;
        const object = { metadata: { generateName: "bye-", namespace: "default" } };
        // Everything has been quiet for five minutes by then.
        clock.after(310_000, () => void client.create(ConfigMap, object).catch(() => undefined));
      },
    };
  });
  expect(await verdict(lingering)).toEqual(["I26"]);
});
