import { createClient } from "@telltale/client";
import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { deed, shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";

const people = [deed(1500, { motto: "closed" })];
/** The map is made anew under its name, and for two seconds nobody hears of it. */
const recreated = { p: "P13", change: 3, of: "others" };

const tidy = (guard: "uid" | "name") =>
  shopLike(
    ({ transport, clock, random }) => ({
      async act(sound, { shop, hands }) {
        if (shop.spec.motto !== "closed") return sound();
        const client = createClient({ transport, clock, random });
        for (const { metadata } of hands.children(ConfigMap)) {
          const ref = { namespace: "default", name: metadata?.name ?? "" };
          const { uid = "" } = metadata ?? {};
          const options = { propagation: "Background", ...(guard === "uid" ? { uid } : {}) } as const;
          await client.delete(ConfigMap, ref, options).catch(() => undefined);
        }
        return undefined;
      },
    }),
    { people },
  );

test("I4 shows who deletes by name what was made anew meanwhile", async () => {
  expect(await verdict(tidy("name"), recreated)).toContain("I4");
});

test("I4 has nothing against who deletes by uid", async () => {
  expect(await verdict(tidy("uid"), recreated)).toEqual([]);
});
