// What a person asked for in the first version: the spec of a LocustTest, `v1`. Deprecated.
import { Dictionary, Enum, Fields, Int32, List, Optional, type Static, Text } from "@telltale/kinds";

const byRole = () => Optional(Fields({ master: Optional(Dictionary(Text())), worker: Optional(Dictionary(Text())) }));

const affinity = Fields({
  nodeAffinity: Optional(
    Fields({
      requiredDuringSchedulingIgnoredDuringExecution: Optional(
        Dictionary(Text(), { description: "Labels that a node must have, each with this value" }),
      ),
    }),
  ),
});

const toleration = Fields({
  key: Text(),
  operator: Enum(["Exists", "Equal"]),
  value: Optional(Text()),
  effect: Enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
});

export const LocustTestSpecV1 = Fields({
  masterCommandSeed: Text({ description: "Arguments of locust on the master, split at white space" }),
  workerCommandSeed: Text({ description: "Arguments of locust on the workers, split at white space" }),
  workerReplicas: Int32({ minimum: 1, maximum: 500, default: 1 }),
  image: Text(),
  imagePullPolicy: Optional(Enum(["Always", "IfNotPresent", "Never"])),
  imagePullSecrets: Optional(List(Text(), { description: "Names of Secrets" })),
  configMap: Optional(Text()),
  libConfigMap: Optional(Text()),
  labels: byRole(),
  annotations: byRole(),
  affinity: Optional(affinity),
  tolerations: Optional(List(toleration)),
});
export type LocustTestSpecV1 = Static<typeof LocustTestSpecV1>;
