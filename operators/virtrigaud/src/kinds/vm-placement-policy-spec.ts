// What a person says about where machines may go (3.5).
import {
  Dictionary,
  Enum,
  Fields,
  Flag,
  Int32,
  Int64,
  List,
  Optional,
  Quantity,
  type Static,
  Text,
} from "@telltale/kinds";
import { LabelSelector } from "@telltale/kinds/core";
import { checked, int, percentage, upTo, words } from "./fields.ts";

const scope = () => Optional(Enum(["strict", "preferred"], { description: "Absent: preferred" }));
const perPlace = (maximum: number) => int(1, maximum);

const PlacementConstraints = Fields({
  clusters: words(50),
  excludedClusters: words(50),
  hosts: words(200),
  excludedHosts: words(200),
  datastores: words(100),
  excludedDatastores: words(100),
  folders: words(50),
  resourcePools: words(100),
  networks: words(50),
  zones: words(20),
  regions: words(20),
  nodeSelector: Optional(Dictionary(Text(), { maxProperties: 20 })),
  tolerations: checked(
    Optional(
      List(
        Fields({
          key: upTo(253),
          operator: Optional(Enum(["Exists", "Equal"], { default: "Equal" })),
          value: upTo(253),
          effect: Optional(Enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])),
          tolerationSeconds: Optional(Int64({ minimum: 0 })),
        }),
        { maxItems: 20 },
      ),
    ),
    "no provider tells of taints",
  ),
});
export type PlacementConstraints = Static<typeof PlacementConstraints>;

const VMAffinityTerm = Fields({
  topologyKey: Text({ maxLength: 253 }),
  labelSelector: Optional(LabelSelector()),
  matchExpressions: Optional(
    List(
      Fields({
        key: Text({ maxLength: 253 }),
        operator: Enum(["In", "NotIn", "Exists", "DoesNotExist"]),
        values: words(50),
      }),
      { maxItems: 20 },
    ),
  ),
  namespaces: words(20),
  namespaceSelector: Optional(LabelSelector()),
});
export type VMAffinityTerm = Static<typeof VMAffinityTerm>;

const byMachines = () =>
  Optional(
    Fields({
      requiredDuringScheduling: Optional(List(VMAffinityTerm, { maxItems: 20 })),
      preferredDuringScheduling: Optional(
        List(Fields({ weight: Int32({ minimum: 1, maximum: 100 }), vmAffinityTerm: VMAffinityTerm }), { maxItems: 20 }),
      ),
    }),
  );

const byApplication = () =>
  Optional(Fields({ enabled: Flag(), scope: scope(), applicationLabel: Optional(Text({ default: "app" })) }));

const affinity = Fields({
  hostAffinity: Optional(Fields({ enabled: Flag(), scope: scope(), preferredHosts: words(50) })),
  clusterAffinity: Optional(Fields({ enabled: Flag(), scope: scope(), preferredClusters: words(20) })),
  datastoreAffinity: Optional(Fields({ enabled: Flag(), scope: scope(), preferredDatastores: words(50) })),
  zoneAffinity: Optional(Fields({ enabled: Flag(), scope: scope(), preferredZones: words(10) })),
  applicationAffinity: byApplication(),
  vmAffinity: byMachines(),
});

const antiAffinity = Fields({
  hostAntiAffinity: Optional(Fields({ enabled: Flag(), scope: scope(), maxVMsPerHost: perPlace(1000) })),
  clusterAntiAffinity: Optional(Fields({ enabled: Flag(), scope: scope(), maxVMsPerCluster: perPlace(10_000) })),
  datastoreAntiAffinity: Optional(Fields({ enabled: Flag(), scope: scope(), maxVMsPerDatastore: perPlace(10_000) })),
  zoneAntiAffinity: Optional(Fields({ enabled: Flag(), scope: scope(), maxVMsPerZone: perPlace(10_000) })),
  applicationAntiAffinity: byApplication(),
  vmAntiAffinity: byMachines(),
});

export const VMPlacementPolicySpec = Fields({
  hard: Optional(PlacementConstraints),
  soft: Optional(PlacementConstraints),
  affinity: Optional(affinity),
  antiAffinity: Optional(antiAffinity),
  resourceConstraints: Optional(
    Fields({
      maxCPUUtilization: Optional(percentage()),
      maxMemoryUtilization: Optional(percentage()),
      maxDiskUtilization: Optional(percentage()),
      minCPUPerHost: Optional(Int32({ minimum: 1 })),
      minMemoryPerHost: Optional(Quantity()),
      minDiskSpacePerHost: Optional(Quantity()),
      requiredFeatures: words(20),
      preferredFeatures: words(20),
    }),
  ),
  securityConstraints: Optional(
    Fields({
      requireSecureBoot: Optional(Flag()),
      requireTPM: Optional(Flag()),
      requireEncryptedStorage: Optional(Flag()),
      requireNUMATopology: Optional(Flag()),
      isolationLevel: Optional(Enum(["none", "basic", "strict", "maximum"])),
      trustLevel: Optional(Enum(["untrusted", "basic", "trusted", "highly-trusted"])),
      allowedSecurityGroups: words(20),
      deniedSecurityGroups: words(20),
    }),
  ),
  priority: int(0, 1000),
  weight: int(1, 100),
});
export type VMPlacementPolicySpec = Static<typeof VMPlacementPolicySpec>;
