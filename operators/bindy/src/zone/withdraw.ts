// Takes a zone from the servers of instances.
import { Deployment } from "@telltale/kinds/builtin";
import { claimOn } from "../aggregate/pod-owner.ts";
import type { Bindcar } from "../bindcar/client.ts";
import type { Bind9Instance } from "../kinds/index.ts";
import { zoneNameOf } from "./compile.ts";
import type { ZoneHands } from "./marks.ts";
import { claimedAs } from "./pods.ts";
import { uidOf, type World } from "./world.ts";

/** The pods that may still have it afterwards. */
export async function withdraw(
  instances: readonly Bind9Instance[],
  world: World,
  hands: ZoneHands,
  bindcar: Bindcar,
): Promise<readonly string[]> {
  const left = (await Promise.all(instances.map((it) => withdrawFrom(it, world, hands, bindcar)))).flat();
  // One after the other: who is asked to wait by the server lets the others wait too.
  for (const instance of instances) left.push(...(await unheardOf(instance, world, hands)));
  return left;
}

async function withdrawFrom(
  instance: Bind9Instance,
  { zone, servers }: World,
  hands: ZoneHands,
  bindcar: Bindcar,
): Promise<readonly string[]> {
  const name = zoneNameOf(zone.spec);
  const call = { signal: hands.signal };
  // What was left behind by its owner answers as before.
  const known = [...(servers.get(uidOf(instance)) ?? []), ...claimedAs("orphaned", instance, hands)];
  const left = known.map(async ({ uid, http, dns }) => {
    // Without an address it has never run, and has nothing.
    if (http === undefined) return dns === undefined ? [] : [uid];
    const pod = bindcar.at(http);
    // What cannot be frozen can still be deleted.
    if (instance.spec.role === "primary") await pod.freeze(name, call);
    const gone = await pod.deleteZone(name, call);
    return gone.ok ? [] : [uid];
  });
  const doubtful = claimedAs("doubtful", instance, hands).filter(({ dns }) => dns !== undefined);
  return [...(await Promise.all(left)).flat(), ...doubtful.map(({ uid }) => uid)];
}

/** A process that has just begun may be shown the past: the Deployment counts pods of which it has not heard, and they may have the zone. */
async function unheardOf(instance: Bind9Instance, { servers }: World, hands: ZoneHands): Promise<readonly string[]> {
  const { name = "", namespace = "" } = instance.metadata;
  const deployment = await hands.live(Deployment, { namespace, name });
  if (claimOn(deployment, instance) === "another's") return [];
  const others = (["doubtful", "orphaned"] as const).flatMap((claim) => claimedAs(claim, instance, hands));
  const known = new Set([...(servers.get(uidOf(instance)) ?? []), ...others].map(({ uid }) => uid));
  const unknown = Math.max(0, (deployment?.status?.replicas ?? 0) - known.size);
  return Array.from({ length: unknown }, (_, i) => `${name}: ${i}`);
}
