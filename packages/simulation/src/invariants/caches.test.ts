import { createClient } from "@telltale/client";
import { Service } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { Shop, shopScenario } from "../../test/shop.ts";
import { shopLike } from "../../test/variants.ts";
import { disturbed, verdict } from "../../test/verdict.ts";
import type { Deed } from "../index.ts";

test("I23 shows an event that never came", async () => {
  const label: Deed = {
    at: 5000,
    what: "a label",
    act: (client) =>
      client.patch(Service, { namespace: "default", name: "corner" }, { merge: { metadata: { labels: { a: "b" } } } }),
  };
  const scenario = { ...shopScenario(), people: [label] };
  expect(await verdict(scenario)).toEqual([]);
  const deaf = await disturbed(scenario, () => ({
    line: (_stream, { type, object }) =>
      type === "MODIFIED" && object.metadata?.labels?.["a"] === "b" ? { do: "drop" } : undefined,
  }));
  expect(deaf).toEqual(["I23"]);
});

test("I24 shows who begins anew with what it has changed itself", async () => {
  // It marks the shop past the runtime, and looks again before it can have heard of it.
  const marking = shopLike(({ transport, clock, random }) => ({
    async after({ shop }) {
      if (shop.metadata.generation !== 2 || shop.metadata.annotations?.["seen"] !== undefined) return;
      const client = createClient({ transport, clock, random, fieldManager: "shops" });
      const { name = "", namespace = "", uid } = shop.metadata;
      const json = [
        { op: "test", path: "/metadata/uid", value: uid },
        { op: "add", path: "/metadata/annotations", value: { seen: "yes" } },
      ] as const;
      await client.patch(Shop, { name, namespace }, { json }).catch(() => undefined);
    },
    status(sound, { draft, now, shop }) {
      sound();
      if (shop.metadata.annotations?.["seen"] === undefined) draft.wake((now + 1000) as typeof now);
    },
  }));
  const late = { p: "P7", kind: "example.com/shops", event: 6, by: 30_000 };
  expect(await verdict(marking, late)).toEqual(["I24"]);
  expect(await verdict(shopScenario(), late)).toEqual([]);
});
