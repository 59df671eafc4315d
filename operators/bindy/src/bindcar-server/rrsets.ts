// A transaction on a zone: what to send, and whether it came about. Pure. BIND says NOERROR also to what it ignored, and
// ignores more than one thing, so that every transaction is read back.
import type { RRset } from "../bindcar/contract.ts";
import { isWithin } from "../bindcar/dns-name.ts";
import type { Content, Edit } from "./nameserver.ts";
import type { CheckedChange } from "./record-body.ts";

/** One message: for each RRset what is there goes and what is wanted comes; the SOA with its serial is last. */
export function editsOf(
  before: Content,
  changes: readonly CheckedChange[],
  serial: number,
  zone: string,
): readonly Edit[] {
  const others = changes.filter(({ type }) => type !== "SOA");
  const edits = others.flatMap((change) =>
    isApexServers(change, zone) ? apexServers(before, change) : replaced(change),
  );
  const soa = soaAfter(before, changes, serial, zone);
  const bump: readonly Edit[] = soa === undefined ? [] : [{ do: "add", name: `${zone}.`, type: "SOA", ...soa }];
  return [...edits, ...bump];
}

const isApexServers = ({ name, type }: { readonly name: string; readonly type: string }, zone: string): boolean =>
  type === "NS" && name === `${zone}.`;

function replaced({ name, type, ttl, values }: CheckedChange): readonly Edit[] {
  return [{ do: "delete", name, type }, ...values.map((value): Edit => ({ do: "add", name, type, ttl, value }))];
}

/** BIND ignores it when all servers of a zone are deleted at once: the new ones come first, then the old ones go one by one. */
function apexServers(before: Content, { name, type, ttl, values }: CheckedChange): readonly Edit[] {
  const old = rrsetIn(before, name, type)?.values ?? [];
  const add = values.map((value): Edit => ({ do: "add", name, type, ttl, value }));
  const gone = old.filter((value) => !values.includes(value));
  return [...add, ...gone.map((value): Edit => ({ do: "delete", name, type, value }))];
}

/** The SOA as it should be: as asked for, or as it is, with the serial that was asked for. */
function soaAfter(
  before: Content,
  changes: readonly CheckedChange[],
  serial: number,
  zone: string,
): { readonly ttl: number; readonly value: string } | undefined {
  const asked = changes.find(({ type }) => type === "SOA");
  const there = rrsetIn(before, `${zone}.`, "SOA");
  const value = asked?.values[0] ?? there?.values[0];
  if (value === undefined) return undefined;
  return { ttl: asked?.ttl ?? there?.ttl ?? 3600, value: withSerial(value, serial) };
}

function withSerial(soa: string, serial: number): string {
  const words = soa.split(" ");
  words[2] = String(serial);
  return words.join(" ");
}

/** What did not come about, by name and type. */
export function missedBy(after: Content, changes: readonly CheckedChange[], zone: string): readonly string[] {
  return changes.filter((change) => !isThere(after, change, zone)).map(({ name, type }) => `${name} ${type}`);
}

function isThere(after: Content, { name, type, ttl, values }: CheckedChange, zone: string): boolean {
  const there = rrsetIn(after, name, type);
  if (values.length === 0) return there === undefined;
  if (there?.ttl !== ttl) return false;
  const same = type === "SOA" ? (value: string) => withSerial(value, 0) : (value: string) => value;
  const [have, want] = [there.values, values].map((list) => list.map(same).sort().join("\n"));
  return have === want && (type !== "SOA" || name === `${zone}.`);
}

/** A server or mail host of the zone that would have no address: BIND refuses the message for it, and does not say why. */
export function lacksAddress(before: Content, edits: readonly Edit[], zone: string): boolean {
  const after = applied(before.rrsets, edits);
  const hasAddress = (name: string) => ["A", "AAAA"].some((type) => after.has(`${name} ${type}`));
  return edits.some((edit) => {
    if (edit.do !== "add" || (edit.type !== "NS" && edit.type !== "MX")) return false;
    const target = edit.value.split(" ").at(-1) ?? "";
    return isWithin(target, zone) && !hasAddress(target);
  });
}

function applied(rrsets: readonly RRset[], edits: readonly Edit[]): ReadonlyMap<string, ReadonlySet<string>> {
  const values = new Map(rrsets.map(({ name, type, values }) => [`${name} ${type}`, new Set(values)]));
  for (const edit of edits) {
    const key = `${edit.name} ${edit.type}`;
    const there = values.get(key) ?? new Set<string>();
    if (edit.do === "add") there.add(edit.value);
    else if (edit.value === undefined) there.clear();
    else there.delete(edit.value);
    if (there.size === 0) values.delete(key);
    else values.set(key, there);
  }
  return values;
}

const rrsetIn = ({ rrsets }: Content, name: string, type: string): RRset | undefined =>
  rrsets.find((it) => it.name === name && it.type === type);
