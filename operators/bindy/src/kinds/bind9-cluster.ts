// Bind9Cluster: primaries and secondaries in one namespace. This is everything that it can say of itself (3.2).
import {
  column,
  conditions,
  defineKind,
  Fields,
  family,
  Int32,
  List,
  positive,
  type Resource,
  type Static,
  Text,
  wide,
} from "@telltale/kinds";
import { because } from "../meanings.ts";
import { finalizers, group, version } from "../names.ts";
import { keepStatus } from "./failures.ts";
import { clusterFields } from "./fields.ts";
import type { Settled } from "./maybe.ts";
import { instanceTrouble, notReady, podTrouble, ready, tail, written } from "./vocabulary.ts";

/** Of both kinds of cluster; what `instances` are differs. */
export const clusterStatus = (children: string) =>
  Fields({
    instanceCount: Int32({ minimum: 0, description: `How many ${children} there are, without those on their way out` }),
    readyInstances: Int32({ minimum: 0, description: "How many of them are ready" }),
    instances: List(Text({ maxLength: 317 }), { maxItems: 1000, description: `The ${children}` }),
  });

export const roleColumns = () => [
  column("Version", ".spec.version"),
  column("Primary", ".spec.primary.replicas", "integer"),
  column("Secondary", ".spec.secondary.replicas", "integer"),
];

const spec = Fields(clusterFields);
export type Bind9ClusterSpec = Settled<Static<typeof spec>>;

export const Bind9Cluster = defineKind({
  group,
  version,
  kind: "Bind9Cluster",
  shortNames: ["b9c", "b9cs"],
  description: "A set of primary and secondary BIND9 servers in one namespace.",
  spec,
  status: clusterStatus("Bind9Instances"),
  conditions: conditions(
    {
      Ready: positive({
        means: "Every Bind9Instance that is wanted is ready",
        reasons: {
          ...because(["True"], ["AllReady"]),
          ...because(["True", "False", "Unknown"], ["InstancesScaling"]),
          ...because(["False", "Unknown"], ["NotReady"]),
          ...because(
            ["False"],
            [
              "PartiallyReady",
              "NoChildren",
              "InstancesCreated",
              "InstancesPending",
              "ConfigurationInvalid",
              "Progressing",
            ],
          ),
        },
      }),
      Bind9Instance: family({
        means: "This Bind9Instance is ready",
        reasons: {
          ...because(["True"], ["Ready"]),
          ...notReady,
          ...podTrouble,
          // Unknown: its newest spec was not looked at yet.
          ...because(["False", "Unknown"], ["Progressing"]),
          ...instanceTrouble,
        },
      }),
    },
    written,
  ),
  memory: ["conditions.Ready"],
  failures: keepStatus,
  columns: [...roleColumns(), ready(), wide("Instances", ".status.readyInstances", "integer"), ...tail()],
  finalizer: finalizers.bind9Cluster,
});
export type Bind9Cluster = Resource<typeof Bind9Cluster>;
export type Bind9ClusterStatus = NonNullable<Bind9Cluster["status"]>;
