// What a pass knows of one Cluster that nobody else looks after.
import type { KubeObject } from "@telltale/kinds";
import type { SafeText } from "@telltale/status";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { finalizers, labels, labelValue } from "../names.ts";
import type { Mode } from "./mode.ts";

export interface World {
  readonly cluster: Cluster;
  readonly mode: Mode;
  /** Whether failure domains have another shape since somebody looked last. */
  readonly isReshaped: boolean;
  /** Whether it has to be looked at again, because something may change unheard. */
  readonly isAsking: boolean;
  /** Why it is paused, if it is. */
  readonly paused: SafeText | undefined;
  readonly infrastructure: Provider<CAPTCluster>;
  readonly controlPlane: Provider<CAPTControlPlane>;
  /** Worker machines of the cluster, and what makes them. */
  readonly machines: readonly Machine[];
}

/** One of the two that a Cluster refers to. */
export type Provider<T> =
  | { readonly is: "none" }
  | { readonly is: "foreign"; readonly kind: string; readonly name: string } // another provider's, or another Cluster's
  | { readonly is: "absent"; readonly name: string }
  | { readonly is: "found"; readonly name: string; readonly object: T };

export interface Machine {
  readonly kind: "CaptMachineDeployment" | "CaptMachineSet" | "CaptMachine";
  readonly object: KubeObject;
}

export const objectOf = <T>(provider: Provider<T>): T | undefined =>
  provider.is === "found" ? provider.object : undefined;

export const hasBridge = ({ metadata }: Cluster): boolean =>
  metadata.finalizers?.includes(finalizers.clusterBridge) === true;

export const isLeaving = ({ metadata }: KubeObject): boolean => metadata?.deletionTimestamp !== undefined;

/** Whether an object carries what ties it to its Cluster. */
export const isTied = ({ metadata }: KubeObject, cluster: Cluster): boolean =>
  metadata?.labels?.[labels.clusterName] === labelValue(cluster.metadata.name ?? "") &&
  (metadata?.ownerReferences?.some(({ uid }) => uid === cluster.metadata.uid) ?? false);
