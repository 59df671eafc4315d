// Bodies about whole zones, checked field by field (12.2) and turned into what a nameserver gets. Nothing of a text is kept that
// was not written anew.

import type { Instant } from "@telltale/kinds";
import { addressOf, type Endpoint, endpointOf } from "../bindcar/address.ts";
import type { RRset } from "../bindcar/contract.ts";
import { hostOf, isWithin, keyNameOf, policyOf, targetOf, zoneNameOf } from "../bindcar/dns-name.ts";
import { recordValueOf } from "../bindcar/record-value.ts";
import type { Modification, NewZone, Permitted } from "./nameserver.ts";
import { recordOf, recordShape, ttlOf } from "./record-body.ts";
import { bad } from "./refused.ts";
import { fields, flag, list, maybe, table, text, whole } from "./shape.ts";

const soa = fields({
  primaryNs: text,
  adminEmail: text,
  serial: maybe(whole),
  refresh: maybe(whole),
  retry: maybe(whole),
  expire: maybe(whole),
  negativeTtl: maybe(whole),
});

const createShape = fields({
  zoneName: text,
  zoneType: text,
  zoneConfig: fields({
    ttl: maybe(whole),
    soa: maybe(soa),
    nameServers: list(text),
    nameServerIps: table(text),
    records: maybe(list(recordShape)),
    alsoNotify: maybe(list(text)),
    allowTransfer: maybe(list(text)),
    primaries: maybe(list(text)),
    dnssecPolicy: maybe(text),
    inlineSigning: maybe(flag),
  }),
  updateKeyName: maybe(text),
});

type Create = ReturnType<typeof createShape>;

export function newZoneOf(body: unknown, now: Instant): NewZone {
  const create = createShape(body, "");
  const zone = zoneOf(create.zoneName);
  const { zoneConfig, updateKeyName } = create;
  const alsoNotify = endpoints(zoneConfig.alsoNotify ?? [], "zoneConfig.alsoNotify");
  const allowTransfer = addresses(zoneConfig.allowTransfer ?? [], "zoneConfig.allowTransfer");
  const key = updateKeyName === undefined ? undefined : need(keyNameOf(updateKeyName), "updateKeyName", "a key name");
  const policy = zoneConfig.dnssecPolicy;
  const dnssecPolicy =
    policy === undefined ? undefined : need(policyOf(policy), "zoneConfig.dnssecPolicy", "a policy name");
  const primaries = endpoints(zoneConfig.primaries ?? [], "zoneConfig.primaries");
  const rrsets = rrsetsOf(create, zone, now);
  switch (create.zoneType) {
    case "primary":
      return {
        type: "primary",
        zone,
        rrsets,
        alsoNotify,
        allowTransfer,
        ...(key !== undefined && { updateKey: key }),
        ...(dnssecPolicy !== undefined && { dnssecPolicy }),
        inlineSigning: zoneConfig.inlineSigning ?? false,
      };
    case "secondary":
      if (primaries.length === 0) throw bad("zoneConfig.primaries must name a server for a secondary zone");
      if (key !== undefined) throw bad("updateKeyName must be left out for a secondary zone");
      return { type: "secondary", zone, primaries, alsoNotify, allowTransfer };
    default:
      throw bad("zoneType has to be primary or secondary");
  }
}

export function zoneOf(name: string): string {
  return need(zoneNameOf(name), "zoneName", "a zone name");
}

