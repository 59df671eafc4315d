import { expect, test } from "vitest";
import { shopScenario } from "../../test/shop.ts";
import { deed, shopLike } from "../../test/variants.ts";
import { miswritten, verdict } from "../../test/verdict.ts";

const tampered = { p: "P19", write: 4, on: "/example.com/shops/default/corner", type: "Ready", how: "changed" };

test("I14 shows who leaves its conditions as others made them", async () => {
  const trusting = shopLike(() => ({
    status(sound, { shop }) {
      if (shop.status?.observedGeneration !== shop.metadata.generation) sound();
    },
  }));
  expect(await verdict(trusting, tampered)).toEqual(["I14"]);
  expect(await verdict(shopScenario(), tampered)).toEqual([]);
});

test("I21 shows a reason that nobody declared", async () => {
  const people = [deed(5000, { tills: 2 }), deed(8000, { tills: 3 })];
  const worded = (status: string, write: number) =>
    write === 2 ? status.replace('"reason":"Open"', '"reason":"Because"') : status;
  expect(await miswritten({ ...shopScenario(), people }, worded)).toEqual(["I21"]);
});

test("I21 shows who says nothing of what it cannot do", async () => {
  const silent = shopLike(() => ({
    status(sound, { shop }) {
      if (shop.spec.motto !== "silence") sound();
    },
  }));
  const people = [deed(1001, { motto: "silence" })];
  expect(await verdict({ ...silent, apply: silent.apply, people: [] })).toEqual([]);
  const [first] = silent.apply;
  const quiet = { ...first, spec: { tills: 1, motto: "silence" } };
  expect(await verdict({ ...silent, apply: [quiet], people })).toContain("I21");
});
