import { Deployment } from "@telltale/kinds/builtin";
import { afterEach, expect, it } from "vitest";
import { Site, site, siteController } from "./site.ts";
import { type World, world } from "./world.ts";

let w: World;
afterEach(() => w.end());

it("makes the child and tells how it stands, with one status write", async () => {
  w = await world({ kinds: [Site] });
  await w.client.create(Site, site("a"));
  await w.start([siteController()]);
  await w.pass(10);
  const made = await w.client.get(Deployment, "a", { namespace: "default" });
  expect(made.metadata?.ownerReferences?.[0]).toMatchObject({ kind: "Site", name: "a", controller: true });
  expect((await w.client.get(Site, "a", { namespace: "default" })).status).toMatchObject({
    phase: "Pending",
    readyReplicas: 0,
  });
  await w.client.status.patch(
    Deployment,
    { name: "a", namespace: "default" },
    { merge: { status: { replicas: 1, readyReplicas: 1 } } },
  );
  await w.pass(10);
  expect((await w.client.get(Site, "a", { namespace: "default" })).status).toMatchObject({
    phase: "Serving",
    readyReplicas: 1,
  });
});
