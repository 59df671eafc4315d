// A zone in memory, with what BIND does and does not do to it. Pure but for the zone itself.
import type { Endpoint } from "../bindcar/address.ts";
import type { RRset } from "../bindcar/contract.ts";
import { isWithin } from "../bindcar/dns-name.ts";
import type { Edit } from "../bindcar-server/nameserver.ts";

export interface SimulatedZone {
  readonly name: string;
  readonly type: "primary" | "secondary";
  /** By name and type. */
  rrsets: ReadonlyMap<string, RRset>;
  frozen: boolean;
  alsoNotify: readonly Endpoint[];
  allowTransfer: readonly string[];
  primaries: readonly Endpoint[];
  updatable: boolean;
  /** Somebody said so: until somebody takes it back. */
  pinnedSerial?: number;
}

export type Contents = ReadonlyMap<string, RRset>;

const keyOf = ({ name, type }: { readonly name: string; readonly type: string }): string => `${name} ${type}`;

export const byKey = (rrsets: readonly RRset[]): Contents => new Map(rrsets.map((it) => [keyOf(it), it]));

/** In the order in which BIND hands a zone out: the SOA first, then by name and type. */
export function ordered(rrsets: Contents): readonly RRset[] {
  const rank = ({ name, type }: RRset) => `${type === "SOA" ? 0 : 1} ${name.split(".").reverse().join(".")} ${type}`;
  return [...rrsets.values()]
    .map((it) => [rank(it), it] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, it]) => it);
}

export function serialOf({ name, rrsets, pinnedSerial }: SimulatedZone): number | undefined {
  const soa = rrsets.get(`${name}. SOA`)?.values[0];
  return soa === undefined ? undefined : (pinnedSerial ?? Number(soa.split(" ")[2]));
}

/** Whether named would not load a zone like this. */
export function isUnloadable(name: string, rrsets: Contents): boolean {
  const apex = `${name}.`;
  const servers = rrsets.get(`${apex} NS`)?.values ?? [];
  return (
    !rrsets.has(`${apex} SOA`) ||
    servers.length === 0 ||
    servers.some((server) => isWithin(server, name) && !hasAddress(rrsets, server)) ||
    [...rrsets.values()].some((it) => clashes(rrsets, it) || !isWithin(it.name, name))
  );
}

const hasAddress = (rrsets: Contents, name: string): boolean =>
  ["A", "AAAA"].some((type) => rrsets.has(`${name} ${type}`));

/** A CNAME beside anything else. */
function clashes(rrsets: Contents, { name, type, values }: RRset): boolean {
  if (type !== "CNAME") return false;
  return values.length > 1 || [...rrsets.values()].some((it) => it.name === name && it.type !== "CNAME");
}

/** What is left of a zone after a message, or undefined where the message is refused. */
export function edited(zone: SimulatedZone, edits: readonly Edit[]): Contents | undefined {
  const { name, rrsets } = zone;
  let next = rrsets;
  for (const edit of edits) next = edit.do === "add" ? added(next, edit, name) : deleted(next, edit, name);
  if (isInsane(next, edits, name)) return undefined;
  if (isSame(rrsets, next)) return rrsets;
  const [before, after] = [rrsets, next].map((it) => soaSerial(it, name));
  return before === after ? withSerial(next, name, following(before ?? 0)) : next;
}

function added(rrsets: Contents, edit: Extract<Edit, { do: "add" }>, zone: string): Contents {
  const { name, type, ttl, value } = edit;
  const there = rrsets.get(keyOf(edit));
  const others = [...rrsets.values()].filter((it) => it.name === name);
  // BIND says NOERROR, and ignores it.
  if (type === "CNAME" ? others.some((it) => it.type !== "CNAME") : others.some((it) => it.type === "CNAME"))
    return rrsets;
  if (type === "SOA") {
    const raises = isGreater(Number(value.split(" ")[2]), soaSerial(rrsets, zone) ?? 0);
    return name === `${zone}.` && raises ? put(rrsets, { name, type, ttl, values: [value] }) : rrsets;
  }
  const old = type === "CNAME" ? [] : (there?.values ?? []).filter((it) => it !== value);
  return put(rrsets, { name, type, ttl, values: [...old, value] });
}

function deleted(rrsets: Contents, edit: Extract<Edit, { do: "delete" }>, zone: string): Contents {
  const there = rrsets.get(keyOf(edit));
  const isApex = edit.name === `${zone}.`;
  if (there === undefined || (isApex && edit.type === "SOA")) return rrsets;
  if (isApex && edit.type === "NS" && (edit.value === undefined || there.values.length === 1)) return rrsets;
  const values = edit.value === undefined ? [] : there.values.filter((it) => it !== edit.value);
  if (values.length > 0) return put(rrsets, { ...there, values });
  const next = new Map(rrsets);
  next.delete(keyOf(edit));
  return next;
}

/** The checks after which BIND refuses a message: servers of the zone, and mail servers, that have no address in it. */
function isInsane(rrsets: Contents, edits: readonly Edit[], zone: string): boolean {
  const lacks = (target: string) => isWithin(target, zone) && !hasAddress(rrsets, target);
  const servers = rrsets.get(`${zone}. NS`)?.values ?? [];
  return (
    servers.some(lacks) ||
    edits.some((edit) => edit.do === "add" && edit.type === "MX" && lacks(edit.value.split(" ").at(-1) ?? ""))
  );
}

const put = (rrsets: Contents, rrset: RRset): Contents => new Map([...rrsets, [keyOf(rrset), rrset]]);

function isSame(a: Contents, b: Contents): boolean {
  const text = (rrsets: Contents) =>
    [...rrsets].map(([key, { ttl, values }]) => `${key} ${ttl} ${[...values].sort().join("\n")}`).sort();
  return a === b || text(a).join("\n\n") === text(b).join("\n\n");
}

const soaSerial = (rrsets: Contents, zone: string): number | undefined => {
  const soa = rrsets.get(`${zone}. SOA`)?.values[0];
  return soa === undefined ? undefined : Number(soa.split(" ")[2]);
};

function withSerial(rrsets: Contents, zone: string, serial: number): Contents {
  const soa = rrsets.get(`${zone}. SOA`);
  const words = soa?.values[0]?.split(" ");
  if (soa === undefined || words === undefined) return rrsets;
  words[2] = String(serial);
  return put(rrsets, { ...soa, values: [words.join(" ")] });
}

/** Serials go round: what is ahead by less than half of the way is greater (RFC 1982). */
export function isGreater(a: number, b: number): boolean {
  const ahead = (a - b + 2 ** 32) % 2 ** 32;
  return ahead > 0 && ahead < 2 ** 31;
}

const following = (serial: number): number => (serial >= 2 ** 32 - 1 ? 1 : serial + 1);
