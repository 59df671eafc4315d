// What a pass over one CAPTControlPlane knows.
import type { Place } from "../chain.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { controlPlaneApplyName } from "../names.ts";
import { type ProviderWorld, placeIn } from "../provider/world.ts";
import type { Credentials } from "./credentials.ts";
import type { Infrastructure } from "./infrastructure.ts";

export interface World extends ProviderWorld<CAPTControlPlane> {
  readonly infrastructure: Infrastructure;
  /** The template that makes a kubeconfig, where there is one. */
  readonly kubeconfigTemplate?: Place;
  readonly credentials: Credentials;
  /** Whether this pass made the apply. */
  readonly isApplyNew: boolean;
}

/** A person may choose the name of the apply. */
export const applyNameOf = ({ metadata, spec }: CAPTControlPlane): string =>
  spec.workspaceTemplateApplyName ?? controlPlaneApplyName(metadata.name ?? "");

export const isInitialized = ({ status }: CAPTControlPlane): boolean => status?.initialized === true;

export const templatePlace = ({ metadata, spec }: CAPTControlPlane): Place =>
  placeIn(metadata.namespace, spec.workspaceTemplateRef);

export const clusterNameOf = ({ cluster }: Pick<World, "cluster">): string => cluster.metadata.name ?? "";
