// From a zone and its records to what a server is to serve: one RRset for each name and type, merged, checked, and in an order
// that depends on nothing but the content (8.5). Pure. A record that is turned away is told why; the others are served.
import { type SafeText, text } from "@telltale/status";
import type { RRset, Soa } from "../bindcar/contract.ts";
import { isWithin } from "../bindcar/dns-name.ts";
import type { DNSRecord, DNSZoneSpec, RecordType } from "../kinds/index.ts";
import { recordSays } from "../messages.ts";
import { type Refusal, recordHash } from "../record/data.ts";
import { type Author, byAge, type Entry, recordEntries, type ServerAddresses, zoneEntries } from "./entries.ts";

export interface Sources {
  readonly zone: { readonly namespace: string; readonly name: string };
  readonly spec: DNSZoneSpec;
  readonly addresses: ServerAddresses;
  readonly records: readonly DNSRecord[];
}

export type Compiled = ({ readonly is: "zone" } & Content) | ({ readonly is: "refused" } & Refusal); // no server would load it

/** What every server of the zone is to have. */
export interface Content {
  /** In lower case, without the last dot. */
  readonly zone: string;
  readonly ttl: number;
  readonly soa: ZoneSoa;
  /** By name and type, without the SOA. */
  readonly rrsets: readonly RRset[];
  /** By the record's uid. */
  readonly placed: ReadonlyMap<string, Placed>;
  readonly rejected: ReadonlyMap<string, Rejection>;
}

export type ZoneSoa = Required<Omit<Soa, "serial">>;

/** A record that is part of the zone. */
export interface Placed {
  /** Of its spec. */
  readonly hash: string;
  /** As the object says it: `@`, `www`. */
  readonly name: string;
  readonly rrset: { readonly name: string; readonly type: RecordType };
}

export interface Rejection {
  readonly reason: "RecordConflict" | "InvalidRecordData";
  readonly message: SafeText;
}

/** As everybody but its own object calls it: names are the same in either case. */
export const zoneNameOf = ({ zoneName }: { readonly zoneName?: unknown }): string =>
  typeof zoneName === "string" ? zoneName.toLowerCase() : "";

export function compile({ zone: object, spec, addresses, records }: Sources): Compiled {
  const zone = zoneNameOf(spec);
  const ttl = spec.ttl ?? 3600;
  const own = zoneEntries(spec, zone, ttl, addresses);
  if ("why" in own) return { is: "refused", ...own };
  const rejected = new Map<string, Rejection>();
  const reject = ({ by }: Pick<Entry, "by">, rejection: Rejection) => {
    if (by.is === "record") rejected.set(uidOf(by.record), rejection);
  };
  const given = recordEntries(records, zone, ttl);
  for (const { record, field, why } of given.refused) reject({ by: { is: "record", record } }, invalid(field, why));
  const agreed = agreeing([...own, ...given.entries], (entry, winner) => {
    reject(entry, conflict(entry, authorOf(winner, object)));
  });
  const homeless = lost(agreed, zone);
  const refused = homeless.find(({ by }) => by.is === "zone");
  if (refused?.by.is === "zone") return { is: "refused", field: refused.by.field, why: hasNoAddress(refused) };
  for (const entry of homeless) reject(entry, invalid(fieldOf[entry.type] ?? "spec", hasNoAddress(entry)));
  const served = agreed.filter((entry) => !homeless.includes(entry));
  return { is: "zone", zone, ttl, soa: soaOf(spec), rrsets: merged(served), placed: placedIn(served), rejected };
}

const uidOf = ({ metadata }: DNSRecord): string => metadata.uid ?? "";

const invalid = (field: string, why: SafeText): Rejection => ({
  reason: "InvalidRecordData",
  message: recordSays.invalid(field, why),
});

const conflict = ({ type, name }: Entry, other: Named): Rejection => ({
  reason: "RecordConflict",
  message: recordSays.conflict(type, name, other),
});

interface Named {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

function authorOf({ by }: { readonly by: Author }, zone: Sources["zone"]): Named {
  if (by.is === "zone") return { kind: "DNSZone", ...zone };
  const { namespace = "", name = "" } = by.record.metadata;
  return { kind: by.record.kind, namespace, name };
}

/**
 * Where a name is an alias it is nothing else: the oldest wins. A server cannot be left to decide that: BIND says that all is
 * well and drops one of them.
 */
function agreeing(entries: readonly Entry[], reject: (entry: Entry, winner: Entry) => void): readonly Entry[] {
  const groups = Map.groupBy(entries, ({ name }) => name);
  return [...groups.values()].flatMap((group) => {
    if (!group.some(({ type }) => type === "CNAME")) return group;
    const [winner, ...others] = group.toSorted(byAge);
    if (winner === undefined) return [];
    const fits = (it: Entry) =>
      winner.type === "CNAME" ? it.type === "CNAME" && it.values[0] === winner.values[0] : it.type !== "CNAME";
    for (const it of others) if (!fits(it)) reject(it, winner);
    return [winner, ...others.filter(fits)];
  });
}

/** Servers and mail hosts in the zone without an address: BIND does not load such a zone, and refuses such an update. */
function lost(entries: readonly Entry[], zone: string): readonly Entry[] {
  const hosts = new Set(entries.filter(({ type }) => type === "A" || type === "AAAA").map(({ name }) => name));
  return entries.filter((entry) => {
    return fieldOf[entry.type] !== undefined && isWithin(targetOf(entry), zone) && !hosts.has(targetOf(entry));
  });
}

/** Where a record names a host that must have an address. */
const fieldOf: Partial<Readonly<Record<RecordType, string>>> = { NS: "nameserver", MX: "mailServer" };

const targetOf = ({ values }: Entry): string => values[0]?.split(" ").at(-1) ?? "";

const hasNoAddress = (entry: Entry): SafeText => text`${targetOf(entry)} is in the zone and has no address`;

/** The least TTL counts for all: a server has one for each RRset. */
function merged(entries: readonly Entry[]): readonly RRset[] {
  const groups = Map.groupBy(entries, ({ name, type }) => `${name} ${type}`);
  const rrsets = [...groups.values()].map((group) => ({
    name: group[0]?.name ?? "",
    type: group[0]?.type ?? "",
    ttl: Math.min(...group.map(({ ttl }) => ttl)),
    values: [...new Set(group.flatMap(({ values }) => values))].sort(),
  }));
  return rrsets.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ name, type }: Pick<RRset, "name" | "type">): string => `${name} ${type}`;

function placedIn(entries: readonly Entry[]): ReadonlyMap<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const { by, name, type } of entries) {
    if (by.is === "zone") continue;
    placed.set(uidOf(by.record), { hash: recordHash(by.record), name: by.record.spec.name, rrset: { name, type } });
  }
  return placed;
}

function soaOf({ soaRecord }: DNSZoneSpec): ZoneSoa {
  const { primaryNs, adminEmail, refresh, retry, expire, negativeTtl } = soaRecord;
  return {
    primaryNs: primaryNs.toLowerCase(),
    adminEmail: adminEmail.toLowerCase(),
    refresh,
    retry,
    expire,
    negativeTtl,
  };
}
