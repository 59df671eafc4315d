import { ConfigMap } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { type Shop, shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { verdict } from "../../test/verdict.ts";
import type { Scenario } from "../index.ts";

/** An open shop shows its motto. */
const promise: Scenario["promise"] = (object, look) =>
  look.list(ConfigMap).some((map) => map.data?.["motto"] === (object as Shop).spec.motto);

test("I9 shows who says that it is ready before it is", async () => {
  // A new motto is put up at the next look, a second later.
  const late = shopLike(
    () => ({
      async act(sound, { shop }) {
        if (shop.status?.phase === undefined || shop.status.observedGeneration === shop.metadata.generation)
          await sound();
      },
      status(sound, { shop, draft, now }) {
        sound();
        if (shop.status?.observedGeneration !== shop.metadata.generation) draft.wake((now + 1000) as typeof now);
      },
    }),
    { promise },
  );
  expect(await verdict(late)).toEqual(["I9"]);
});

test("I9 has nothing against who looks first, however late it hears of things", async () => {
  const sound = { ...shopScenario(), promise };
  expect(await verdict(sound)).toEqual([]);
  expect(await verdict(sound, { p: "P7", kind: "/configmaps", event: 1, by: 30_000 })).toEqual([]);
  const monkey = { p: "P30", how: "deleted", write: 4, on: "//configmaps/default/corner", kind: "ConfigMap" };
  expect(await verdict(sound, { p: "P7", kind: "/configmaps", event: 2, by: 30_000 }, monkey)).toEqual([]);
});
