// The ConfigMap of a nameserver: what named and rndc read, unless a person gave ConfigMaps of their own (8.4). Pure.
import { canonicalJson, sha256Hex } from "@telltale/kinds";
import type { ConfigMap } from "@telltale/kinds/builtin";
import { configMapName } from "../names.ts";
import { labelsOf } from "./labels.ts";
import { namedConf, namedOptions, rndcConf } from "./named-conf.ts";
import type { Nameserver } from "./nameserver.ts";

export function buildConfigMap(server: Nameserver, keyName: string): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: configMapName(server.name), namespace: server.namespace, labels: labelsOf(server) },
    data: configData(server, keyName),
  };
}

export function configData(server: Nameserver, keyName: string): Record<string, string> {
  const { namedConf: conf, namedConfOptions: options } = server.configMapRefs;
  return {
    ...(conf === undefined ? { "named.conf": namedConf(server, keyName) } : {}),
    ...(options === undefined ? { "named.conf.options": namedOptions(server, keyName) } : {}),
    "rndc.conf": rndcConf(keyName),
  };
}

/** Mounted by subPath, files never change under a running pod: a new hash makes a new pod. */
export const configHash = (data: Readonly<Record<string, string>>): string => sha256Hex(canonicalJson(data));
