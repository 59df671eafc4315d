// Counting what a ResourceQuota is about, on the server itself: the cache may not have heard yet of what was just charged.
import {
  type Amounts,
  type GroupResource,
  type Instant,
  inScopes,
  instant,
  type KindRef,
  namesCounted,
  only,
  overdueAt,
  quantityOf,
  resourcesCounted,
  sum,
  usageOf,
} from "@telltale/kinds";
import {
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  StatefulSet,
} from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";

export interface Counted {
  readonly used: Amounts;
  readonly wakeAt?: Instant;
}

/** What there is in the quota's namespace of everything that its `spec.hard` names and that the server knows. */
export async function counted(quota: ResourceQuota, look: Look): Promise<Counted> {
  const names = Object.keys(quota.spec?.hard ?? {});
  let used: Amounts = new Map();
  let wakeAt: Instant | undefined;
  for (const of of resourcesCounted(names)) {
    const own = namesCounted(of, names);
    const found = await countedOf(of, own, quota, look);
    if (found === undefined) continue; // no such resource: its use stays unknown, and the server admits none
    used = sum(used, found.used);
    wakeAt = earlier(wakeAt, found.wakeAt);
  }
  return { used, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

/** Kinds of which it matters what their objects are. */
const measured: readonly KindRef[] = [Pod, Service, PersistentVolumeClaim];

/** Kinds of which it only matters how many there are. Any other is asked for by its name. */
export const onlyCounted: readonly KindRef[] = [
  ConfigMap,
  Secret,
  ReplicationController,
  Deployment,
  ReplicaSet,
  StatefulSet,
  DaemonSet,
  Job,
  CronJob,
];

const kindIn = (kinds: readonly KindRef[], { group, resource }: GroupResource): KindRef | undefined =>
  kinds.find((kind) => kind.group === group && kind.plural === resource);

async function countedOf(
  of: GroupResource,
  names: readonly string[],
  quota: ResourceQuota,
  look: Look,
): Promise<Counted | undefined> {
  const none: Amounts = new Map(names.map((name) => [name, quantityOf(0)]));
  const kind = kindIn(measured, of);
  if (kind !== undefined) return measuredIn(kind, of, none, quota, look);
  const known = kindIn([...onlyCounted, ResourceQuota], of) ?? kindIn((await look.server.discover()).resources, of);
  if (known === undefined || known.scope !== "Namespaced") return undefined;
  if (!inScopes(quota.spec, of, {})) return { used: none };
  const page = await look.server.list(known, { ...placeOf(quota), limit: 1, metadataOnly: true });
  const count = page.items.length + (page.remaining ?? 0);
  return { used: new Map(names.map((name) => [name, quantityOf(count)])) };
}

async function measuredIn(
  kind: KindRef,
  of: GroupResource,
  none: Amounts,
  quota: ResourceQuota,
  { server, now }: Look,
): Promise<Counted> {
  let used = none;
  let wakeAt: Instant | undefined;
  for await (const object of server.all(kind, placeOf(quota))) {
    if (!inScopes(quota.spec, of, object)) continue;
    used = sum(used, only(usageOf(of, object, now), none.keys()));
    const overdue = overdueAt(object);
    if (overdue !== undefined && overdue >= now) wakeAt = earlier(wakeAt, instant(overdue + 1));
  }
  return { used, ...(wakeAt === undefined ? {} : { wakeAt }) };
}

const placeOf = ({ metadata }: ResourceQuota) => ({ namespace: metadata?.namespace ?? "" });

function earlier(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a <= b ? a : b;
}