/** What a primary begins with. A secondary's is checked like it and not used. */
function rrsetsOf({ zoneConfig, zoneType }: Create, zone: string, now: Instant): readonly RRset[] {
  const ttl = ttlOf(zoneConfig.ttl ?? 3600, "zoneConfig.ttl");
  const apex = `${zone}.`;
  const found = new Map<string, { name: string; type: string; ttl: number; values: string[] }>();
  const add = (name: string, type: string, value: string, its: number) => {
    const key = `${name} ${type}`;
    const there = found.get(key);
    if (there === undefined) found.set(key, { name, type, ttl: its, values: [value] });
    else {
      there.ttl = Math.min(there.ttl, its);
      if (!there.values.includes(value)) there.values.push(value);
    }
  };
  if (zoneConfig.soa !== undefined) add(apex, "SOA", soaOf(zoneConfig.soa, zone, now), ttl);
  else if (zoneType === "primary") throw bad("zoneConfig.soa must be there for a primary zone");
  for (const server of zoneConfig.nameServers) add(apex, "NS", hostIn(server, zone, "zoneConfig.nameServers"), ttl);
  for (const [server, ip] of zoneConfig.nameServerIps) {
    const name = hostIn(server, zone, "zoneConfig.nameServerIps");
    const address = need(addressOf(ip), "zoneConfig.nameServerIps", "addresses by name");
    // Of a server elsewhere we are not asked: BIND ignores what is out of the zone.
    if (isWithin(name, zone)) add(name, address.family === 4 ? "A" : "AAAA", address.text, ttl);
  }
  for (const record of zoneConfig.records ?? []) {
    const { name, type, value, ttl: its } = recordOf(record, zone, ttl);
    add(name, type, value, its);
  }
  return [...found.values()];
}

function soaOf(it: ReturnType<typeof soa>, zone: string, now: Instant): string {
  const server = hostIn(it.primaryNs, zone, "zoneConfig.soa.primaryNs");
  const mailbox = need(targetIn(it.adminEmail, zone), "zoneConfig.soa.adminEmail", "a mailbox with a dot for its @");
  const { serial = serialOf(now), refresh = 3600, retry = 600, expire = 604_800, negativeTtl = 86_400 } = it;
  const value = `${server} ${mailbox} ${serial} ${refresh} ${retry} ${expire} ${negativeTtl}`;
  return need(recordValueOf("SOA", value), "zoneConfig.soa", "numbers that fit");
}

/** `YYYYMMDD01` of today. */
function serialOf(now: Instant): number {
  return Number(`${new Date(now).toISOString().slice(0, 10).replaceAll("-", "")}01`);
}

const targetIn = (name: string, zone: string): string | undefined =>
  targetOf(name.endsWith(".") ? name : `${name}.${zone}.`);

function hostIn(name: string, zone: string, at: string): string {
  return need(hostOf(name.endsWith(".") ? name : `${name}.${zone}.`), at, "names of hosts");
}

const modifyShape = fields({
  alsoNotify: maybe(list(text)),
  allowTransfer: maybe(list(text)),
  allowUpdate: maybe(list(text)),
  primaries: maybe(list(text)),
});

export function modificationOf(body: unknown): Modification {
  const { alsoNotify, allowTransfer, allowUpdate, primaries } = modifyShape(body, "");
  if ([alsoNotify, allowTransfer, allowUpdate, primaries].every((it) => it === undefined))
    throw bad("one of alsoNotify, allowTransfer, allowUpdate and primaries must be there");
  if (primaries?.length === 0) throw bad("primaries must name a server");
  return {
    ...(alsoNotify !== undefined && { alsoNotify: endpoints(alsoNotify, "alsoNotify") }),
    ...(allowTransfer !== undefined && { allowTransfer: addresses(allowTransfer, "allowTransfer") }),
    ...(allowUpdate !== undefined && { allowUpdate: allowUpdate.map(permittedOf) }),
    ...(primaries !== undefined && { primaries: endpoints(primaries, "primaries") }),
  };
}

function permittedOf(entry: string): Permitted {
  const key = entry.startsWith("key ") ? keyNameOf(entry.slice(4)) : undefined;
  if (key !== undefined) return { key };
  return { address: need(addressOf(entry), "allowUpdate", "addresses, or key and a name").text };
}

const most = 256;

function endpoints(given: readonly string[], at: string): readonly Endpoint[] {
  if (given.length > most) throw bad(`${at} has more than ${most} entries`);
  return given.map((it) => need(endpointOf(it), at, "addresses, with or without a port"));
}

function addresses(given: readonly string[], at: string): readonly string[] {
  if (given.length > most) throw bad(`${at} has more than ${most} entries`);
  return given.map((it) => need(addressOf(it), at, "addresses").text);
}

/** The refusal names the field and not what was in it: that may be anything. */
function need<T>(value: T | undefined, at: string, what: string): T {
  if (value === undefined) throw bad(`${at} has to be ${what}`);
  return value;
}
