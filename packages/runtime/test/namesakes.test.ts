// Somebody makes an object anew, under the name of one that a pass has seen: it is another one.
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { controller, type Hands } from "../src/index.ts";
import { Site, site } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let here: EmbeddedWorld | undefined;
afterEach(async () => here?.end());

const ref = { name: "notes", namespace: "default" };

/** In the middle of a pass over a site its ConfigMap goes, and another one comes. */
async function replaced(act: (hands: Hands<typeof Site>, seen: ConfigMap) => Promise<unknown>) {
  const w = await world({ kinds: [Site] });
  here = w;
  const ends: unknown[] = [];
  const seen = await w.client.create(ConfigMap, { metadata: ref, data: { by: "first" } });
  const sites = controller(Site)
    .writes(ConfigMap, "delete")
    .writes(ConfigMap, "patch")
    .reconcile({
      observe: (it) => it,
      async act(_none, hands) {
        if (ends.length > 0) return;
        await w.client.delete(ConfigMap, ref, { propagation: "Background" });
        await w.client.create(ConfigMap, { metadata: ref, data: { by: "second" } });
        const call = act(hands as Hands<typeof Site>, seen);
        ends.push(await call.catch((error: unknown) => error));
      },
      status: (_it, draft) => void draft.phase("Pending").condition("Ready", false, "Starting", "seen"),
    });
  await w.start([sites]);
  await w.client.create(Site, site("a"));
  await w.pass(5_000);
  return { end: ends[0], now: await w.client.get(ConfigMap, ref.name, { namespace: ref.namespace }) };
}

test("it is not deleted in the place of the one that was seen, and who deletes is told of it", async () => {
  const { end, now } = await replaced((hands, seen) => hands.remove(ConfigMap, seen, "Background"));
  expect(now.data).toEqual({ by: "second" });
  expect(end).toMatchObject({ metadata: { uid: now.metadata?.uid } });
});

test("it is not changed in the place of the one that was seen", async () => {
  const { end, now } = await replaced((hands, seen) =>
    hands.patch(ConfigMap, seen, [{ op: "replace", path: "/data/by", value: "us" }]),
  );
  expect(now.data).toEqual({ by: "second" });
  expect(end).toBeInstanceOf(Error);
});
