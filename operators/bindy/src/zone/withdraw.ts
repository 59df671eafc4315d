// Takes a zone from the servers of an instance.
import { Deployment } from "@telltale/kinds/builtin";
import { controllerOf } from "../aggregate/pod-owner.ts";
import type { Bindcar } from "../bindcar/client.ts";
import type { Bind9Instance } from "../kinds/index.ts";
import { zoneNameOf } from "./compile.ts";
import type { ZoneHands } from "./marks.ts";
import { doubtfulServersOf } from "./pods.ts";
import { uidOf, type World } from "./world.ts";

/** The pods that may still have it afterwards, by uid. */
export async function withdraw(
  instance: Bind9Instance,
  { zone, servers }: World,
  hands: ZoneHands,
  bindcar: Bindcar,
): Promise<readonly string[]> {
  const name = zoneNameOf(zone.spec);
  const call = { signal: hands.signal };
  const known = servers.get(uidOf(instance)) ?? [];
  const left = known.map(async ({ uid, http, dns }) => {
    // Without an address it has never run, and has nothing.
    if (http === undefined) return dns === undefined ? [] : [uid];
    const pod = bindcar.at(http);
    // What cannot be frozen can still be deleted.
    if (instance.spec.role === "primary") await pod.freeze(name, call);
    const gone = await pod.deleteZone(name, call);
    return gone.ok ? [] : [uid];
  });
  const doubtful = doubtfulServersOf(instance, hands);
  const hidden = await unheardOf(instance, known.length + doubtful.length, hands);
  const mayHave = doubtful.filter(({ dns }) => dns !== undefined).map(({ uid }) => uid);
  return [...(await Promise.all(left)).flat(), ...mayHave, ...hidden];
}

/** A process that has just begun may be shown the past: its Deployment counts pods that it has not heard of, which may have the zone. */
async function unheardOf({ metadata }: Bind9Instance, known: number, hands: ZoneHands): Promise<readonly string[]> {
  const { uid, name = "", namespace = "" } = metadata;
  const deployment = await hands.live(Deployment, { namespace, name });
  if (controllerOf(deployment)?.uid !== uid) return [];
  return Array.from({ length: Math.max(0, (deployment?.status?.replicas ?? 0) - known) }, (_, i) => `${name}: ${i}`);
}
