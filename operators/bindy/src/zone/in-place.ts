// Brings a zone to what is wanted where Bindcar can neither list nor change RRsets: by dynamic updates at the DNS port (RFC 2136).
// One message is one transaction. Nothing can be listed there either: prerequisites tell whether the server has exactly what is
// wanted, and nothing of what was there before. What cannot be told from what is wanted is written again, which changes nothing
// where it is the same.
import type { CallOptions } from "../bindcar/client.ts";
import { type RecordType, type RRset, type RRsetChange, recordTypes } from "../bindcar/contract.ts";
import { isWithin } from "../bindcar/dns-name.ts";
import { type Apex, maxMessage, type UpdateServer, type Updates } from "../dns-update/client.ts";
import type { Change, Prerequisite } from "../dns-update/message.ts";
import type { UpdateOutcome } from "../dns-update/outcome.ts";
import type { Content } from "./compile.ts";
import { changesTo, keyOf, withSerial } from "./difference.ts";
import type { Left } from "./memory.ts";

export type Owner = Pick<RRset, "name" | "type">;

export interface Place {
  readonly updates: Updates;
  readonly server: UpdateServer;
  readonly call: CallOptions;
}

export interface LookTask {
  readonly content: Content;
  /** What Bindcar says: of a signed zone the SOA that is served has another one. */
  readonly serial: number;
  readonly isSigned: boolean;
  /** What may be there from before. */
  readonly before: readonly Owner[];
  readonly left: Left | undefined;
  /** `all`: which of them differ is not asked one by one. */
  readonly detail: "all" | "each";
}

export interface Looked {
  readonly serial: number;
  /** As it is served, for who wants to be sure that nothing has changed since. Absent: it cannot be asked, or is made by BIND. */
  readonly soa?: string;
  /** As far as anything is known: what is wanted and there, the servers of the zone, and the keys that it is signed with. */
  readonly rrsets: readonly RRset[];
  readonly changes: readonly RRsetChange[];
  /** The values of NS that are to go. */
  readonly formerServers: readonly string[];
  /** Of what does not differ the TTLs are known, too. */
  readonly isSure: boolean;
}

/** What differs. */
export async function look(task: LookTask, place: Place): Promise<UpdateOutcome<Looked>> {
  const { content, isSigned } = task;
  const { updates, server, call } = place;
  const asked = await updates.apex(server, content.zone, call);
  if (!asked.ok) return asked;
  const apex = asked.value;
  const served = apex === undefined ? undefined : Number(apex.soa.values[0]?.split(" ")[2]);
  const serial = isSigned ? task.serial : (served ?? task.serial);
  const checks = checksOf(task, apex);
  const unmet = await unmetOf(checks, task, place);
  if (!unmet.ok) return unmet;
  const differing = new Set(unmet.value.map(({ key }) => key));
  const ttls = new Map(task.left?.serial === serial ? task.left.rrsets.map((it) => [keyOf(it), it.ttl]) : []);
  let settled = serial;
  const isSure = content.rrsets.every((it) => differing.has(keyOf(it)) || ttls.has(keyOf(it)));
  const isSettling = !isSure && differing.size === 0;
  if (isSettling) {
    const written = await settleTtls(content, place, isSigned ? undefined : apex?.soa.values[0]);
    if (!written.ok) return written;
    const after = await updates.apex(server, content.zone, call);
    if (!after.ok) return after;
    if (!isSigned) settled = Number(after.value?.soa.values[0]?.split(" ")[2] ?? serial);
  }
  const there = content.rrsets
    .filter((it) => !differing.has(keyOf(it)))
    .map((it) => ({ ...it, ttl: ttls.get(keyOf(it)) ?? it.ttl }));
  const gone = checks.filter(({ key, is }) => is === "absent" && differing.has(key));
  const rrsets = [
    ...(apex === undefined ? [] : [apex.soa, ...apex.rrsets]),
    ...there.filter((it) => apex === undefined || !isServers(it, content.zone)),
  ];
  const old = gone.map(({ owner }) => ({ ...owner, ttl: 0, values: [] }));
  const soa = !isSigned && settled === serial ? apex?.soa.values[0] : undefined;
  const servers = content.rrsets.find((it) => isServers(it, content.zone))?.values ?? [];
  const had = apex?.rrsets.find((it) => isServers(it, content.zone))?.values ?? [];
  return {
    ok: true,
    value: {
      serial: settled,
      ...(soa !== undefined && { soa }),
      rrsets,
      // Of a SOA that cannot be asked for nothing is known: it is taken to be as wanted, and set when anything is written.
      changes: changesTo(content, [...rrsets, ...old]).filter(({ type }) => type !== "SOA" || apex !== undefined),
      formerServers: had.filter((it) => !servers.includes(it)),
      isSure: isSure || isSettling,
    },
  };
}

