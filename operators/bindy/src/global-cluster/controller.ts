// The controller of Bind9GlobalClusters: what it owns, and its steps in a row.
import { deepEqual } from "@telltale/kinds";
import { type Controller, controller, done, type Finalized, type Hands, waiting } from "@telltale/runtime";
import type { Draft } from "@telltale/status";
import { flipsOf, type Said } from "../announce.ts";
import { Bind9Cluster, Bind9GlobalCluster } from "../kinds/index.ts";
import { beingDeleted } from "../messages.ts";
import { coalesced } from "../moments.ts";
import { fieldManager } from "../names.ts";
import { act } from "./act.ts";
import { observe, type Senses } from "./observe.ts";
import { type Plan, plan } from "./plan.ts";
import { status } from "./status.ts";
import type { World } from "./world.ts";

export function bind9GlobalClusters(senses: Senses): Controller {
  return controller(Bind9GlobalCluster, "bind9globalcluster")
    .on("generation", "deletion", "annotations", "finalizers")
    .owns(Bind9Cluster, { delay: coalesced, changed: (a, b) => isOther(a as Bind9Cluster, b as Bind9Cluster) })
    .finalize(finalize)
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
        for (const it of flipsOf((before ?? {}) as Said, after as Said)) hands.event(it.type, it.reason, it.message);
        for (const { why, said } of world.blocked) {
          if (why !== "unanswered") hands.event("Warning", why === "taken" ? "NameConflict" : "NoChildren", said);
        }
      },
    });
}

/** 8.2, step 8: instances are their clusters' business. */
async function finalize(
  it: Bind9GlobalCluster,
  hands: Hands<typeof Bind9GlobalCluster>,
  draft: Draft<typeof Bind9GlobalCluster>,
): Promise<Finalized> {
  for (const cluster of hands.children(Bind9Cluster)) {
    if (cluster.metadata.deletionTimestamp === undefined) await hands.remove(Bind9Cluster, cluster, "Background");
  }
  draft.condition("Ready", false, "Progressing", beingDeleted(Bind9GlobalCluster.kind, it.metadata.name ?? ""));
  return hands.children(Bind9Cluster).length > 0 ? waiting(5_000) : done;
}

/** The status of a cluster, without what changes in its children only. */
const isOther = (a: Bind9Cluster, b: Bind9Cluster): boolean => !deepEqual(shownOf(a), shownOf(b));

function shownOf({ metadata, status: said }: Bind9Cluster): unknown {
  const { generation, labels, annotations, deletionTimestamp, ownerReferences } = metadata;
  const ready = said?.conditions?.find(({ type }) => type === "Ready");
  const word = `${ready?.status} ${ready?.reason}`;
  return {
    generation,
    labels,
    annotations,
    deletionTimestamp,
    ownerReferences,
    word,
    observed: said?.observedGeneration,
  };
}
