// W9: the connection is cut while specs change, and comes back: after a second, after a minute, and after a time of which
// the server has no history any more.
import { setTimeout as sleep } from "node:timers/promises";
import { Convergence } from "../fleet.ts";
import type { Operator } from "../operator.ts";
import { pin } from "../proc.ts";
import type { Figures, Scene } from "../scene.ts";
import { served } from "../stage.ts";
import { type WidgetObject, widgetsPath } from "../widgets.ts";
import { Wire } from "../wire.ts";

const changes = 50;
const patience = 120_000;

/** Figures for each outage, by its name: `1 s`, `60 s`, `compacted`. */
export async function outages(scene: Scene): Promise<Record<string, Figures>> {
  const wire = new Wire(scene.stage.plane.url);
  await wire.open();
  const operator = scene.launch({ expect: scene.fleet.size, kubeconfig: scene.stage.kubeconfig(wire.url) });
  const results: Record<string, Figures> = {};
  try {
    await operator.says(/^reconciled /);
    for (const seconds of scene.options.outages) {
      results[`${seconds} s`] = await outage(scene, operator, wire, () => sleep(seconds * 1_000));
    }
    results["compacted"] = await outage(scene, operator, wire, () => forget(scene));
    return results;
  } finally {
    await operator.stop();
    await wire.cut();
  }
}

async function outage(scene: Scene, operator: Operator, wire: Wire, during: () => Promise<void>): Promise<Figures> {
  await wire.cut();
  const sent = Array.from({ length: changes }, () => scene.fleet.next());
  await Promise.all([during(), Promise.all(sent.map((change) => change.send()))]);
  const watch = await Convergence.start(scene.stage.api);
  const since = scene.mark(operator);
  const received = wire.received;
  await wire.open();
  for (const { name, generation } of sent) watch.expect(name, generation, since.at);
  const followed = () => (watch.open === 0 || performance.now() - since.at > patience ? true : undefined);
  await operator.until("it follows again", followed, 2 * patience);
  const costs = await scene.cost(operator, since);
  watch.stop();
  return {
    ...costs,
    recovery: (watch.last || Number.NaN) - since.at,
    received: (wire.received - received) / 1e6,
    missed: await missed(scene),
  };
}

/** The server loses its history: etcd is compacted, and the cache in front of it begins anew. */
async function forget({ stage, cores }: Scene): Promise<void> {
  await sleep(2_000);
  const post = async (path: string, body: object): Promise<{ header?: { revision?: string } }> => {
    const answer = await fetch(`${stage.plane.etcd}/v3/${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd answered ${path} with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { header?: { revision?: string } };
  };
  const { header } = await post("kv/range", { key: Buffer.from("/").toString("base64"), keys_only: true });
  await post("kv/compaction", { revision: header?.revision, physical: true });
  await stage.plane.restart();
  await served(stage.api);
  if (cores !== undefined) pin(stage.plane.pids().apiserver, cores.apiserver);
}

async function missed({ stage }: Scene): Promise<number> {
  const all = await stage.api.list<WidgetObject>(widgetsPath);
  return all.filter(({ metadata, status }) => status?.observedGeneration !== metadata.generation).length;
}
