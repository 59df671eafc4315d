// The controller of zones: what it watches, and its steps in a row (8.1, 8.5). Nobody else talks to Bindcar about zones.
import { deepEqual, type KubeObject } from "@telltale/kinds";
import { Deployment, Pod, ReplicaSet, Service } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type MapLook, type Name, type Source } from "@telltale/runtime";
import { flipsOf } from "../announce.ts";
import {
  Bind9Cluster,
  Bind9GlobalCluster,
  Bind9Instance,
  type DNSRecord,
  DNSZone,
  recordKinds,
  specOf,
} from "../kinds/index.ts";
import { fieldManager, labels, parts } from "../names.ts";
import { kindOf, kinds as records } from "../record/data.ts";
import { act, clear, type Tools } from "./act.ts";
import { selects } from "./choice.ts";
import { finalize } from "./finalize.ts";
import { observe, tenancyOf, zoneNameIndex, zoneNames } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { serverOf } from "./pods.ts";
import { status } from "./status.ts";
import { claimOn, placeOf } from "./targets.ts";
import { hasSpec, type World } from "./world.ts";

/** `missed`: who else knows that a zone is wanted somewhere, such as who asks servers for them. */
export function zones(tools: Tools, missed?: Source): Controller {
  let declared = controller(DNSZone, "dnszone")
    .gate(({ spec }: { readonly spec?: unknown }) => (spec === undefined ? "ignore" : "go"))
    .index(DNSZone, zoneNameIndex, zoneNames)
    .reads(Bind9Cluster, Bind9GlobalCluster)
    .reads(Deployment, parts)
    .reads(ReplicaSet, parts)
    .watches(DNSZone, ({ old, new: next }, look) => rivalsOf(old, next, look), { changed: isOtherSpec })
    .watches(Bind9GlobalCluster, ({ old, new: next }, look) => ofGlobalCluster(next ?? old, look), {
      changed: (a, b) => !deepEqual(a.metadata.annotations, b.metadata.annotations),
    })
    .watches(Bind9Instance, ({ old, new: next }, look) => ofInstances([old, next], look), { changed: isOtherInstance })
    .watches(Pod, ({ old, new: next }, look) => ofPod(next ?? old, look), {
      ...parts,
      changed: (a, b) =>
        !deepEqual(serverOf(a), serverOf(b)) || a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp,
    })
    .watches(Service, ({ old, new: next }, look) => ofInstance(next ?? old, look), {
      ...parts,
      changed: (a, b) => a.spec?.clusterIP !== b.spec?.clusterIP || !deepEqual(a.status, b.status),
    })
    .writes(Bind9Instance, "patch status");
  for (const kind of records) {
    declared = declared
      .watches(kind, ({ old, new: next }, look) => ofRecords([old, next], look), { changed: isOtherRecord })
      .writes(kind, "patch status");
  }
  if (missed !== undefined) declared = declared.hears(missed);
  return declared
    .hears(() => {
      // Whoever worked in between may have told the servers otherwise.
      tools.memory.clear();
      tools.ledger.clear();
      return () => {};
    })
    .finalize((zone, hands, draft) => finalize(zone, hands, draft, tools))
    .gone((zone) => {
      tools.ledger.forget(zone.metadata.uid ?? "");
      clear(tools.memory.forget(zone.metadata.uid ?? ""), tools);
    })
    .status({ as: "patch", fieldManager })
    .events("none")
    .workers(4)
    .backoff({ first: 1_000, longest: 30_000, jitter: 0.1 })
    .spacing(2_000)
    .timeout(300_000)
    .reconcile<World, Plan>({
      observe,
      plan,
      act: (planned, hands, world) => act(planned, hands, world, tools),
      status,
      after({ before, status: after }, hands) {
        for (const { type, reason, message } of flipsOf(before ?? {}, after ?? {})) {
          (hands as Hands<typeof DNSZone>).event(type, reason, message);
        }
      },
    });
}

