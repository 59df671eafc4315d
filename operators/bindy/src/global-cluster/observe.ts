// Reads what a pass has to know of one Bind9GlobalCluster.
import type { Look } from "@telltale/runtime";
import { childView } from "../aggregate/child-view.ts";
import type { Config } from "../config.ts";
import type { Grace } from "../grace.ts";
import { Bind9Cluster, type Bind9GlobalCluster } from "../kinds/index.ts";
import { checkGlobalCluster, targetNamespaces } from "../validate/index.ts";
import type { World } from "./world.ts";

export interface Senses {
  readonly config: Config;
  readonly grace: Grace;
}

export function observe(it: Bind9GlobalCluster, look: Look, { config, grace }: Senses): World {
  const checked = checkGlobalCluster(it, config);
  const clusters = look.children(Bind9Cluster);
  const { freshness, wakeAt } = grace.of(it.metadata.uid ?? "", clusters, look.now);
  return {
    it,
    checked,
    targets: checked.at === "valid" ? targetNamespaces(checked.spec, config) : [],
    clusters,
    views: clusters.map((cluster) => childView(cluster, freshness(cluster))),
    ...(wakeAt === undefined ? {} : { graceEnds: wakeAt }),
    blocked: [],
  };
}
