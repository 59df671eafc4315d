// Where upstream's Bindcar answers otherwise than ours, as far as the operator meets it. The real ones are asked the same beside it.
import { basePath, type CreateZone, type ModifyZone } from "../bindcar/contract.ts";
import { zoneStatusOf } from "../bindcar/zone-status.ts";
import { json, type Reply } from "../bindcar-server/message.ts";
import type { Nameserver } from "../bindcar-server/nameserver.ts";

/** The one that the default image has, and the newest. */
export type Upstream = "0.7.2" | "0.9.0";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Undefined: as ours does. */
export async function upstreamReply(
  version: Upstream,
  { method, path, body }: Asked,
  nameserver: Nameserver,
): Promise<Reply | undefined> {
  const [, zone = "", rest = ""] = new RegExp(`^${basePath}/zones(?:/([^/]+)(/.*)?)?$`).exec(path) ?? [];
  if (rest === "/rrsets") return plain(404);
  if (zone === "" && method === "POST") return made(version, bodyOf<CreateZone>(body));
  if (rest !== "" || zone === "") return undefined;
  const status = await nameserver.zoneStatus(zone).then(zoneStatusOf, () => undefined);
  if (method === "GET") {
    // It looks for a file, and a secondary has none.
    if (status === undefined || status.type === "secondary") return plain(404);
    const { type: zoneType, serial, file: filePath } = status;
    return json(200, { name: zone, zoneType, serial, filePath });
  }
  if (method === "PATCH") return modified(bodyOf<ModifyZone>(body));
  return method === "DELETE" && status === undefined && version === "0.7.2" ? plain(500) : undefined;
}

function made(version: Upstream, { zoneConfig: { ttl, alsoNotify, primaries } }: CreateZone): Reply | undefined {
  if (ttl === undefined) return plain(422);
  const hasPorts = [...(alsoNotify ?? []), ...(primaries ?? [])].some(isWithPort);
  return hasPorts && version === "0.7.2" ? plain(400) : undefined;
}

/** It knows no primaries here, and takes no ports. */
function modified({ alsoNotify, allowTransfer, allowUpdate }: ModifyZone): Reply | undefined {
  const isNothing = [alsoNotify, allowTransfer, allowUpdate].every((it) => it === undefined);
  return isNothing || (alsoNotify ?? []).some(isWithPort) ? plain(400) : undefined;
}

const isWithPort = (entry: string): boolean => /^([0-9.]+|\[.+\]):\d+$/.test(entry);

const bodyOf = <T>(text: string): T => JSON.parse(text) as T;

const plain = (status: number): Reply => json(status, { error: "no", details: null });
