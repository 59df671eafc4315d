// Objects that vanish while nobody is told: forced away, or undone by a backup.
import { ConfigMap, Deployment, Secret } from "@telltale/kinds/builtin";
import { afterEach, expect, test } from "vitest";
import { controller } from "../src/index.ts";
import { Site, site, siteController } from "./site.ts";
import { type EmbeddedWorld, world } from "./world.ts";

let here: EmbeddedWorld | undefined;
afterEach(async () => here?.end());

const corner = { name: "corner", namespace: "default" };

/** A site that works, whose watch tells of nothing more: neither of its end. */
async function unheard(replicas: number, controllers: "core" | "none") {
  here = await world({ kinds: [Site], server: { controllers } });
  // The end of the list, the site as it is made, and with its status.
  here.server.faults.add({
    match: { verbs: ["watch"], resource: "sites" },
    effect: { watch: { stallAfterEvents: 3 } },
  });
  // So that a loop without an end takes time.
  here.server.faults.add({
    match: { verbs: ["patch"], resource: "deployments", userAgent: /tester/ },
    effect: { latencyMs: 5 },
  });
  const { manager } = await here.start([siteController()]);
  await here.client.create(Site, site("corner", { replicas }));
  await here.pass(100);
  here.writes();
  here.server.store.commit("/example.com/sites/default/corner", { object: undefined });
  return { here, known: () => manager.cache.of(Site).store.get(corner) };
}

test("nothing is made for an owner that is gone, of whom nobody told", async () => {
  const { here, known } = await unheard(0, "core");
  await here.pass(1_000);
  expect(here.writes()).toEqual([]);
  expect(known()).toBeUndefined();
  expect((await here.client.list(Deployment, corner)).items).toEqual([]);
});

test("what is made for an owner without a status is made once, however fast it is collected", async () => {
  here = await world();
  const name = "copy";
  const copying = controller(Secret)
    .owns(ConfigMap)
    .reconcile({
      observe: () => undefined,
      act: async (_, hands) => void (await hands.ensure(ConfigMap, { metadata: { name } })),
      status: () => ({ status: undefined }),
    });
  here.server.faults.add({
    match: { verbs: ["watch"], resource: "secrets" },
    effect: { watch: { stallAfterEvents: 2 } },
  });
  here.server.faults.add({ match: { verbs: ["patch"], userAgent: /tester/ }, effect: { latencyMs: 5 } });
  await here.start([copying]);
  await here.client.create(Secret, { metadata: corner });
  await here.pass(100);
  here.writes();
  here.server.store.commit("//secrets/default/corner", { object: undefined });
  await here.pass(1_000);
  expect(here.writes()).toEqual([expect.stringContaining("PATCH /api/v1/namespaces/default/configmaps/copy")]);
});

test("rule 52: an object of which a write tells that it is gone is known to be gone", async () => {
  const { here, known } = await unheard(1, "none");
  await here.pass(1_000);
  expect(known()).toBeDefined();
  await here.client.status.patch(Deployment, corner, { merge: { status: { replicas: 1, readyReplicas: 1 } } });
  await here.pass(1_000);
  expect(here.writes()).toEqual([expect.stringContaining("/sites/corner/status")]);
  expect(known()).toBeUndefined();
  expect(here.lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("a status that has no place for a moment says nothing of its object, and is said again", async () => {
  here = await world({ kinds: [Site] });
  const { manager } = await here.start([siteController()]);
  here.server.faults.add({
    match: { verbs: ["patch"], resource: "sites", subresource: "status" },
    effect: { status: 404, reason: "NotFound", message: "the server could not find the requested resource" },
  });
  await here.client.create(Site, site("corner"));
  await here.pass(1_000);
  const known = () => manager.cache.of(Site).store.get(corner);
  expect([known() === undefined, known()?.status?.phase]).toEqual([false, undefined]);
  here.server.faults.clear();
  await here.until(() => known()?.status?.phase === "Pending", "the status");
});

test("a server that was put back is found out by all kinds at once", async () => {
  here = await world();
  const { manager } = await here.start([]);
  const [maps, secrets] = [manager.cache.of(ConfigMap), manager.cache.of(Secret)];
  await Promise.all([maps.synced(), secrets.synced()]);
  const before = here.server.snapshot();
  await here.client.create(ConfigMap, { metadata: corner });
  await here.client.create(Secret, { metadata: corner });
  await here.pass(100);
  expect([maps.store.size, secrets.store.size]).toEqual([1, 1]);
  here.server.restore(before);
  await here.until(() => maps.store.size + secrets.store.size < 2, "one of them to notice");
  await here.pass(1);
  // Neither asks once more whether the server is as far again.
  const lists = expect.stringContaining("sendInitialEvents=true");
  expect(here.sent.slice(-2)).toEqual([lists, lists]);
  expect([maps.store.size, secrets.store.size]).toEqual([0, 0]);
});

test("a server that itself shows an older object than we know was put back: all is read anew", async () => {
  here = await world({ kinds: [Site] });
  const { manager } = await here.start([siteController()]);
  await here.client.create(Site, site("corner"));
  await here.pass(100);
  const live = await here.client.get(Site, corner.name, corner);
  const metadata = { ...live.metadata, generation: 2, resourceVersion: "1000000" };
  manager.cache.wrote(Site, { ...live, metadata, spec: { ...live.spec, image: "web:2" }, status: {} });
  await here.pass(10_000);
  expect(manager.cache.of(Site).store.get(corner)?.spec.image).toBe("web:1");
  expect(manager.cache.of(Deployment).store.get(corner)?.spec?.template.spec?.containers[0]?.image).toBe("web:1");
});
