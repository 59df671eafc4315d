// What a server has against what it should have: the changes between them, and whole zones in the words of Bindcar. Pure.
import {
  type CreateZone,
  maxChanges,
  type RecordType,
  type RRset,
  type RRsetChange,
  recordTypes,
  type ZoneRecord,
} from "../bindcar/contract.ts";
import { recordValueOf } from "../bindcar/record-value.ts";
import type { Content } from "./compile.ts";

/** What brings `have` to what is wanted. Of the SOA the serial does not count, nor what BIND makes itself when it signs. */
export function changesTo(want: Content, have: readonly RRset[]): readonly RRsetChange[] {
  const there = new Map(have.map((it) => [keyOf(it), canonical(it)]));
  const wanted = [soaOf(want, 0), ...want.rrsets.map(asChange)];
  const known = new Set(wanted.map(keyOf));
  const gone = [...there.values()].filter(
    (it): it is RRset & Pick<RRsetChange, "type"> => isOurs(it) && !known.has(keyOf(it)),
  );
  return [
    ...gone.map(({ name, type, ttl }) => ({ name, type, ttl, values: [] })),
    ...wanted.filter((it) => !isSame(it, there.get(keyOf(it)))),
  ];
}

/** As many as one transaction takes. */
export function inSteps(changes: readonly RRsetChange[]): readonly (readonly RRsetChange[])[] {
  const steps: (readonly RRsetChange[])[] = [];
  for (let at = 0; at < changes.length; at += maxChanges) steps.push(changes.slice(at, at + maxChanges));
  return steps;
}

/** The SOA says its serial too, and it is the same as that of the transaction. */
export const withSerial = (changes: readonly RRsetChange[], serial: number): readonly RRsetChange[] =>
  changes.map((it) => (it.type === "SOA" ? { ...it, values: it.values.map((value) => soaWith(value, serial)) } : it));

function soaWith(value: string, serial: number): string {
  const words = value.split(" ");
  words[2] = String(serial);
  return words.join(" ");
}

export const keyOf = ({ name, type }: Pick<RRset, "name" | "type">): string => `${name.toLowerCase()} ${type}`;

function soaOf({ zone, ttl, soa }: Content, serial: number): RRsetChange {
  const { primaryNs, adminEmail, refresh, retry, expire, negativeTtl } = soa;
  const value = `${primaryNs} ${adminEmail} ${serial} ${refresh} ${retry} ${expire} ${negativeTtl}`;
  return { name: `${zone}.`, type: "SOA", ttl, values: [value] };
}

// The compiler makes RRsets of our own types only.
const asChange = ({ name, type, ttl, values }: RRset): RRsetChange => ({ name, type: type as RecordType, ttl, values });

/** What others put there of types that nobody can ask us for is not ours to take away. */
const isOurs = ({ type }: RRset): boolean => recordTypes.some((it) => it === type);

function canonical({ name, type, ttl, values }: RRset): RRset {
  const known = type === "SOA" ? type : recordTypes.find((it) => it === type);
  const read = (value: string) => (known === undefined ? value : (recordValueOf(known, value) ?? value));
  return { name: name.toLowerCase(), type, ttl, values: values.map(read).sort() };
}

function isSame(want: RRsetChange, have: RRset | undefined): boolean {
  if (have === undefined || have.ttl !== want.ttl || have.values.length !== want.values.length) return false;
  const read = (value: string) => (want.type === "SOA" ? soaWith(value, 0) : value);
  return want.values.every((value, i) => read(value) === read(have.values[i] ?? ""));
}

/** Who may have the zone, and whom a server tells of news. */
export interface Transfers {
  /** `ip:port` of the secondaries. */
  readonly alsoNotify: readonly string[];
  readonly allowTransfer: readonly string[];
}

export interface PrimaryOptions extends Transfers {
  readonly serial: number;
  readonly keyName: string;
  readonly dnssecPolicy?: string;
}

/** The whole zone at once: a server never has it without its records. */
export function primaryZone(content: Content, options: PrimaryOptions): CreateZone {
  const { serial, keyName, alsoNotify, allowTransfer, dnssecPolicy } = options;
  return {
    zoneName: content.zone,
    zoneType: "primary",
    zoneConfig: {
      ttl: content.ttl,
      soa: { ...content.soa, serial },
      nameServers: [],
      nameServerIps: {},
      records: content.rrsets.flatMap((rrset) => recordsOf(rrset, content.zone)),
      alsoNotify,
      allowTransfer,
      ...(dnssecPolicy !== undefined && { dnssecPolicy, inlineSigning: true }),
    },
    updateKeyName: keyName,
  };
}

export function secondaryZone(zone: string, primaries: readonly string[]): CreateZone {
  const soa = { primaryNs: `${zone}.`, adminEmail: `hostmaster.${zone}.` };
  // Of a zone that is transferred neither the SOA nor the TTL counts, and upstream's Bindcar wants both.
  const zoneConfig = { ttl: 3600, soa, nameServers: [], nameServerIps: {}, primaries };
  return { zoneName: zone, zoneType: "secondary", zoneConfig };
}

function recordsOf({ name, type, ttl, values }: RRset, zone: string): readonly ZoneRecord[] {
  const owner = name === `${zone}.` ? "@" : name.slice(0, -zone.length - 2);
  return values.map((value) => {
    const record = { name: owner, type: type as RecordType, ttl };
    if (type !== "MX" && type !== "SRV") return { ...record, value };
    const space = value.indexOf(" ");
    return { ...record, value: value.slice(space + 1), priority: Number(value.slice(0, space)) };
  });
}
