// Before what cannot be taken back a pass makes sure that it is about what the server has.
import { afterEach, expect, it } from "vitest";
import { controller } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let w: EmbeddedWorld;
afterEach(() => w.end());

it("a pass over what has changed meanwhile is over, and the next one knows", async () => {
  w = await world({ kinds: [Site] });
  const passed: (string | undefined)[] = [];
  let begun = 0;
  const careful = controller(Site)
    .status({ as: "patch" })
    .reconcile({
      observe: (found) => found,
      async act(_none, hands, found) {
        begun += 1;
        const merge = { metadata: { labels: { changed: "yes" } } };
        if (begun === 1) await w.client.patch(Site, { namespace: "default", name: "a" }, { merge });
        await hands.fresh();
        passed.push(found.metadata.labels?.["changed"]);
      },
      status: (_found, draft) => {
        draft.phase("Pending").condition("Ready", false, "Starting", "seen");
      },
    });
  await w.client.create(Site, site("a"));
  await w.start([careful]);
  await w.pass(2_000);
  expect(begun).toBeGreaterThan(1);
  expect(new Set(passed)).toEqual(new Set(["yes"]));
});
