// Reads what a pass has to know of one CAPTCluster.
import type { Look } from "@telltale/runtime";
import { observeChain } from "../chain.ts";
import type { Config } from "../config.ts";
import type { DomainShape } from "../failure-domains.ts";
import { clusterOf } from "../gate.ts";
import type { CAPTCluster } from "../kinds/capt-cluster.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { networkLimits } from "../limits.ts";
import { noChain } from "../provider/world.ts";
import { anyCluster, type ServerKinds } from "../server.ts";
import { isTrouble, untroubled } from "../trouble.ts";
import { existingVpcId } from "../validate/vpc-source.ts";
import { applyNameOf, templatePlace, type World } from "./world.ts";

export interface Senses {
  readonly config: Config;
  readonly kinds: ServerKinds;
  /** Which shape failure domains have now: it follows the server's Clusters. */
  readonly shape: () => DomainShape;
}

/** `live`: past the cache, before something is said that cannot be taken back (P-10). */
export async function observe(it: CAPTCluster, look: Look, senses: Senses, live = false): Promise<World> {
  const { config, kinds, shape } = senses;
  // The gate let nobody through without one.
  const cluster = clusterOf(it, look, anyCluster(kinds)) as Cluster;
  const remembered = it.status?.vpcWorkspaceName;
  const hasTemplateRef = it.spec.vpcTemplateRef !== undefined;
  const isMade = remembered !== undefined || (hasTemplateRef && existingVpcId(it.spec) === undefined);
  const base = {
    it,
    cluster,
    limits: networkLimits(it, config.timeouts),
    policy: config.timeoutPolicy,
    shape: shape(),
    hasTemplate: hasTemplateRef && isMade && look.get(WorkspaceTemplate, templatePlace(it)) !== undefined,
  };
  if (!isMade) return { ...base, chain: noChain };
  const at = { namespace: it.metadata.namespace ?? "", name: applyNameOf(it) };
  const chain = await untroubled(look.log, () =>
    observeChain(it, at, look, {
      kinds,
      allowed: config.allowedSecretNamespaces,
      live,
      ...(remembered === undefined ? {} : { remembered }),
    }),
  );
  return isTrouble(chain) ? { ...base, chain: noChain, trouble: chain } : { ...base, chain };
}
