// What a pass over one CAPTControlPlane knows.
import type { Chain, Place } from "../chain.ts";
import type { Limits } from "../deadlines.ts";
import type { TimeoutPolicy } from "../failure.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { controlPlaneApplyName } from "../names.ts";
import type { Trouble } from "../trouble.ts";
import type { Credentials } from "./credentials.ts";
import type { Infrastructure } from "./infrastructure.ts";

export interface World {
  readonly it: CAPTControlPlane;
  readonly cluster: Cluster;
  readonly limits: Limits;
  readonly policy: TimeoutPolicy;
  readonly infrastructure: Infrastructure;
  /** Whether the template of the control plane is there. */
  readonly hasTemplate: boolean;
  /** The template that makes a kubeconfig, where there is one. */
  readonly kubeconfigTemplate?: Place;
  readonly chain: Chain;
  readonly credentials: Credentials;
  /** Whether this pass made the apply. */
  readonly isApplyNew: boolean;
  /** A request failed: the rest is not known, or not done. */
  readonly trouble?: Trouble;
}

/** A person may choose the name of the apply. */
export const applyNameOf = ({ metadata, spec }: CAPTControlPlane): string =>
  spec.workspaceTemplateApplyName ?? controlPlaneApplyName(metadata.name ?? "");

export const isInitialized = ({ status }: CAPTControlPlane): boolean => status?.initialized === true;

export function templatePlace({ metadata, spec }: CAPTControlPlane): Place {
  const { name, namespace = metadata.namespace ?? "" } = spec.workspaceTemplateRef;
  return { namespace, name };
}

export const clusterNameOf = ({ cluster }: Pick<World, "cluster">): string => cluster.metadata.name ?? "";
