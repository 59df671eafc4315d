// What a pass over one CAPTCluster knows.
import type { Chain } from "../chain.ts";
import type { Limits } from "../deadlines.ts";
import type { TimeoutPolicy } from "../failure.ts";
import type { DomainShape } from "../failure-domains.ts";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { vpcApplyName } from "../names.ts";
import type { Trouble } from "../trouble.ts";

export interface World {
  readonly it: CAPTCluster;
  readonly cluster: Cluster;
  readonly limits: Limits;
  readonly policy: TimeoutPolicy;
  readonly shape: DomainShape;
  /** Whether the template of the network is there. */
  readonly hasTemplate: boolean;
  readonly chain: Chain;
  /** A request failed: the rest is not known, or not done. */
  readonly trouble?: Trouble;
}

/** A person may choose the name of the apply. */
export const applyNameOf = ({ metadata, spec }: CAPTCluster): string =>
  spec.workspaceTemplateApplyName ?? vpcApplyName(metadata.name ?? "");

export const isProvisioned = ({ status }: CAPTCluster): boolean => status?.initialization?.provisioned === true;

/** The template of the network, wherever it is. */
export function templatePlace({ metadata, spec }: CAPTCluster): { readonly namespace: string; readonly name: string } {
  const { name = "", namespace = metadata.namespace ?? "" } = spec.vpcTemplateRef ?? {};
  return { namespace, name };
}
