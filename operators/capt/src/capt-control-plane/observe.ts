// Reads what a pass has to know of one CAPTControlPlane.
import type { Look } from "@telltale/runtime";
import { observeChain, type Place } from "../chain.ts";
import type { Config } from "../config.ts";
import { clusterOf } from "../gate.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { WorkspaceTemplate } from "../kinds/workspace-template.ts";
import { controlPlaneLimits } from "../limits.ts";
import { templates } from "../names.ts";
import { noChain, placeIn } from "../provider/world.ts";
import { anyCluster, type ServerKinds } from "../server.ts";
import { isTrouble, untroubled } from "../trouble.ts";
import { none, observeCredentials } from "./credentials.ts";
import { infrastructureOf } from "./infrastructure.ts";
import { applyNameOf, templatePlace, type World } from "./world.ts";

export interface Senses {
  readonly config: Config;
  readonly kinds: ServerKinds;
}

/** `live`: past the cache, before something is said that cannot be taken back (P-10). */
export async function observe(it: CAPTControlPlane, look: Look, senses: Senses, live = false): Promise<World> {
  const { config, kinds } = senses;
  // The gate let nobody through without one.
  const cluster = clusterOf(it, look, anyCluster(kinds)) as Cluster;
  const kubeconfigTemplate = kubeconfigTemplateOf(it, look);
  const base = {
    it,
    cluster,
    limits: controlPlaneLimits(it, config.timeouts),
    policy: config.timeoutPolicy,
    infrastructure: infrastructureOf(cluster, look),
    hasTemplate: look.get(WorkspaceTemplate, templatePlace(it)) !== undefined,
    isApplyNew: false,
    ...(kubeconfigTemplate === undefined ? {} : { kubeconfigTemplate }),
  };
  const at = { namespace: it.metadata.namespace ?? "", name: applyNameOf(it) };
  const found = await untroubled(look.log, async () => {
    const chain = await observeChain(it, at, look, { kinds, allowed: config.allowedSecretNamespaces, live });
    return { chain, credentials: await observeCredentials(it, cluster.metadata.name ?? "", chain, look) };
  });
  return isTrouble(found) ? { ...base, chain: noChain, credentials: none, trouble: found } : { ...base, ...found };
}

/** The one that a person names, else the one with the known name, where it is there. */
function kubeconfigTemplateOf({ metadata, spec }: CAPTControlPlane, look: Look): Place | undefined {
  const { namespace = "" } = metadata;
  const named = spec.kubeconfigTemplateRef;
  if (named !== undefined) return placeIn(namespace, named);
  const known = { namespace, name: templates.kubeconfig };
  return look.get(WorkspaceTemplate, known) === undefined ? undefined : known;
}
