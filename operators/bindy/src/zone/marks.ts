// What a zone says on objects of others: on records whose they are, on instances which zones they serve. Each write touches
// these fields only, and only where nobody else said them meanwhile.
import type { JsonPatchOperation } from "@telltale/client";
import { deepEqual, formatTime } from "@telltale/kinds";
import type { Hands } from "@telltale/runtime";
import { Bind9Instance, type DNSRecord, type DNSZone } from "../kinds/index.ts";
import { apiVersion } from "../names.ts";
import { kindOf } from "../record/data.ts";
import { zoneNameOf } from "./compile.ts";
import { isOf } from "./observe.ts";

export type ZoneHands = Hands<typeof DNSZone>;

export async function claim(record: DNSRecord, zone: DNSZone, hands: ZoneHands): Promise<void> {
  const { zoneRef, zone: named } = record.status ?? {};
  const wanted = refOf(zone);
  if (zoneRef !== undefined && isSameRef(zoneRef, wanted) && named === `${wanted.zoneName}.`) return;
  await mark(record, { zoneRef: wanted, zone: `${wanted.zoneName}.` }, hands);
}

export async function release(record: DNSRecord, zone: DNSZone, hands: ZoneHands): Promise<void> {
  const ref = record.status?.zoneRef;
  if (ref === undefined || !isOf(ref, zone)) return;
  await mark(record, { zoneRef: undefined, zone: undefined }, hands);
}

function refOf({ metadata, spec }: DNSZone): Ref {
  const { name = "", namespace = "" } = metadata;
  return { apiVersion, kind: "DNSZone", name, namespace, zoneName: zoneNameOf(spec) };
}

type Ref = Omit<ZoneRefs[number], "lastReconciledAt">;

/** Two are the same whenever they were last looked at. */
const isSameRef = ({ apiVersion: of, kind, name, namespace, zoneName }: Ref, other: Ref): boolean =>
  deepEqual({ apiVersion: of, kind, name, namespace, zoneName }, other);

/** Only the two fields that are the zone's to say, and only where nobody else said them meanwhile. */
async function mark(
  record: DNSRecord,
  fields: Readonly<Record<"zoneRef" | "zone", unknown>>,
  hands: ZoneHands,
): Promise<void> {
  await hands.patchStatus(kindOf(record), record, fieldPatch(record.status, fields));
}

function fieldPatch(
  status: object | undefined,
  fields: Readonly<Record<string, unknown>>,
): readonly JsonPatchOperation[] {
  const before = new Map(Object.entries(status ?? {}));
  const entries = Object.entries(fields);
  if (status === undefined) {
    const value = Object.fromEntries(entries.filter(([, it]) => it !== undefined));
    return [
      { op: "test", path: "/status", value: null },
      { op: "add", path: "/status", value },
    ];
  }
  return entries.flatMap(([name, value]): readonly JsonPatchOperation[] => {
    const old = before.get(name);
    if (value === undefined && old === undefined) return [];
    const test = { op: "test", path: `/status/${name}`, value: old ?? null } as const;
    return value === undefined
      ? [test, { op: "remove", path: `/status/${name}` }]
      : [test, { op: "add", path: `/status/${name}`, value }];
  });
}

export async function list(instance: Bind9Instance, zone: DNSZone, hands: ZoneHands): Promise<void> {
  const ref = refOf(zone);
  const zones = instance.status?.zones ?? [];
  if (zones.some((it) => isSameRef(it, ref))) return;
  const next = [...zones.filter((it) => !isOf(it, zone)), { ...ref, lastReconciledAt: formatTime(hands.now) }];
  await putZones(instance, next, hands);
}

export async function unlist(instance: Bind9Instance, zone: DNSZone, hands: ZoneHands): Promise<void> {
  const zones = instance.status?.zones ?? [];
  const next = zones.filter((it) => !isOf(it, zone));
  if (next.length < zones.length) await putZones(instance, next, hands);
}

type ZoneRefs = NonNullable<NonNullable<Bind9Instance["status"]>["zones"]>;

async function putZones(instance: Bind9Instance, refs: ZoneRefs, hands: ZoneHands): Promise<void> {
  const place = ({ namespace, name }: ZoneRefs[number]) => `${namespace}/${name}`;
  const zones = refs.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  const live = hands.get(Bind9Instance, {
    namespace: instance.metadata.namespace ?? "",
    name: instance.metadata.name ?? "",
  });
  if (live === undefined) return;
  await hands.patchStatus(Bind9Instance, live, fieldPatch(live.status, { zones, zonesCount: zones.length }));
}