const nameOf = ({ metadata }: KubeObject): Name => ({
  namespace: metadata?.namespace ?? "",
  name: metadata?.name ?? "",
});

/** Others that want the same name, or the same records: one that changes or goes may make room for them. */
function* rivalsOf(old: DNSZone | undefined, next: DNSZone | undefined, look: MapLook): Iterable<Name> {
  const it = next ?? old;
  if (it === undefined) return;
  for (const name of zoneNames(it)) for (const other of look.where(DNSZone, zoneNameIndex, name)) yield nameOf(other);
  const { namespace = "" } = it.metadata;
  const listed = (old ?? it).status?.records ?? [];
  const had = listed.flatMap(({ kind, name }) => {
    const of = recordKinds.find((one) => one.kind === kind);
    return of === undefined ? [] : (look.get(kindOf({ kind: of.kind }), { namespace, name }) ?? []);
  });
  for (const other of look.list(DNSZone, { namespace }).filter(hasSpec))
    if (had.some((record) => selects(other, record))) yield nameOf(other);
}

const isOtherSpec = (a: DNSZone, b: DNSZone): boolean =>
  a.metadata.generation !== b.metadata.generation || a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp;

function* ofGlobalCluster(global: Bind9GlobalCluster | undefined, look: MapLook): Iterable<Name> {
  for (const zone of look.list(DNSZone).filter(hasSpec))
    if (zone.spec.globalClusterRef === global?.metadata.name) yield nameOf(zone);
}

/** Its status is what others say of it, but for what it says of its zones nobody asks. */
const isOtherInstance = (a: Bind9Instance, b: Bind9Instance): boolean =>
  !deepEqual(a.spec, b.spec) ||
  !deepEqual(a.metadata.labels, b.metadata.labels) ||
  !deepEqual(a.metadata.annotations, b.metadata.annotations) ||
  a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp;

/** The zones that are for an instance as it is or was, and those that it is said to have. */
function* ofInstances(instances: readonly (Bind9Instance | undefined)[], look: MapLook): Iterable<Name> {
  const known = instances.filter((it) => it !== undefined).filter(hasSpec);
  const tenancy = tenancyOf(look);
  for (const zone of look.list(DNSZone).filter(hasSpec)) {
    const has = new Set(zone.status?.bind9Instances?.map((it) => `${it.namespace}/${it.name}`));
    const isFor = (it: Bind9Instance) =>
      has.has(placeOf(it)) || claimOn(zone, specOf(DNSZone, zone), it, tenancy) === "granted";
    if (known.some(isFor)) yield nameOf(zone);
  }
}

function ofPod(pod: Pod | undefined, look: MapLook): Iterable<Name> {
  const name = pod?.metadata?.labels?.[labels.appInstance] ?? "";
  return ofInstances([look.get(Bind9Instance, { namespace: pod?.metadata?.namespace ?? "", name })], look);
}

/** What has the name of an instance. */
function ofInstance(object: KubeObject | undefined, look: MapLook): Iterable<Name> {
  return object === undefined ? [] : ofInstances([look.get(Bind9Instance, nameOf(object))], look);
}

/** Its status is nothing to a zone. */
const isOtherRecord = (a: DNSRecord, b: DNSRecord): boolean =>
  a.metadata.generation !== b.metadata.generation ||
  a.metadata.deletionTimestamp !== b.metadata.deletionTimestamp ||
  !deepEqual(a.metadata.labels, b.metadata.labels);

/** The zones that ask for a record as it is or was, and the one that has it. */
function* ofRecords(known: readonly (DNSRecord | undefined)[], look: MapLook): Iterable<Name> {
  for (const record of known) {
    if (record === undefined) continue;
    const { namespace = "" } = record.metadata;
    const ref = record.status?.zoneRef;
    if (ref !== undefined) yield { namespace: ref.namespace, name: ref.name };
    for (const zone of look.list(DNSZone, { namespace }).filter(hasSpec)) if (selects(zone, record)) yield nameOf(zone);
  }
}
