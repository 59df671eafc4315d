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

it("who deletes its own object says nothing of it that was so before somebody else changed it", async () => {
  w = await world({ kinds: [Site] });
  const told: (number | undefined)[] = [];
  let deleted = 0;
  const ending = controller(Site)
    .status({ as: "patch" })
    .writes(Site, "delete")
    .untilGone()
    .reconcile({
      observe: (found) => found,
      async act(_none, hands, found) {
        if (found.metadata.deletionTimestamp !== undefined) return found;
        const merge = { status: { readyReplicas: 3 } };
        if (deleted === 0) await w.client.status.patch(Site, { namespace: "default", name: "a" }, { merge });
        deleted += 1;
        await hands.remove(Site, found, "Background");
        return found;
      },
      status: (found, draft) => {
        told.push(found.status?.readyReplicas);
        draft.phase("Pending").condition("Ready", false, "Starting", "seen");
      },
    });
  const held = site("a");
  await w.client.create(Site, { ...held, metadata: { ...held.metadata, finalizers: ["example.com/held"] } });
  await w.start([ending]);
  await w.pass(2_000);
  expect(deleted).toBe(1);
  expect(new Set(told)).toEqual(new Set([3]));
});

it("what is deleted only as it was seen stays when it has changed", async () => {
  w = await world({ kinds: [Site] });
  const seen: (string | undefined)[] = [];
  const sweeping = controller(Site)
    .status({ as: "patch" })
    .writes(Site, "delete")
    .reconcile({
      observe: (found) => found,
      async act(_none, hands, found) {
        const { labels, resourceVersion = "" } = found.metadata;
        seen.push(labels?.["pinned"]);
        if (labels?.["pinned"] !== undefined) return;
        const merge = { metadata: { labels: { pinned: "yes" } } };
        await w.client.patch(Site, { namespace: "default", name: "a" }, { merge });
        await hands.remove(Site, found, "Background", { resourceVersion });
      },
      status: (_found, draft) => {
        draft.phase("Pending").condition("Ready", false, "Starting", "seen");
      },
    });
  await w.client.create(Site, site("a"));
  await w.start([sweeping]);
  await w.pass(5_000);
  expect(seen.slice(0, 2)).toEqual([undefined, "yes"]);
  expect((await w.client.get(Site, "a", { namespace: "default" })).metadata.deletionTimestamp).toBeUndefined();
});
