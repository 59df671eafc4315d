// The first Event of a new object: of one that failed it is a Warning.
import { CoreEvent } from "@telltale/kinds/builtin";
import { Failed, text } from "@telltale/status";
import { afterEach, expect, test } from "vitest";
import { controller } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let here: EmbeddedWorld | undefined;
afterEach(async () => here?.end());

const starting = { reason: "Starting", message: text`no room` } as const;

test.each([
  { what: "failed", type: "Warning", failure: { class: "invalid", ...starting } },
  { what: "waits for something", type: "Normal", failure: { class: "waiting", ...starting } },
  { what: "is not ready yet", type: "Normal", failure: undefined },
] as const)("of an object whose first reconcile $what is $type", async ({ type, failure }) => {
  here = await world({ kinds: [Site] });
  const failing = controller(Site).reconcile({
    observe(found) {
      if (failure !== undefined) throw new Failed(failure);
      return found;
    },
    status: (_found, draft) => void draft.phase("Pending").condition("Ready", false, "Starting", text`no room`),
  });
  await here.start([failing], { events: "v1" });
  await here.client.create(Site, site("a"));
  await here.pass(2_000);
  const { items } = await here.client.list(CoreEvent, { namespace: "default" });
  expect(items.map((event) => [event.type, event.reason, event.message])).toEqual([[type, "Starting", "no room"]]);
});
