// What a pass over one CAPTCluster knows.
import type { Place } from "../chain.ts";
import type { DomainShape } from "../failure-domains.ts";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import { vpcApplyName } from "../names.ts";
import { type ProviderWorld, placeIn } from "../provider/world.ts";

export interface World extends ProviderWorld<CAPTCluster> {
  readonly shape: DomainShape;
}

/** A person may choose the name of the apply. */
export const applyNameOf = ({ metadata, spec }: CAPTCluster): string =>
  spec.workspaceTemplateApplyName ?? vpcApplyName(metadata.name ?? "");

export const isProvisioned = ({ status }: CAPTCluster): boolean => status?.initialization?.provisioned === true;

export const templatePlace = ({ metadata, spec }: CAPTCluster): Place =>
  placeIn(metadata.namespace, spec.vpcTemplateRef);
