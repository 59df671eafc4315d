// In one process, in virtual time, one seed decides everything: the same seed gives the same requests, byte by byte.
import { Deployment } from "@telltale/kinds/builtin";
import { expect, it } from "vitest";
import { Site, site, siteController } from "./site.ts";
import { world } from "./world.ts";

async function life(seed: number): Promise<{ hash: string; sent: number }> {
  const w = await world({ seed, kinds: [Site] });
  w.server.faults.add({
    match: { probability: 0.1, verbs: ["patch", "create"] },
    effect: { status: 503, commit: true },
  });
  w.server.faults.add({ match: { probability: 0.1, verbs: ["get"] }, effect: { status: 429, retryAfterSeconds: 1 } });
  w.server.faults.add({ match: { verbs: ["watch"] }, effect: { watch: { dropAfterEvents: 7 } } });
  const replicas = { as: "lease", namespace: "default" } as const;
  await w.start([siteController()], { replicas });
  const second = await w.start([siteController()], { replicas });
  for (let i = 0; i < 12; i += 1) await w.client.create(Site, site(`s${i}`)).catch(() => {});
  await w.pass(20_000);
  for (let i = 0; i < 12; i += 3) {
    const status = { replicas: 1, readyReplicas: 1 };
    await w.client.status
      .patch(Deployment, { name: `s${i}`, namespace: "default" }, { merge: { status } })
      .catch(() => {});
  }
  await w.pass(20_000);
  await second.stop();
  await w.pass(20_000);
  const { hash, sent } = { hash: w.hash(), sent: w.sent.length };
  await w.end();
  return { hash, sent };
}

it("the same seed gives the same requests, and another seed others", async () => {
  const [first, again, other] = [await life(7), await life(7), await life(8)];
  expect(first.sent).toBeGreaterThan(50);
  expect(again).toEqual(first);
  expect(other.hash).not.toBe(first.hash);
});