const isServers = ({ name, type }: Owner, zone: string): boolean => type === "NS" && name === `${zone}.`;

interface Check {
  readonly key: string;
  readonly is: "exactly" | "absent";
  readonly owner: Owner & { readonly type: RecordType };
  readonly prerequisite: Prerequisite;
  readonly size: number;
}

/** What is wanted has to be there, and what was before has not. */
function checksOf({ content, before }: LookTask, apex: Apex | undefined): readonly Check[] {
  const { zone, rrsets } = content;
  const wanted = new Set(rrsets.map(keyOf));
  const servers = apex?.rrsets.find((it) => isServers(it, zone))?.values ?? [];
  // Addresses of servers that the zone has had go with them.
  const glue = servers.filter((name) => isWithin(name, zone)).flatMap((name) => [a(name), aaaa(name)]);
  const old = new Map([...before, ...glue].filter((it) => !wanted.has(keyOf(it))).map((it) => [keyOf(it), it]));
  const exactly = rrsets.filter((it) => apex === undefined || !isServers(it, zone));
  return [
    ...exactly.flatMap((it) => checkOf("exactly", it, it.values)),
    ...[...old.values()].flatMap((it) => checkOf("absent", it, [])),
  ];
}

const a = (name: string): Owner => ({ name, type: "A" });
const aaaa = (name: string): Owner => ({ name, type: "AAAA" });

function checkOf(is: Check["is"], { name, type: of }: Owner, values: readonly string[]): readonly Check[] {
  const rrtype = recordTypes.find((it) => it === of);
  if (rrtype === undefined) return [];
  const prerequisite: Prerequisite = is === "absent" ? { type: is, name, rrtype } : { type: is, name, rrtype, values };
  const size = values.length === 0 ? sizeOf(name, "") : values.reduce((sum, value) => sum + sizeOf(name, value), 0);
  return [{ key: keyOf({ name, type: rrtype }), is, owner: { name, type: rrtype }, prerequisite, size }];
}

/** At most so many bytes of a message. */
const sizeOf = (name: string, value: string): number => name.length + value.length + 24;

/** Room for the header, the SOA twice and the signature. */
const roomInMessage = maxMessage - 2_000;

function parted<T extends { readonly size: number }>(all: readonly T[]): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let room = 0;
  for (const it of all) {
    if (it.size > room || parts.length === 0) {
      parts.push([]);
      room = roomInMessage;
    }
    parts.at(-1)?.push(it);
    room -= it.size;
  }
  return parts;
}

async function unmetOf(
  checks: readonly Check[],
  { content, detail }: LookTask,
  { updates, server, call }: Place,
): Promise<UpdateOutcome<readonly Check[]>> {
  const unmet: Check[] = [];
  const queue = [...parted(checks)];
  let asked = 0;
  for (let part = queue.shift(); part !== undefined; part = queue.shift()) {
    if (part.length === 0) continue;
    const prerequisites = part.map(({ prerequisite }) => prerequisite);
    const met = await updates.send(server, { zone: content.zone, prerequisites, changes: [] }, call);
    if (!met.ok) return met;
    asked += 1;
    if (met.value === "done") continue;
    const half = Math.ceil(part.length / 2);
    if (detail === "all" || part.length === 1 || asked > mostQuestions) unmet.push(...part);
    else queue.push(part.slice(0, half), part.slice(half));
  }
  return { ok: true, value: unmet };
}

