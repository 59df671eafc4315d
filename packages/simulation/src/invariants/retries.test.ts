import { createClient } from "@telltale/client";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";

const refused = { p: "P15", write: 2, after: 2, for: 30_000 };

test("I22 shows who does not wait", async () => {
  const insisting = shopLike(({ transport }) => ({
    async act(sound) {
      const body = JSON.stringify({ metadata: { name: "bell" } });
      const headers = { "content-type": "application/json" };
      const path = "/api/v1/namespaces/default/configmaps";
      const ring = async (left: number): Promise<void> => {
        const { status } = await transport.send({ method: "POST", path, headers, body });
        if (status === 429 && left > 0) await ring(left - 1);
      };
      await ring(3);
      await sound();
    },
  }));
  expect(await verdict(insisting, { p: "P15", write: 2, after: 2, for: 0 })).toEqual(["I22"]);
});

test("I22 shows who fails again and again without a pause", async () => {
  const stubborn = shopLike(({ transport, clock, random }) => ({
    async act(sound) {
      await sound();
      const client = createClient({ transport, clock, random });
      const rename = [{ op: "test", path: "/data/motto", value: "none" }] as const;
      for (let i = 0; i < 20; i += 1) {
        const ref = { namespace: "default", name: "corner" };
        await client.patch(ConfigMap, ref, { json: rename }).catch(() => undefined);
      }
    },
  }));
  expect(await verdict(stubborn)).toEqual(["I22"]);
});

test("I22 has nothing against who waits as long as the server asks", async () => {
  expect(await verdict(shopScenario(), refused)).toEqual([]);
  expect(await verdict(shopScenario(), { p: "P15", write: 4, after: 60, for: 0 })).toEqual([]);
});

test("I22 tells two apart that are made at once", async () => {
  const hasty = shopLike(({ transport, clock, random }) => ({
    async act(sound) {
      const client = createClient({ transport, clock, random });
      const bells = ["high", "low"].map((name) => ({ metadata: { name, namespace: "default" } }));
      await Promise.allSettled(bells.map((it) => client.create(ConfigMap, it)));
      await sound();
    },
  }));
  expect(await verdict(hasty, refused)).not.toContain("I22");
});
