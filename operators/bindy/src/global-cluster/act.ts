// Makes, changes and removes the clusters of a global cluster. One that is refused keeps none of the others back.
import type { Applied } from "@telltale/client";
import type { Hands } from "@telltale/runtime";
import { text } from "@telltale/status";
import { Bind9Cluster, type Bind9GlobalCluster } from "../kinds/index.ts";
import { managedClusterLabels } from "../names.ts";
import { attempted, isRejected, Refusal } from "../refusal.ts";
import { observe, type Senses } from "./observe.ts";
import type { Plan } from "./plan.ts";
import type { Blocked, World } from "./world.ts";

export async function act(
  { keep, remove }: Plan,
  hands: Hands<typeof Bind9GlobalCluster>,
  { it }: World,
  senses: Senses,
): Promise<World> {
  const { name = "" } = it.metadata;
  const blocked: Blocked[] = [];
  for (const { namespace, spec } of keep) {
    const object = {
      metadata: { name, namespace, labels: { ...managedClusterLabels(name) } },
      spec: spec as Applied<Bind9Cluster["spec"]>,
    };
    const outcome = await attempted(() => hands.ensure(Bind9Cluster, object));
    if (outcome instanceof Refusal) {
      const why = isRejected(outcome.cause) ? "refused" : "unanswered";
      blocked.push({ namespace, why, said: text`No cluster in namespace ${namespace}: ${outcome.said}` });
      hands.log.warn("a cluster could not be made", { namespace, err: outcome.cause });
    } else if (outcome.as === "foreign") {
      blocked.push({ namespace, why: "taken", said: text`Bind9Cluster ${namespace}/${name} belongs to somebody else` });
    }
  }
  for (const cluster of remove) await hands.remove(Bind9Cluster, cluster, "Background");
  return { ...observe(it, hands, senses), blocked };
}
