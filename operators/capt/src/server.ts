// What a server has of the kinds that are not ours: in which version it serves Clusters, and whether Workspaces have a
// namespace there. Asked for once, before the controllers are put together.
import { type Client, discover } from "@telltale/client";
import type { KindRef } from "@telltale/kinds";
import { type Cluster, ClusterV1beta1, ClusterV1beta2 } from "./kinds/cluster.ts";
import { NamespacedWorkspace, Workspace } from "./kinds/workspace.ts";
import { clusterGroup, terraformGroup } from "./names.ts";

export interface ServerKinds {
  readonly Cluster: typeof ClusterV1beta1 | typeof ClusterV1beta2;
  readonly Workspace: typeof Workspace;
}

/** Where nobody has asked: the newer Cluster, and the Workspace of the real provider. */
export const standardKinds: ServerKinds = { Cluster: ClusterV1beta2, Workspace };

/** What is not installed yet is taken for what `standardKinds` says. */
export async function serverKinds(
  client: Client,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ServerKinds> {
  const found = await discover(client, options);
  const serves = (version: string) => found.find({ group: clusterGroup, version, name: "Cluster" }) !== undefined;
  const workspace = found.find({ group: terraformGroup, version: Workspace.version, name: "Workspace" });
  return {
    Cluster: serves("v1beta1") && !serves("v1beta2") ? ClusterV1beta1 : ClusterV1beta2,
    Workspace: workspace?.scope === "Namespaced" ? NamespacedWorkspace : Workspace,
  };
}

/** For those who only read: a Cluster in either version. */
export const anyCluster = ({ Cluster: kind }: ServerKinds): KindRef<Cluster> => kind;