/** To find those that differ among many. */
const mostQuestions = 64;

/** Prerequisites say nothing of TTLs. */
async function settleTtls(
  { rrsets, zone }: Content,
  { updates, server, call }: Place,
  soa: string | undefined,
): Promise<UpdateOutcome<void>> {
  const all = rrsets.map((it) => sized(replaced({ ...it, type: it.type as RecordType }, zone, [])));
  for (const [i, part] of parted(all).entries()) {
    const prerequisites = i === 0 ? unchanged(zone, soa) : [];
    const sent = await updates.send(server, { zone, prerequisites, changes: part.flatMap(({ it }) => it) }, call);
    if (!sent.ok) return sent;
    // Somebody has changed it since: the next look tells.
    if (sent.value === "unmet") break;
  }
  return { ok: true, value: undefined };
}

const sized = (it: readonly Change[]) => ({
  it,
  size: it.reduce((sum, change) => sum + sizeOf(change.name, "value" in change ? change.value : ""), 0),
});

const unchanged = (zone: string, soa: string | undefined): readonly Prerequisite[] =>
  soa === undefined ? [] : [{ type: "exactly", name: `${zone}.`, rrtype: "SOA", values: [soa] }];

/** As many as one message takes each. */
export function inMessages({ changes, formerServers }: Looked, zone: string): readonly (readonly RRsetChange[])[] {
  // The addresses of new servers come before them, and those of old ones stay until they are gone: named looks after each message.
  const rank = ({ type, values }: RRsetChange) => (type === "NS" ? 1 : values.length === 0 ? 2 : 0);
  const all = changes.toSorted((one, two) => rank(one) - rank(two));
  const parts = parted(all.map((change) => ({ change, ...sized(replaced(change, zone, formerServers)) })));
  return parts.map((part) => part.map(({ change }) => change));
}

/** One transaction. Nothing is done where the zone is not any more as it was found. */
export async function write(
  step: readonly RRsetChange[],
  { serial, looked, content }: { readonly serial: number; readonly looked: Looked; readonly content: Content },
  { updates, server, call }: Place,
): Promise<UpdateOutcome<"done" | "unmet">> {
  const { zone } = content;
  const others = step.filter(({ type }) => type !== "SOA");
  const changes = others
    .toSorted((one, two) => one.values.length - two.values.length)
    .flatMap((change) => replaced(change, zone, looked.formerServers));
  const prerequisites = unchanged(zone, looked.soa);
  return updates.send(server, { zone, prerequisites, changes: [...changes, soaAt(content, serial)] }, call);
}

/** The SOA as it is wanted; named takes it when its serial is newer. */
export function soaAt(content: Content, serial: number): Extract<Change, { type: "add" }> {
  const [soa] = withSerial(
    changesTo(content, []).filter(({ type }) => type === "SOA"),
    serial,
  );
  return { type: "add", name: `${content.zone}.`, rrtype: "SOA", ttl: soa?.ttl ?? 0, value: soa?.values[0] ?? "" };
}

/**
 * What is there of it goes, and what is wanted comes. An alias has nothing beside it: named says that all is well, and ignores what
 * comes second. It also ignores it when all servers of a zone are deleted at once.
 */
function replaced(
  { name, type, ttl, values }: RRsetChange,
  zone: string,
  former: readonly string[],
): readonly Change[] {
  const adds = values.map((value): Change => ({ type: "add", name, rrtype: type, ttl, value }));
  if (isServers({ name, type }, zone))
    return [...adds, ...former.map((value): Change => ({ type: "deleteValue", name, rrtype: type, value }))];
  const beside = type === "CNAME" ? recordTypes : (["CNAME", type] as const);
  const deleted = values.length === 0 ? [type] : beside;
  return [...deleted.map((rrtype): Change => ({ type: "deleteRRset", name, rrtype })), ...adds];
}
