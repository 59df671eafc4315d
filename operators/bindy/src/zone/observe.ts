// Reads what a pass has to know of one zone, all of it from the cache.
import { Service } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { isSigning, type Nameserver, nameserverOf } from "../build/index.ts";
import { parentOf } from "../instance/parent.ts";
import {
  Bind9Cluster,
  type Bind9ClusterSpec,
  Bind9GlobalCluster,
  Bind9Instance,
  type DNSRecord,
  DNSZone,
  type DNSZoneSpec,
  specOf,
} from "../kinds/index.ts";
import { kinds as records } from "../record/data.ts";
import { checkZone } from "../validate/index.ts";
import { chosen, ownerOf } from "./choice.ts";
import { zoneNameOf } from "./compile.ts";
import { serversOf } from "./pods.ts";
import { keySourceOf, type Signing } from "./signing-keys.ts";
import { placeOf, type Targets, type Tenancy, targetsOf } from "./targets.ts";
import { hasSpec, uidOf, type World } from "./world.ts";

export const zoneNameIndex = "zoneName";

/** Zones are found by name in whatever case it was written. */
export const zoneNames = ({ spec }: DNSZone): readonly string[] =>
  typeof spec?.zoneName === "string" ? [zoneNameOf(spec)] : [];

export function observe(zone: DNSZone, look: Look): World {
  const checked = checkZone(zone);
  const spec = checked.at === "valid" ? checked.spec : undefined;
  const instances = look.list(Bind9Instance).filter(hasSpec);
  const targets = spec === undefined ? nobody : targetsOf(zone, spec, instances, tenancyOf(look));
  const all = [...targets.primaries, ...targets.secondaries];
  const isTarget = new Set(all.map(uidOf));
  const had = new Set(zone.status?.bind9Instances?.map(({ namespace, name }) => `${namespace}/${name}`));
  const listing = instances.filter((it) => it.status?.zones?.some((ref) => isOf(ref, zone)) ?? false);
  const former = instances.filter((it) => !isTarget.has(uidOf(it)) && (had.has(placeOf(it)) || listing.includes(it)));
  const found = recordsOf(zone, look);
  const owner = ownerOf(look.where(DNSZone, zoneNameIndex, zoneNameOf(zone.spec)));
  return {
    zone,
    checked,
    owners: owner === undefined || uidOf(owner) === uidOf(zone) ? [] : [placeOf(owner)],
    targets,
    servers: new Map([...all, ...former].map((it) => [uidOf(it), serversOf(it, look)])),
    signing: new Map(targets.primaries.flatMap((it) => signingOn(it, spec, look))),
    addresses: all.map((it) => addressOf(it, look)),
    services: new Map(
      targets.primaries.flatMap((it) => clusterAddress(serviceOf(it, look)).map((ip) => [uidOf(it), ip])),
    ),
    ...found,
    former,
    listing,
  };
}

const nobody: Targets = { primaries: [], secondaries: [], refused: 0 };

export const tenancyOf = (look: Pick<Look, "get">): Tenancy => ({
  globalCluster: (name) => look.get(Bind9GlobalCluster, { name }),
  cluster: (namespace, name) => (name === "" ? undefined : look.get(Bind9Cluster, { namespace, name })),
});

export const isOf = (ref: { readonly namespace: string; readonly name: string }, zone: DNSZone): boolean =>
  ref.namespace === zone.metadata.namespace && ref.name === zone.metadata.name;

function recordsOf(zone: DNSZone, look: Look): Pick<World, "records" | "released" | "ending"> {
  const { namespace = "" } = zone.metadata;
  const all = records.flatMap((kind) => look.list(kind, { namespace })).filter(hasSpec);
  const rivals = look.list(DNSZone, { namespace }).filter((it) => hasSpec(it) && uidOf(it) !== uidOf(zone));
  const ours = chosen(zone, all, rivals);
  const isChosen = new Set(ours);
  const said = all.filter(({ status }) => status?.zoneRef !== undefined && isOf(status.zoneRef, zone));
  const [ending, live] = [true, false].map((is) => said.filter((it) => isEnding(it) === is));
  return { records: ours, released: (live ?? []).filter((it) => !isChosen.has(it)), ending: ending ?? [] };
}

const isEnding = ({ metadata }: DNSRecord): boolean => metadata.deletionTimestamp !== undefined;

function addressOf(instance: Bind9Instance, look: Look): string | undefined {
  const service = serviceOf(instance, look);
  const balanced = service?.status?.loadBalancer?.ingress?.find(({ ip }) => ip !== undefined && ip !== "")?.ip;
  return balanced ?? clusterAddress(service)[0];
}

function serviceOf({ metadata }: Bind9Instance, look: Look): Service | undefined {
  const { namespace = "", name = "" } = metadata;
  return look.get(Service, { namespace, name });
}

function clusterAddress(service: Service | undefined): readonly string[] {
  const own = service?.spec?.clusterIP;
  return own === undefined || own === "None" || own === "" ? [] : [own];
}

/** What the zone says, else what the server is set up for. */
function signingOn(instance: Bind9Instance, spec: DNSZoneSpec | undefined, look: Look): readonly [string, Signing][] {
  const { namespace = "", name = "" } = instance.metadata;
  const server = nameserverOf({ name, namespace }, specOf(Bind9Instance, instance), parentSpecOf(instance, look));
  const policy = spec?.dnssecPolicy ?? inherited(server);
  return policy === undefined || policy === "none" ? [] : [[uidOf(instance), { policy, keys: keySourceOf(server) }]];
}

const inherited = (server: Nameserver): string | undefined =>
  isSigning(server) ? (server.config.dnssec?.signing?.policy ?? "default") : undefined;

function parentSpecOf(instance: Bind9Instance, look: Look): Bind9ClusterSpec {
  const parent = parentOf(instance, look);
  if (parent.is === "cluster") return specOf(Bind9Cluster, parent.object);
  return parent.is === "global" ? specOf(Bind9GlobalCluster, parent.object) : {};
}
