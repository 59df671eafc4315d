import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { closing, shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";

test("I5 shows who makes the next child although the last one could not be deleted", async () => {
  /** One sign with the motto of the day. */
  const signs = (how: "careful" | "careless") =>
    shopLike(() => ({
      async act(sound, { shop, hands }) {
        await sound();
        const signs = hands.children(ConfigMap).filter(({ metadata }) => metadata?.generateName === "sign-");
        const isNew = ({ data }: ConfigMap) => data?.["motto"] === shop.spec.motto;
        const away = async (sign: ConfigMap) => hands.remove(ConfigMap, sign, "Background");
        for (const old of signs.filter((it) => !isNew(it)))
          await (how === "careful" ? away(old) : away(old).catch(() => undefined));
        if (!signs.some(isNew))
          await hands.create(ConfigMap, { metadata: { generateName: "sign-" }, data: { motto: shop.spec.motto } });
      },
      status(sound, { shop, draft, now }) {
        sound();
        if (shop.metadata.generation === 2 && now % 600_000 < 120_000) draft.wake((now + 61_000) as typeof now);
      },
    }));
  const refused = { p: "P15", write: 7, after: 60, for: 0 };
  expect(await verdict(signs("careful"), refused)).toEqual([]);
  expect(await verdict(signs("careless"), refused)).toEqual(["I5"]);
});

const people = [closing(5000)];

test("I7 shows who leaves things behind that have no owner", async () => {
  const untidy = (outlives: boolean) =>
    shopLike(
      () => ({
        async act(sound, { shop, hands }) {
          await sound();
          const metadata = { name: `ledger-of-${shop.metadata.name}` };
          await hands.ensure(ConfigMap, { metadata, data: {} }, { owner: "none" });
        },
      }),
      { people, ...(outlives ? { outlives: ({ kind }) => kind === "ConfigMap" } : {}) },
    );
  expect(await verdict(untidy(false))).toEqual(["I7"]);
  expect(await verdict(untidy(true))).toEqual([]);
  expect(await verdict({ ...shopScenario(), people })).toEqual([]);
});
