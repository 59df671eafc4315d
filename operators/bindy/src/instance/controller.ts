// The controller of Bind9Instances: what it owns and watches, and its steps in a row.
import { deepEqual } from "@telltale/kinds";
import { ConfigMap, Deployment, Pod, ReplicaSet, Secret, Service, ServiceAccount } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands, type MapLook, type Name } from "@telltale/runtime";
import { Bind9Cluster, Bind9GlobalCluster, Bind9Instance, type Bind9InstanceStatus, DNSZone } from "../kinds/index.ts";
import { coalesced } from "../moments.ts";
import { annotations, fieldManager, labels, parts, podServiceAccount } from "../names.ts";
import { act, type Tools } from "./act.ts";
import { finalize } from "./deletion.ts";
import { eventsOf } from "./events.ts";
import { byCluster, byInstance, clusterKey, instanceOfPod, observe } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

const byName = "clusterRef";
const soon = { ...parts, delay: coalesced };

export function bind9Instances(tools: Tools): Controller {
  const { config, prober, secrets, turns } = tools;
  return controller(Bind9Instance, "bind9instance")
    .on("generation", "deletion", "annotations", "finalizers", "ownerReferences", "status")
    .owns(Deployment, { ...soon, changed: (a, b) => isOtherPart(a as Deployment, b as Deployment) })
    .owns(Service, { ...soon, changed: (a, b) => isOtherPart(a as Service, b as Service) })
    .owns(ConfigMap, soon)
    .watches(ServiceAccount, ({ old, new: next }, look) => (next === undefined ? instancesIn(old, look) : []), {
      field: `metadata.name=${podServiceAccount}`,
    })
    .watches(Pod, ({ old, new: next }) => instanceOf(next ?? old), {
      ...soon,
      changed: (a, b) =>
        !deepEqual(a.status, b.status) ||
        a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp ||
        a.metadata?.annotations?.[annotations.endpointHttp] !== b.metadata?.annotations?.[annotations.endpointHttp],
    })
    .reads(ReplicaSet, parts)
    .watches(Bind9Cluster, ({ old, new: next }, look) => instancesOf(next ?? old, look), { changed: isOtherSpec })
    .watches(Bind9GlobalCluster, ({ old, new: next }, look) => instancesNaming(next ?? old, look), {
      changed: isOtherSpec,
    })
    .watches(DNSZone, ({ old, new: next }, look) => [old, next].flatMap((zone) => leavingOf(zone, look)), {
      changed: (a, b) => !deepEqual(a.status?.bind9Instances, b.status?.bind9Instances),
    })
    .index(Pod, byInstance, (pod) => [instanceOfPod(pod)])
    .index(Bind9Instance, byCluster, (it) => [clusterKey(it) ?? ""])
    .index(Bind9Instance, byName, ({ spec }) => [spec.clusterRef])
    .gets(Secret)
    .writes(Secret, "create", "patch", "delete")
    .writes(ServiceAccount, "create", "delete")
    .hears(prober.source, secrets.source)
    .finalize((it, hands, draft) => finalize(it, hands, draft, tools))
    .gone((it) => {
      const { name = "", namespace = "", uid = "" } = it.metadata;
      prober.forget({ namespace, name });
      turns.done(clusterKey(it) ?? "", uid);
    })
    .events("none")
    .status({ as: "patch", fieldManager })
    .workers(4)
    .backoff({ first: 1_000, longest: 30_000, jitter: 0.1 })
    .reconcile<World, Plan>({
      observe: (it, look) => observe(it, look, tools),
      plan: (world, now) => plan(world, now, config),
      act: (planned, hands, world) => act(planned, hands, world, tools),
      status,
      after({ world, before, status: after }, hands) {
        tell(world, before, after, hands);
      },
    });
}

function tell(world: World, before: unknown, after: unknown, hands: Hands<typeof Bind9Instance>): void {
  // What the kind's own draft has read and made.
  const told = eventsOf(world, (before ?? {}) as Bind9InstanceStatus, after as Bind9InstanceStatus);
  for (const { type, reason, message } of told) hands.event(type, reason, message);
}

interface Part {
  readonly metadata?: { readonly deletionTimestamp?: string; readonly labels?: object; readonly annotations?: object };
  readonly spec?: unknown;
  readonly status?: unknown;
}

const isOtherPart = (a: Part, b: Part): boolean =>
  !deepEqual(a.spec, b.spec) ||
  !deepEqual(a.status, b.status) ||
  !deepEqual(a.metadata?.labels, b.metadata?.labels) ||
  !deepEqual(a.metadata?.annotations, b.metadata?.annotations) ||
  a.metadata?.deletionTimestamp !== b.metadata?.deletionTimestamp;

const isOtherSpec = (
  a: { readonly metadata: { readonly generation?: number } },
  b: { readonly metadata: { readonly generation?: number } },
): boolean => a.metadata.generation !== b.metadata.generation;

function* instanceOf(pod: Pod | undefined): Iterable<Name> {
  const name = pod?.metadata?.labels?.[labels.appInstance];
  if (name !== undefined) yield { namespace: pod?.metadata?.namespace ?? "", name };
}

const nameOf = ({ metadata }: Bind9Instance): Name => ({
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
});

const instancesIn = (account: ServiceAccount | undefined, look: MapLook): readonly Name[] =>
  look.list(Bind9Instance, { namespace: account?.metadata?.namespace ?? "" }).map(nameOf);

function instancesOf(cluster: Bind9Cluster | undefined, look: MapLook): readonly Name[] {
  const { name = "", namespace = "" } = cluster?.metadata ?? {};
  return look.where(Bind9Instance, byCluster, `${namespace}/${name}`).map(nameOf);
}

const instancesNaming = (cluster: Bind9GlobalCluster | undefined, look: MapLook): readonly Name[] =>
  look.where(Bind9Instance, byName, cluster?.metadata.name ?? "").map(nameOf);

/** Instances that wait for their zones to leave. */
function leavingOf(zone: DNSZone | undefined, look: MapLook): readonly Name[] {
  const named = zone?.status?.bind9Instances ?? [];
  return named.flatMap(({ namespace, name }) => {
    const it = look.get(Bind9Instance, { namespace, name });
    return it?.metadata.deletionTimestamp === undefined ? [] : [nameOf(it)];
  });
}
