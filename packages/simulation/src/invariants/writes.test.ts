import { createClient } from "@telltale/client";
import { ConfigMap, Service } from "@telltale/kinds/builtin";
import { describe, expect, test } from "vitest";
import { Shop, shopScenario } from "../../test/shop.ts";
import { deed, shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";

test("I11 shows who says again what is already so", async () => {
  const talkative = shopLike(({ transport, clock, random }) => ({
    async act(sound, { shop, hands }) {
      await sound();
      const [service] = hands.children(Service);
      const client = createClient({ transport, clock, random, fieldManager: "shops" });
      const { name = "", namespace = "" } = service?.metadata ?? {};
      const said = [{ op: "replace", path: "/spec/selector/shop", value: shop.metadata.name }] as const;
      if (service !== undefined) await client.patch(Service, { name, namespace }, { json: said });
    },
  }));
  expect(await verdict(talkative)).toEqual(["I11"]);
});

test("I11 has nothing against who was told that it failed", async () => {
  expect(await verdict(shopScenario(), { p: "P4", write: 5, hears: 500 })).toEqual([]);
  expect(await verdict(shopScenario(), { p: "P4", write: 2, hears: "reset" })).toEqual([]);
});

describe("I12", () => {
  test("shows who writes a status twice in a pass", async () => {
    const twice = shopLike(() => ({
      async act(sound, { shop, hands }) {
        await sound();
        if (shop.status?.observedGeneration === 1 && shop.metadata.generation === 2)
          await hands.patchStatus(Shop, shop, [{ op: "replace", path: "/status/tills", value: 50 }]);
      },
    }));
    expect(await verdict(twice)).toEqual(["I12"]);
  });

  test("shows who needs many times the writes after a fault", async () => {
    const nervous = shopLike(() => {
      let tries = 0;
      return {
        async act(sound, { hands }) {
          tries += 40;
          await sound();
          for (let i = 40; i < tries; i += 1)
            await hands.ensure(ConfigMap, { metadata: { name: "tally" }, data: { i: String(i % 79) } });
          tries = 0;
        },
      };
    });
    expect(await verdict(nervous)).toEqual([]);
    expect(await verdict(nervous, { p: "P15", write: 3, after: 60, for: 0 })).toContain("I12");
  });
});

describe("I16", () => {
  test("shows a status that would fit any object of that name", async () => {
    const blind = shopLike(
      ({ transport, clock, random }) => ({
        async act(sound, { shop }) {
          await sound();
          const client = createClient({ transport, clock, random, fieldManager: "shops" });
          const { name = "", namespace = "" } = shop.metadata;
          const isSecond = shop.metadata.generation === 2 && shop.status?.observedGeneration === 1;
          if (isSecond) await client.status.patch(Shop, { name, namespace }, { merge: { status: { tills: 9 } } });
        },
      }),
      { people: [deed(5000, { motto: "new" })] },
    );
    expect(await verdict(blind)).toEqual(["I12", "I16"]);
  });
});
