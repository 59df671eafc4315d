// What is to be served, piece by piece: what a zone says itself (its servers and their addresses), and what its records say. Pure.
import { type Instant, instant, parseTime } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { addressOf } from "../bindcar/address.ts";
import { hostOf, isWithin, ownerOf } from "../bindcar/dns-name.ts";
import type { DNSRecord, DNSZoneSpec, RecordType } from "../kinds/index.ts";
import { dataOf, type Refusal } from "../record/data.ts";
import { ownerProblem } from "../validate/index.ts";

export interface Entry {
  /** Absolute, in lower case. */
  readonly name: string;
  readonly type: RecordType;
  readonly ttl: number;
  readonly values: readonly string[];
  readonly by: Author;
}

/** Who asks for it. */
export type Author =
  | { readonly is: "zone"; readonly field: string }
  | { readonly is: "record"; readonly record: DNSRecord };

/** Of the targets' Services, primaries first; a target without an address keeps its place. */
export type ServerAddresses = readonly (string | undefined)[];

/** The servers of the zone, and the addresses of those inside of it. */
export function zoneEntries(
  spec: DNSZoneSpec,
  zone: string,
  ttl: number,
  addresses: ServerAddresses,
): readonly Entry[] | Refusal {
  const found: Entry[] = [];
  for (const { hostname, field, glue } of serversOf(spec, zone, addresses)) {
    const name = hostOf(hostname);
    if (name === undefined) return { field, why: text`is not a name of a host that ends with a dot` };
    const by = { is: "zone", field } as const;
    found.push({ name: `${zone}.`, type: "NS", ttl, values: [name], by });
    for (const { at, given, family } of glue) {
      const address = addressOf(given);
      if (address?.family !== family) return { field: at, why: text`is not an IPv${family} address` };
      // Of a server elsewhere nobody asks us.
      if (!isWithin(name, zone)) continue;
      found.push({ name, type: family === 4 ? "A" : "AAAA", ttl, values: [address.text], by });
    }
  }
  return found;
}

interface Server {
  readonly hostname: string;
  readonly field: string;
  readonly glue: readonly { readonly at: string; readonly given: string; readonly family: 4 | 6 }[];
}

function* serversOf(spec: DNSZoneSpec, zone: string, addresses: ServerAddresses): Iterable<Server> {
  yield { hostname: spec.soaRecord.primaryNs, field: "spec.soaRecord.primaryNs", glue: [] };
  const { nameServers = [], nameServerIps = {} } = spec;
  for (const [i, { hostname, ipv4Address, ipv6Address }] of nameServers.entries()) {
    const field = `spec.nameServers[${i}]`;
    const four =
      ipv4Address === undefined ? [] : [{ at: `${field}.ipv4Address`, given: ipv4Address, family: 4 as const }];
    const six =
      ipv6Address === undefined ? [] : [{ at: `${field}.ipv6Address`, given: ipv6Address, family: 6 as const }];
    yield { hostname, field: `${field}.hostname`, glue: [...four, ...six] };
  }
  if (nameServers.length > 0) return;
  const older = Object.entries(nameServerIps).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, given] of older) {
    const hostname = key.endsWith(".") ? key : `${key}.`;
    yield { hostname, field: "spec.nameServerIps", glue: [{ at: "spec.nameServerIps", given, family: 4 }] };
  }
  if (older.length > 0) return;
  for (const [i, given] of addresses.entries()) {
    const family = given === undefined ? undefined : addressOf(given)?.family;
    if (given === undefined || family === undefined) continue; // it has none yet, or only a name
    yield {
      hostname: `ns${i + 1}.${zone}.`,
      field: "spec.nameServers",
      glue: [{ at: "spec.nameServers", given, family }],
    };
  }
}

export interface Refused {
  readonly record: DNSRecord;
  readonly field: string;
  readonly why: SafeText;
}

/** What records ask for, and those that ask for what cannot be. */
export function recordEntries(
  records: readonly DNSRecord[],
  zone: string,
  ttl: number,
): { readonly entries: readonly Entry[]; readonly refused: readonly Refused[] } {
  const entries: Entry[] = [];
  const refused: Refused[] = [];
  for (const record of records) {
    const read = dataOf(record);
    if (read.is === "refused") {
      refused.push({ record, field: read.field, why: read.why });
      continue;
    }
    const { type, name, values, ttl: its = ttl } = read.data;
    const problem = ownerProblem(name, zone);
    if (problem !== undefined) refused.push({ record, field: problem.path, why: problem.problem });
    else entries.push({ name: ownerOf(name, zone) ?? "", type, ttl: its, values, by: { is: "record", record } });
  }
  return { entries, refused };
}

/** The oldest first. What the zone says itself is older than any record; equal ages are told apart by name. */
export function byAge(a: Entry, b: Entry): number {
  return sinceOf(a) - sinceOf(b) || (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0);
}

const sinceOf = ({ by }: Entry): Instant =>
  by.is === "zone" ? instant(0) : (parseTime(by.record.metadata.creationTimestamp) ?? instant(0));

const nameOf = ({ by }: Entry): string =>
  by.is === "zone" ? "" : `${by.record.kind}/${by.record.metadata.namespace ?? ""}/${by.record.metadata.name ?? ""}`;
