// Which instances a zone is for: those that it names, and those that may be asked for from where it is (8.5, 12.4). Pure.
import { matchesSelector } from "@telltale/kinds";
import type { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, DNSZone, DNSZoneSpec } from "../kinds/index.ts";
import { annotations } from "../names.ts";

/** What a zone's claims are judged by. */
export interface Tenancy {
  readonly globalCluster: (name: string) => Bind9GlobalCluster | undefined;
  readonly cluster: (namespace: string, name: string) => Bind9Cluster | undefined;
}

export type Claim = "granted" | "refused" | "none";

export interface Targets {
  /** In the order in which they become name servers. */
  readonly primaries: readonly Bind9Instance[];
  readonly secondaries: readonly Bind9Instance[];
  /** How many would match, but are not for the zone's namespace. */
  readonly refused: number;
}

type Claimant = Pick<DNSZone, "metadata">;

export function targetsOf(
  zone: Claimant,
  spec: DNSZoneSpec,
  instances: readonly Bind9Instance[],
  tenancy: Tenancy,
): Targets {
  const live = instances.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const claims = live.map((instance) => ({ instance, claim: claimOn(zone, spec, instance, tenancy) }));
  const granted = claims.filter(({ claim }) => claim === "granted").map(({ instance }) => instance);
  const ordered = granted.sort((a, b) => compareNames(placeOf(a), placeOf(b)));
  return {
    primaries: ordered.filter(({ spec: { role } }) => role === "primary"),
    secondaries: ordered.filter(({ spec: { role } }) => role === "secondary"),
    refused: claims.filter(({ claim }) => claim === "refused").length,
  };
}

/** The best of all the ways in which a zone can ask for an instance. */
export function claimOn(zone: Claimant, spec: DNSZoneSpec, instance: Bind9Instance, tenancy: Tenancy): Claim {
  const all = [
    byCluster(zone, spec, instance),
    byGlobalCluster(zone, spec, instance, tenancy),
    byLabels(zone, spec, instance),
  ];
  return all.find((it) => it === "granted") ?? all.find((it) => it === "refused") ?? "none";
}

function byCluster(zone: Claimant, { clusterRef }: DNSZoneSpec, { metadata, spec }: Bind9Instance): Claim {
  const isOfIt =
    isNamed(clusterRef) && spec.clusterRef === clusterRef && metadata.namespace === zone.metadata.namespace;
  return isOfIt ? "granted" : "none";
}

function byGlobalCluster(
  zone: Claimant,
  { globalClusterRef }: DNSZoneSpec,
  { metadata, spec }: Bind9Instance,
  tenancy: Tenancy,
): Claim {
  if (!isNamed(globalClusterRef)) return "none";
  const global = tenancy.globalCluster(globalClusterRef);
  const cluster = tenancy.cluster(metadata.namespace ?? "", spec.clusterRef);
  const owner = cluster?.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (global === undefined || owner?.uid !== global.metadata.uid) return "none";
  const allowed = global.metadata.annotations?.[annotations.allowZoneNamespaces];
  return allowed === undefined || isListed(allowed, zone) ? "granted" : "refused";
}

function byLabels(zone: Claimant, { bind9InstancesFrom = [] }: DNSZoneSpec, { metadata }: Bind9Instance): Claim {
  if (!bind9InstancesFrom.some(({ selector }) => matchesSelector(selector, metadata.labels))) return "none";
  if (metadata.namespace === zone.metadata.namespace) return "granted";
  // The permission stands where the tenant cannot write.
  return isListed(metadata.annotations?.[annotations.allowZoneNamespaces] ?? "", zone) ? "granted" : "refused";
}

const isNamed = (name: string | undefined): name is string => name !== undefined && name !== "";

function isListed(allowed: string, zone: Claimant): boolean {
  const names = allowed.split(",").map((it) => it.trim());
  return names.includes("*") || names.includes(zone.metadata.namespace ?? "");
}

export const placeOf = ({
  metadata,
}: {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

/** Numbers by their size: the third server stays the third when there is a tenth. */
export const compareNames = (a: string, b: string): number =>
  a.localeCompare(b, "en", { numeric: true }) || (a < b ? -1 : a > b ? 1 : 0);
