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

export function list(instance: Bind9Instance, zone: DNSZone, hands: ZoneHands): Promise<void> {
  const ref = refOf(zone);
  return putZones(instance, hands, (zones) =>
    zones.some((it) => isSameRef(it, ref))
      ? zones
      : [...zones.filter((it) => !isOf(it, zone)), { ...ref, lastReconciledAt: formatTime(hands.now) }],
  );
}

export function unlist(instance: Bind9Instance, zone: DNSZone, hands: ZoneHands): Promise<void> {
  return putZones(instance, hands, (zones) =>
    zones.some((it) => isOf(it, zone)) ? zones.filter((it) => !isOf(it, zone)) : zones,
  );
}

type ZoneRefs = NonNullable<NonNullable<Bind9Instance["status"]>["zones"]>;

/** By what the instance says now: since the pass began another zone may have come or gone, or a write of ours was heard of. */
async function putZones(
  { metadata }: Bind9Instance,
  hands: ZoneHands,
  change: (zones: ZoneRefs) => ZoneRefs,
): Promise<void> {
  const live = hands.get(Bind9Instance, { namespace: metadata.namespace ?? "", name: metadata.name ?? "" });
  const before = live?.status?.zones ?? [];
  const after = change(before);
  if (live === undefined || after === before) return;
  const place = ({ namespace, name }: ZoneRefs[number]) => `${namespace}/${name}`;
  const zones = after.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  await hands.patchStatus(Bind9Instance, live, fieldPatch(live.status, { zones, zonesCount: zones.length }));
}
