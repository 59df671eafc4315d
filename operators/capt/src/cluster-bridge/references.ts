// What a Cluster refers to, in either version: whose kind it is, and where. Pure.
import type { KubeObject } from "@telltale/kinds";
import { CAPTCluster } from "../kinds/capt-cluster.ts";
import { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import type { Cluster } from "../kinds/cluster.ts";

export type Role = "infrastructure" | "controlPlane";

/** `foreign`: it is another provider's. */
export type Reference =
  | { readonly is: "none" }
  | { readonly is: "foreign"; readonly kind: string; readonly name: string }
  | { readonly is: "ours"; readonly namespace: string; readonly name: string };

export const roleKinds = { infrastructure: CAPTCluster, controlPlane: CAPTControlPlane } as const;

export function referenceOf({ metadata, spec }: Cluster, role: Role): Reference {
  const ref: Loose | undefined = role === "infrastructure" ? spec?.infrastructureRef : spec?.controlPlaneRef;
  const { kind = "", name = "", apiVersion = "", apiGroup = apiVersion.split("/")[0], namespace } = ref ?? {};
  if (name === "" || kind === "") return { is: "none" };
  const own = metadata.namespace ?? "";
  const ours = roleKinds[role];
  // A provider object is in the namespace of its Cluster, or it could not be owned by it.
  const isOurs = kind === ours.kind && apiGroup === ours.group && (namespace === undefined || namespace === own);
  return isOurs ? { is: "ours", namespace: own, name } : { is: "foreign", kind, name };
}

interface Loose {
  readonly kind?: string;
  readonly name?: string;
  readonly apiVersion?: string;
  readonly apiGroup?: string;
  readonly namespace?: string;
}

/** Whether a Cluster is any of our business. */
export const isOurs = (cluster: Cluster): boolean =>
  referenceOf(cluster, "infrastructure").is === "ours" || referenceOf(cluster, "controlPlane").is === "ours";

export const placeOf = ({ metadata }: KubeObject) => ({
  namespace: metadata?.namespace ?? "",
  name: metadata?.name ?? "",
});
