// Cluster, which belongs to Cluster API: the parts of it that we read, and write where nobody else does. It has two versions
// with two shapes of status; a server that knows the newer one is spoken to in it (7.1). The CRDs are for embedded servers.
import {
  column,
  conditionColumn,
  conditions,
  Dictionary,
  defineKind,
  Fields,
  Flag,
  Int32,
  Int64,
  List,
  ListMap,
  mirrored,
  Opaque,
  Optional,
  phases,
  type Resource,
  Text,
  Time,
} from "@telltale/kinds";
import { clusterGroup, finalizers } from "../names.ts";
import { keepStatus } from "./failures.ts";
import { simulatedColumn } from "./reasons.ts";

/** May hold nothing: an empty host and port 0 stand for none. */
const clusterEndpoint = () =>
  Optional(
    Fields({ host: Optional(Text({ maxLength: 512 })), port: Optional(Int32({ minimum: 0, maximum: 65_535 })) }),
  );

const phase = phases(
  {
    Pending: ["Provisioning", "Provisioned", "Deleting", "Failed", "Unknown"],
    Provisioning: ["Pending", "Provisioned", "Deleting", "Failed", "Unknown"],
    Provisioned: ["Pending", "Provisioning", "Deleting", "Failed", "Unknown"],
    Deleting: [],
    Failed: ["Pending", "Provisioning", "Provisioned", "Deleting", "Unknown"],
    Unknown: ["Pending", "Provisioning", "Provisioned", "Deleting", "Failed"],
  },
  { initial: ["Pending", "Provisioning", "Provisioned", "Deleting", "Failed", "Unknown"] },
);

const domain = {
  controlPlane: Optional(Flag()),
  attributes: Optional(Dictionary(Text(), { maxProperties: 64 })),
} as const;

const simulated = mirrored({
  means: "Nothing is real: a provider only pretends that it is there",
  polarity: "neutral",
  present: "whenTrue",
});
const mirrors = (means: string) => mirrored({ means, present: "onceSet" });

const common = {
  group: clusterGroup,
  kind: "Cluster",
  shortNames: ["cl"],
  categories: ["cluster-api"],
  description: "A cluster, as Cluster API knows it.",
  phases: phase,
  failures: keepStatus,
  finalizer: finalizers.clusterBridge,
} as const;

/** A phase that stays tells nothing of how it is now: the condition does. */
const columns = (condition: "Ready" | "Available") => [
  column("PHASE", ".status.phase"),
  conditionColumn(condition.toUpperCase(), condition),
  column("AGE", ".metadata.creationTimestamp", "date"),
  simulatedColumn,
];

const noEffect = "For Cluster API: has no effect on this operator";
const unused = () => Text({ description: noEffect });

const referenceV1beta1 = () =>
  Optional(
    Fields({
      apiVersion: Optional(Text()),
      kind: Optional(Text()),
      name: Optional(Text()),
      namespace: Optional(Text()),
      uid: Optional(unused()),
      resourceVersion: Optional(unused()),
      fieldPath: Optional(unused()),
    }),
  );

export const ClusterV1beta1 = defineKind({
  ...common,
  version: "v1beta1",
  columns: columns("Ready"),
  spec: Fields({
    paused: Optional(Flag()),
    controlPlaneEndpoint: clusterEndpoint(),
    infrastructureRef: referenceV1beta1(),
    controlPlaneRef: referenceV1beta1(),
    clusterNetwork: Optional(Opaque({ description: noEffect })),
    topology: Optional(Opaque({ description: noEffect })),
  }),
  status: Fields({
    infrastructureReady: Flag(),
    controlPlaneReady: Flag(),
    failureReason: Text(),
    failureMessage: Text(),
    failureDomains: Dictionary(Fields(domain), { maxProperties: 100 }),
    v1beta2: Opaque({ description: "Never set by this operator" }),
  }),
  conditions: conditions(
    {
      Ready: mirrors("All of the others are True"),
      InfrastructureReady: mirrors("The infrastructure's own Ready"),
      ControlPlaneReady: mirrors("The control plane's own Ready"),
      ControlPlaneInitialized: mirrors("The control plane could be used once"),
      Simulated: simulated,
    },
    { shape: "capiV1beta1" },
  ),
});
export type ClusterV1beta1 = Resource<typeof ClusterV1beta1>;

const referenceV1beta2 = () =>
  Optional(Fields({ apiGroup: Text({ minLength: 1 }), kind: Text({ minLength: 1 }), name: Text({ minLength: 1 }) }));

const deprecatedCondition = Fields({
  type: Text({ maxLength: 256 }),
  status: Text({ maxLength: 16 }),
  severity: Optional(Text({ maxLength: 32 })),
  lastTransitionTime: Optional(Time()),
  reason: Optional(Text({ maxLength: 256 })),
  message: Optional(Text({ maxLength: 10_240 })),
});

export const ClusterV1beta2 = defineKind({
  ...common,
  version: "v1beta2",
  columns: columns("Available"),
  spec: Fields({
    paused: Optional(Flag()),
    controlPlaneEndpoint: clusterEndpoint(),
    infrastructureRef: referenceV1beta2(),
    controlPlaneRef: referenceV1beta2(),
    clusterNetwork: Optional(Opaque({ description: noEffect })),
    topology: Optional(Opaque({ description: noEffect })),
    availabilityGates: Optional(List(Opaque())),
  }),
  status: Fields({
    initialization: Fields(
      { infrastructureProvisioned: Optional(Flag()), controlPlaneInitialized: Optional(Flag()) },
      { minProperties: 1 },
    ),
    failureDomains: ListMap(Fields({ name: Text({ maxLength: 256 }), ...domain }), ["name"], {
      minItems: 1,
      maxItems: 100,
    }),
    controlPlane: Fields({
      versions: Optional(List(Fields({ version: Text({ maxLength: 256 }) }), { maxItems: 32 })),
      desiredReplicas: Optional(Int32()),
      replicas: Optional(Int32()),
      observedGeneration: Optional(Int64()),
    }),
    deprecated: Fields({
      v1beta1: Optional(
        Fields({
          conditions: Optional(List(deprecatedCondition, { maxItems: 100 })),
          failureReason: Optional(Text()),
          failureMessage: Optional(Text()),
        }),
      ),
    }),
  }),
  conditions: conditions({
    Available: mirrors("All of the others are as they should be"),
    ControlPlaneAvailable: mirrors("The control plane's own Available"),
    ControlPlaneInitialized: mirrors("The control plane could be used once"),
    InfrastructureReady: mirrors("The infrastructure's own Ready"),
    Simulated: simulated,
    Paused: mirrored({ means: "Nobody works on it", polarity: "neutral", present: "onceSet" }),
    Deleting: mirrored({ means: "It is on its way out", polarity: "neutral", present: "onceSet" }),
  }),
});
export type ClusterV1beta2 = Resource<typeof ClusterV1beta2>;

export type ClusterKind = typeof ClusterV1beta1 | typeof ClusterV1beta2;
/** A Cluster in either version. */
export type Cluster = ClusterV1beta1 | ClusterV1beta2;
