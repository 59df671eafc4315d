// The nameserver that an instance asks for, or what is wrong with it. Pure.
import { text } from "@telltale/status";
import { isSigning, moreKeysVolume, type Nameserver, nameserverOf } from "../build/index.ts";
import type { Config } from "../config.ts";
import type { Bind9ClusterSpec, Bind9Instance, Bind9InstanceSpec } from "../kinds/index.ts";
import { checkCluster, checkGlobalCluster, checkInstance, type Problem } from "../validate/index.ts";
import { ownerOf } from "./parent.ts";
import type { Parent } from "./world.ts";

export type Asked =
  | { readonly is: "sound"; readonly server: Nameserver }
  | { readonly is: "invalid"; readonly problem: Problem };

export function askedBy(it: Bind9Instance, parent: Parent, config: Config): Asked {
  const own = checkInstance(it, config);
  if (own.at === "invalid") return invalid(own.path, own.problem);
  if (parent.is === "missing") return invalid("spec.clusterRef", text`cluster ${parent.name} not found`);
  const cluster = clusterSpecOf(parent, config);
  if (cluster.at === "invalid") return invalid(cluster.path, cluster.problem);
  const server = nameserverOf(identityOf(it), own.spec, cluster.spec);
  const problem = wrongTogether(server, own.spec);
  return problem === undefined ? { is: "sound", server } : { is: "invalid", problem };
}

function identityOf(it: Bind9Instance) {
  const { name = "", namespace = "" } = it.metadata;
  const maker = ownerOf(it)?.name;
  return { name, namespace, ...(maker === undefined ? {} : { cluster: maker }) };
}

function clusterSpecOf(parent: Parent, config: Config) {
  const nothing: Bind9ClusterSpec = {};
  if (parent.is === "cluster") return checkCluster(parent.object, config);
  if (parent.is === "global") return checkGlobalCluster(parent.object, config);
  return { at: "valid", spec: nothing } as const;
}

/** What no part says by itself. */
function wrongTogether(server: Nameserver, { storage }: Bind9InstanceSpec): Problem | undefined {
  const taken = server.volumes.findIndex(({ name }) => name === moreKeysVolume);
  if (taken >= 0)
    return { path: `spec.volumes[${taken}].name`, problem: text`is the name of a volume of the operator` };
  const hasKeys = server.config.dnssec?.signing?.keysFrom?.secretRef !== undefined;
  if (isSigning(server) && !hasKeys && storage?.storageType !== "persistentVolumeClaim") {
    return {
      path: "spec.config.dnssec.signing.enabled",
      problem: text`is set, but the keys would be lost with the pod: give keysFrom.secretRef, or a persistentVolumeClaim`,
    };
  }
  return undefined;
}

const invalid = (path: string, problem: Problem["problem"]): Asked => ({ is: "invalid", problem: { path, problem } });
