// What a pass over one Bind9GlobalCluster knows.
import type { Instant } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { ChildView } from "../aggregate/child-view.ts";
import type { Bind9Cluster, Bind9GlobalCluster, Bind9GlobalClusterSpec } from "../kinds/index.ts";
import type { Checked } from "../validate/index.ts";

export interface World {
  readonly it: Bind9GlobalCluster;
  readonly checked: Checked<Bind9GlobalClusterSpec>;
  /** The namespaces that are to have a cluster. */
  readonly targets: readonly string[];
  /** Its clusters, in whatever namespace. */
  readonly clusters: readonly Bind9Cluster[];
  readonly views: readonly ChildView[];
  /** When a child's word stops counting. */
  readonly graceEnds?: Instant;
  readonly blocked: readonly Blocked[];
}

/** A namespace where the cluster cannot be made. */
export interface Blocked {
  readonly namespace: string;
  /** `unanswered`: the API server did not say whether there is one now. */
  readonly why: "taken" | "refused" | "unanswered";
  readonly said: SafeText;
}
