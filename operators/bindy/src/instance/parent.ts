// Whose settings an instance takes: those of the cluster that made it, else of the one that it names (8.4, step 3).
import type { MapLook } from "@telltale/runtime";
import { Bind9Cluster, Bind9GlobalCluster, type Bind9Instance } from "../kinds/index.ts";
import type { Parent } from "./world.ts";

export function parentOf({ metadata, spec }: Bind9Instance, look: Pick<MapLook, "get">): Parent {
  const { namespace = "" } = metadata;
  const owner = ownerOf({ metadata });
  const made = owner === undefined ? undefined : look.get(Bind9Cluster, { namespace, name: owner.name });
  if (made !== undefined && made.metadata.uid === owner?.uid) return { is: "cluster", object: made };
  const name = spec.clusterRef;
  if (name === "") return { is: "none" };
  const cluster = look.get(Bind9Cluster, { namespace, name });
  if (cluster !== undefined) return { is: "cluster", object: cluster };
  const global = look.get(Bind9GlobalCluster, { name });
  return global === undefined ? { is: "missing", name } : { is: "global", object: global };
}

/** The cluster that made it. */
export const ownerOf = ({ metadata }: Pick<Bind9Instance, "metadata">) =>
  metadata.ownerReferences?.find(({ controller, kind }) => controller === true && kind === Bind9Cluster.kind);
