// Several processes for one set of objects: one leads, or each has its share; never do two write for one object.
import { ConfigMap } from "@telltale/kinds/builtin";
import { afterEach, describe, expect, it } from "vitest";
import { controller } from "../src/index.ts";
import { Site, site, siteController } from "./site.ts";
import { type EmbeddedWorld, type Running, world } from "./world.ts";

let w: EmbeddedWorld;
afterEach(() => w.end());

const statuses = async () => (await w.client.list(Site)).items.map(({ status }) => status?.observedGeneration);

describe("a leader and one that stands by", () => {
  const lease = (identity: string) => ({
    replicas: { as: "lease", namespace: "default", lease: "sites", identity } as const,
  });

  it("take turns: the second is there within the lease and a second after the first has died", async () => {
    w = await world({ kinds: [Site] });
    const first = await w.start([siteController()], lease("one"));
    const second = await w.start([siteController()], lease("two"));
    await w.pass(3_000);
    expect([first.manager.isActive(), second.manager.isActive()]).toEqual([true, false]);
    await first.crash();
    const died = w.clock.uptime();
    await w.client.create(Site, site("a"));
    await w.until(async () => (await statuses())[0] === 1);
    expect(w.clock.uptime() - died).toBeLessThanOrEqual(16_000);
    expect(second.manager.isActive()).toBe(true);
  });

  it("take turns at once when the first stops in good order", async () => {
    w = await world({ kinds: [Site] });
    const first = await w.start([siteController()], lease("one"));
    await w.start([siteController()], lease("two"));
    await w.pass(3_000);
    await first.stop();
    const stopped = w.clock.uptime();
    await w.client.create(Site, site("a"));
    await w.until(async () => (await statuses())[0] === 1);
    expect(w.clock.uptime() - stopped).toBeLessThanOrEqual(3_000);
  });

  it("look at everything again when it is their turn again, whatever the other has done outside meanwhile", async () => {
    w = await world({ kinds: [Site] });
    const passes: string[] = [];
    const counted = (name: string) =>
      controller(ConfigMap, "looks").reconcile<undefined>({
        observe({ metadata }) {
          passes.push(`${name} ${metadata?.name}`);
          return undefined;
        },
        status: () => ({ status: undefined }),
      });
    const runs = [];
    for (const name of ["one", "two"])
      runs.push(await w.start([counted(name)], { ...lease(name), name: `tester-${name}` }));
    await w.client.create(ConfigMap, { metadata: { name: "a", namespace: "default" } });
    await w.pass(5_000);
    for (const name of ["one", "two"]) {
      const rule = w.server.faults.add({
        match: { resource: "leases", userAgent: new RegExp(`tester-${name}`) },
        effect: { timeout: true },
      });
      await w.pass(60_000);
      w.server.faults.remove(rule);
    }
    expect(runs.map(({ manager }) => manager.isActive())).toEqual([true, false]);
    const turns = passes.filter((it, i) => it !== passes[i - 1]);
    expect(turns).toEqual(["one a", "two a", "one a"]);
  });

  it("never both write: a leader that cannot renew stops before another begins", async () => {
    w = await world({ kinds: [Site] });
    const runs: Running[] = [];
    const names = ["one", "two"];
    for (const name of names) {
      runs.push(await w.start([siteController()], { ...lease(name), name: `tester-${name}` }));
    }
    for (let i = 0; i < 5; i += 1) await w.client.create(Site, site(`s${i}`));
    await w.pass(5_000);
    // Whoever leads can renew no more, but would still like to write.
    for (let round = 0; round < 4; round += 1) {
      const leader = runs.findIndex(({ manager }) => manager.isActive());
      const rule = w.server.faults.add({
        match: { resource: "leases", userAgent: new RegExp(`tester-${names[leader]}`) },
        effect: { timeout: true },
      });
      for (let step = 0; step < 300; step += 1) {
        await w.pass(100);
        expect(runs.filter(({ manager }) => manager.isActive()).length).toBeLessThanOrEqual(1);
        if (step % 10 === 0) {
          const image = `web:${round}-${step}`;
          await w.client.patch(Site, { name: `s${step % 5}`, namespace: "default" }, { merge: { spec: { image } } });
        }
      }
      w.server.faults.remove(rule);
      await w.pass(20_000);
      expect(runs.findIndex(({ manager }) => manager.isActive())).not.toBe(leader);
    }
    expect(
      (await w.client.list(Site)).items.every(
        ({ metadata, status }) => metadata.generation === status?.observedGeneration,
      ),
    ).toBe(true);
  });
});

describe("shards", () => {
  const share = (identity: string) => ({
    replicas: { as: "shards", namespace: "default", lease: "sites", identity } as const,
    name: `tester-${identity}`,
  });

  it("divide the objects, and take over those of a member that died", async () => {
    w = await world({ kinds: [Site] });
    const runs = [];
    for (const name of ["one", "two", "three"]) runs.push(await w.start([siteController()], share(name)));
    await w.pass(60_000);
    for (let i = 0; i < 60; i += 1) await w.client.create(Site, site(`s${i}`));
    await w.pass(10_000);
    expect((await statuses()).every((generation) => generation === 1)).toBe(true);
    const writers = new Map<string, number>();
    for (const line of w.sent.filter((it) => it.includes("/status"))) {
      const manager = /fieldManager=(tester-\w+)/.exec(line)?.[1] ?? "";
      writers.set(manager, (writers.get(manager) ?? 0) + 1);
    }
    expect([...writers.values()].reduce((sum, n) => sum + n, 0)).toBe(60);
    expect(Math.min(...writers.values())).toBeGreaterThan(5);
    expect(writers.size).toBe(3);
    await runs[0]?.crash();
    await w.pass(60_000);
    for (let i = 0; i < 60; i += 1) {
      await w.client.patch(Site, { name: `s${i}`, namespace: "default" }, { merge: { spec: { image: "web:2" } } });
    }
    await w.pass(10_000);
    expect((await statuses()).every((generation) => generation === 2)).toBe(true);
  });
});
