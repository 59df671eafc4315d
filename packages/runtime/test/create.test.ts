// Where an object lands that a pass creates: where it says, else beside the object of the pass.
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, expect, it } from "vitest";
import { controller } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let w: EmbeddedWorld;
afterEach(() => w.end());

it.each([
  { said: { namespace: "kube-public" }, lands: "kube-public" },
  { said: {}, lands: "default" },
])("one with $said lands in $lands", async ({ said, lands }) => {
  w = await world({ kinds: [Site] });
  const building = controller(Site)
    .writes(ConfigMap, "create")
    .status({ as: "patch" })
    .reconcile({
      observe: (found) => found,
      act: async (_none, hands) => {
        await hands.create(ConfigMap, { metadata: { name: "m", ...said } }, { owner: "none" });
      },
      status: (_found, draft) => {
        draft.phase("Pending").condition("Ready", false, "Starting", "seen");
      },
    });
  await w.client.create(Site, site("a"));
  await w.start([building]);
  await w.pass(2_000);
  const made = await w.client.list(ConfigMap);
  expect(made.items.filter(({ metadata }) => metadata?.name === "m").map((it) => it.metadata?.namespace)).toEqual([
    lands,
  ]);
});
