// Takes a zone from the servers of an instance.
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
  const left = (servers.get(uidOf(instance)) ?? []).map(async ({ uid, http, dns }) => {
    // Without an address it has never run, and has nothing.
    if (http === undefined) return dns === undefined ? [] : [uid];
    const pod = bindcar.at(http);
    // What cannot be frozen can still be deleted.
    if (instance.spec.role === "primary") await pod.freeze(name, call);
    const gone = await pod.deleteZone(name, call);
    return gone.ok ? [] : [uid];
  });
  const doubtful = doubtfulServersOf(instance, hands).filter(({ dns }) => dns !== undefined);
  return [...(await Promise.all(left)).flat(), ...doubtful.map(({ uid }) => uid)];
}
