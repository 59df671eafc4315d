// The controller of Bind9Clusters: what it owns and watches, and its steps in a row.
import { deepEqual } from "@telltale/kinds";
import { type Controller, controller, type Hands, type Name } from "@telltale/runtime";
import { flipsOf, type Said } from "../announce.ts";
import { Bind9Cluster, Bind9Instance } from "../kinds/index.ts";
import { coalesced } from "../moments.ts";
import { fieldManager } from "../names.ts";
import { act } from "./act.ts";
import { finalize } from "./deletion.ts";
import { byCluster, observe, type Senses } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

export function bind9Clusters(senses: Senses): Controller {
  return controller(Bind9Cluster, "bind9cluster")
    .on("generation", "deletion", "annotations", "finalizers", "ownerReferences")
    .owns(Bind9Instance, {
      delay: coalesced,
      changed: (a, b) => isOther(a as Bind9Instance, b as Bind9Instance),
    })
    .watches(Bind9Instance, ({ old, new: next }) => [...clustersOf(old), ...clustersOf(next)], {
      delay: coalesced,
      changed: isOther,
    })
    .index(Bind9Instance, byCluster, ({ metadata, spec }) => [`${metadata.namespace ?? ""}/${spec.clusterRef}`])
    .finalize((it, hands, draft) => finalize(it, hands, draft, senses))
    .gone(({ metadata }) => senses.grace.forget(metadata.uid ?? ""))
    .events("none")
    .status({ as: "patch", fieldManager })
    .workers(4)
    .backoff({ first: 1_000, longest: 30_000, jitter: 0.1 })
    .reconcile<World, Plan>({
      observe: (it, look) => observe(it, look, senses),
      plan,
      act: (planned, hands, world) => act(planned, hands, world, senses),
      status,
      after({ world, before, status: after }, hands) {
        tell(world, (before ?? {}) as Said, after as Said, hands);
      },
    });
}

function tell({ made, taken }: World, before: Said, after: Said, hands: Hands<typeof Bind9Cluster>): void {
  for (const { type, reason, message } of flipsOf(before, after)) hands.event(type, reason, message);
  for (const name of taken) {
    hands.event("Warning", "NameConflict", `Bind9Instance ${name} belongs to somebody else`);
  }
  if (made.refused !== undefined) {
    hands.event("Warning", "InstancesPending", `Bind9Instance ${made.refused.name}: ${made.refused.said}`);
  }
}

function* clustersOf(instance: Bind9Instance | undefined): Iterable<Name> {
  const { metadata, spec } = instance ?? {};
  if (spec !== undefined && spec.clusterRef !== "") {
    yield { namespace: metadata?.namespace ?? "", name: spec.clusterRef };
  }
}

/** What a cluster says of an instance, or puts right on it. */
const isOther = (a: Bind9Instance, b: Bind9Instance): boolean => !deepEqual(shownOf(a), shownOf(b));

function shownOf({ metadata, status }: Bind9Instance): unknown {
  const { generation, labels, annotations, deletionTimestamp, ownerReferences } = metadata;
  const { observedGeneration, conditions, replicas, readyReplicas } = status ?? {};
  return {
    generation,
    labels,
    annotations,
    deletionTimestamp,
    ownerReferences,
    observedGeneration,
    conditions,
    replicas,
    readyReplicas,
  };
}
