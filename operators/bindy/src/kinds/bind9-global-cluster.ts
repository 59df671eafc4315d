// Bind9GlobalCluster: one Bind9Cluster in each of several namespaces. This is everything that it can say of itself (3.1).
import {
  conditions,
  defineKind,
  Fields,
  ListSet,
  positive,
  type Resource,
  type Static,
  Text,
  wide,
} from "@telltale/kinds";
import { because } from "../meanings.ts";
import { finalizers, group, version } from "../names.ts";
import { clusterStatus, roleColumns } from "./bind9-cluster.ts";
import { keepStatus } from "./failures.ts";
import { clusterFields } from "./fields.ts";
import { Maybe, type Settled } from "./maybe.ts";
import { patterns } from "./patterns.ts";
import { ready, tail, written } from "./vocabulary.ts";

const namespace = () => Text({ minLength: 1, maxLength: 63, pattern: patterns.namespace });

const spec = Fields({
  namespace: Maybe(namespace()),
  namespaces: Maybe(ListSet(namespace(), { maxItems: 50, description: "Further namespaces" })),
  ...clusterFields,
});
export type Bind9GlobalClusterSpec = Settled<Static<typeof spec>>;

export const Bind9GlobalCluster = defineKind({
  group,
  version,
  kind: "Bind9GlobalCluster",
  shortNames: ["b9gc", "b9gcs"],
  scope: "Cluster",
  description: "A DNS service for several namespaces: one Bind9Cluster of the same name in each.",
  spec,
  status: clusterStatus("Bind9Clusters"),
  conditions: conditions(
    {
      Ready: positive({
        means: "The Bind9Cluster in every namespace is ready",
        reasons: {
          ...because(["True"], ["ClustersReady"]),
          ...because(["False", "Unknown"], ["NotReady"]),
          ...because(["False"], ["ClustersProgressing", "NoChildren", "ConfigurationInvalid", "Progressing"]),
        },
      }),
    },
    written,
  ),
  failures: keepStatus,
  columns: [...roleColumns(), wide("Clusters", ".status.readyInstances", "integer"), ready(), ...tail()],
  finalizer: finalizers.bind9GlobalCluster,
});
export type Bind9GlobalCluster = Resource<typeof Bind9GlobalCluster>;
export type Bind9GlobalClusterStatus = NonNullable<Bind9GlobalCluster["status"]>;
