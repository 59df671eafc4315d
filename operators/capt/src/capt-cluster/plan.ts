// What a pass does for a CAPTCluster: the apply of its network, or nothing (3.6.5). Pure.
import type { Instant } from "@telltale/kinds";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import type { Cluster } from "../kinds/cluster.ts";
import type { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { labels, labelValue, vpcApplyName } from "../names.ts";
import { decide } from "./decide.ts";
import { applyNameOf, templatePlace, type World } from "./world.ts";

export interface Plan {
  /** The apply, as it has to be. */
  readonly apply?: Pick<WorkspaceTemplateApply, "metadata" | "spec">;
}

export function plan(world: World, now: Instant): Plan {
  const { it, cluster, chain, hasTemplate } = world;
  const decision = decide(world, now);
  if (decision.is === "troubled" || decision.is === "failed") return {};
  const { row } = decision.seen;
  if (row === "C1" || row === "C2" || row === "C3") return {};
  // A template that is gone is needed only for the first time.
  if (chain.isForeign || (chain.apply === undefined && !hasTemplate)) return {};
  return { apply: applyFor(it, cluster) };
}

export function applyFor(it: CAPTCluster, cluster: Cluster): Pick<WorkspaceTemplateApply, "metadata" | "spec"> {
  const { spec, metadata } = it;
  const { name = "", namespace = "" } = metadata;
  const clusterName = cluster.metadata.name ?? "";
  return {
    metadata: { name: applyNameOf(it), namespace, labels: { [labels.clusterName]: labelValue(clusterName) } },
    spec: {
      templateRef: templatePlace(it),
      // From the beginning: the garbage collector asks nobody (CC-10).
      retainWorkspaceOnDelete: spec.retainVpcOnDelete ?? false,
      variables: {
        environment: "production",
        ...spec.variables,
        cluster_name: clusterName,
        vpc_name: spec.vpcConfig?.name ?? vpcApplyName(name),
        region: spec.region,
        namespace,
      },
    },
  };
}
