// The network that a control plane needs, as its Cluster names it (4.7.3).
import type { Look } from "@telltale/runtime";
import { findCondition, isTrue, type SafeText, text } from "@telltale/status";
import { applyNameOf } from "../capt-cluster/world.ts";
import { CAPTCluster } from "../kinds/capt-cluster.ts";
import type { Cluster } from "../kinds/cluster.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { infrastructureGroup } from "../names.ts";
import { sanitize } from "../sanitize.ts";

export type Infrastructure =
  | { readonly is: "none" } // the Cluster names none
  // `noRunner`: what the network says where no program runs its Workspace.
  | { readonly is: "waiting"; readonly named: string; readonly noRunner?: SafeText }
  | { readonly is: "failed"; readonly named: string; readonly token: string }
  // Once and for all. `unready`: what it says of itself now, where that is not "ready".
  | {
      readonly is: "ready";
      readonly named: string;
      readonly network?: Network;
      readonly isSimulated?: boolean;
      readonly unready?: { readonly status: "False" | "Unknown"; readonly message: SafeText };
    };

/** What a network of ours tells a control plane. */
export interface Network {
  readonly region: string;
  readonly vpcId?: string;
  /** The apply of the network, where there is one. */
  readonly applyName?: string;
}

export function infrastructureOf(cluster: Cluster, look: Pick<Look, "get">): Infrastructure {
  const reference = cluster.spec.infrastructureRef;
  if (reference?.name === undefined || reference.kind === undefined) return { is: "none" };
  const named = `${reference.kind} ${reference.name}`;
  const group = "apiGroup" in reference ? reference.apiGroup : reference.apiVersion;
  if (reference.kind !== CAPTCluster.kind || group?.split("/")[0] !== infrastructureGroup) {
    return isReadyElsewhere(cluster) ? { is: "ready", named } : { is: "waiting", named };
  }
  const namespace = cluster.metadata.namespace ?? "";
  const found = look.get(CAPTCluster, { namespace, name: reference.name });
  const { failureReason, initialization, ready } = found?.status ?? {};
  if (found === undefined) return { is: "waiting", named };
  if (failureReason !== undefined) return { is: "failed", named, token: failureReason };
  if (initialization?.provisioned !== true && ready !== true) {
    const said = findCondition(found.status?.conditions, "Ready");
    const noRunner = said?.reason === "NoRunner" ? text`${named}: ${sanitize(said.message)}` : undefined;
    return { is: "waiting", named, ...(noRunner === undefined ? {} : { noRunner }) };
  }
  const unready = unreadyOf(found);
  return {
    is: "ready",
    named,
    network: networkOf(found, look),
    isSimulated: isTrue(found.status?.conditions, "Simulated"),
    ...(unready === undefined ? {} : { unready }),
  };
}

/** By its condition; one that is stored without conditions is taken at its word. */
function unreadyOf({ status }: CAPTCluster) {
  const said = findCondition(status?.conditions, "Ready");
  if (said === undefined || said.status === "True") return undefined;
  const message = sanitize(said.message === "" ? said.reason : said.message);
  return { status: said.status, message };
}

/** Somebody else's infrastructure: its Cluster says whether it is there, in either version. */
function isReadyElsewhere({ status }: Cluster): boolean {
  if (status === undefined) return false;
  if ("infrastructureReady" in status) return status.infrastructureReady === true;
  return "initialization" in status && status.initialization?.infrastructureProvisioned === true;
}

function networkOf(it: CAPTCluster, look: Pick<Look, "get">): Network {
  const { namespace = "" } = it.metadata;
  const name = applyNameOf(it);
  const hasApply = look.get(WorkspaceTemplateApply, { namespace, name }) !== undefined;
  const vpcId = it.status?.vpcId;
  return {
    region: it.spec.region,
    ...(vpcId === undefined ? {} : { vpcId }),
    ...(hasApply ? { applyName: name } : {}),
  };
}
