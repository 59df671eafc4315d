// Bind9Instance: one nameserver, made of a Deployment, a Service, a ConfigMap and a Secret. This is everything that it can
// say of itself (3.3).
import {
  column,
  conditions,
  defineKind,
  Enum,
  Fields,
  family,
  Immutable,
  Int32,
  Int64,
  List,
  ListMap,
  Optional,
  positive,
  type Resource,
  type Static,
  Text,
  Time,
  UInt32,
  wide,
} from "@telltale/kinds";
import { because } from "../meanings.ts";
import { finalizers, group, version } from "../names.ts";
import { keepStatus } from "./failures.ts";
import {
  Bind9Config,
  BindcarConfig,
  bindVersion,
  ConfigMapRefs,
  ImageConfig,
  RndcKeyConfig,
  RndcSecretRef,
  StorageConfig,
  volumeMounts,
  volumes,
} from "./fields.ts";
import { Maybe, type Settled } from "./maybe.ts";
import { patterns } from "./patterns.ts";
import { ClusterReference, ZoneReference } from "./references.ts";
import { instanceTrouble, notReady, podTrouble, ready, tail, written } from "./vocabulary.ts";

const spec = Fields({
  clusterRef: Text({
    maxLength: 253,
    pattern: patterns.objectNameOrNone,
    description: "A Bind9Cluster in the same namespace, else a Bind9GlobalCluster. Empty: neither",
  }),
  role: Immutable(Enum(["primary", "secondary"])),
  replicas: Maybe(Int32({ minimum: 0, maximum: 100, default: 1, description: "How many pods" })),
  version: Maybe(bindVersion()),
  image: Maybe(ImageConfig),
  configMapRefs: Maybe(ConfigMapRefs),
  config: Maybe(Bind9Config),
  primaryServers: Maybe(
    List(Text({ maxLength: 53, pattern: patterns.endpoint }), {
      maxItems: 64,
      description: "Further primaries of a secondary: an address, or one with a port",
    }),
  ),
  volumes: volumes(),
  volumeMounts: volumeMounts(),
  rndcSecretRef: Maybe(RndcSecretRef),
  rndcKey: Maybe(RndcKeyConfig),
  storage: Maybe(StorageConfig),
  bindcarConfig: Maybe(BindcarConfig),
});
export type Bind9InstanceSpec = Settled<Static<typeof spec>>;

const PodReport = Fields({
  name: Text({ maxLength: 253 }),
  uid: Text({ maxLength: 64 }),
  slot: Int32({ minimum: 0, description: "The number of its condition: Pod-{slot}" }),
  probe: Enum(["Unknown", "Succeeded", "Failed"], {
    description: "What the last probes of its Bindcar came to. Unknown: it has not answered yet, or not for 5 minutes",
  }),
  failure: Optional(
    Fields({
      httpStatus: Optional(Int32({ minimum: 0, description: "Absent: no answer came" })),
      code: Optional(Text({ maxLength: 64 })),
      zone: Optional(Text({ maxLength: 253, description: "The zone that was asked for" })),
    }),
  ),
  transfer: Optional(
    Fields({
      zone: Text({ maxLength: 253, description: "A zone that it has not transferred for 120 seconds" }),
      serial: Optional(UInt32()),
      expectedSerial: Optional(UInt32({ description: "Absent: of external primaries" })),
    }),
  ),
});

const status = Fields({
  observedParentGeneration: Int64({ description: "The generation of the cluster that was applied last" }),
  replicas: Int32({ minimum: 0, description: "How many pods are wanted" }),
  readyReplicas: Int32({ minimum: 0, description: "How many of them are known to be ready" }),
  pods: ListMap(PodReport, ["uid"], { maxItems: 256, description: "What is known of each pod" }),
  serviceAddress: Text({ maxLength: 253 }),
  clusterRef: ClusterReference,
  zones: ListMap(ZoneReference, ["namespace", "name"], {
    maxItems: 5000,
    description: "The zones that its pods were found to have",
  }),
  unsupported: ListMap(
    Fields({
      field: Text({ maxLength: 253 }),
      message: Text({ maxLength: 1024, description: "What is done instead, and the way out" }),
    }),
    ["field"],
    { maxItems: 128, description: "Fields of its spec, or of its cluster's, that have no effect" },
  ),
  zonesCount: Int32({ minimum: 0, description: "How many zones its pods have. Without a pod: none" }),
  rndcKeyRotation: Fields({
    createdAt: Time(),
    rotateAt: Optional(Time()),
    lastRotatedAt: Optional(Time()),
    rotationCount: Optional(UInt32({ default: 0 })),
  }),
});

export const Bind9Instance = defineKind({
  group,
  version,
  kind: "Bind9Instance",
  shortNames: ["b9", "b9s"],
  description: "One BIND9 nameserver, in as many pods as are wanted.",
  spec,
  status,
  conditions: conditions(
    {
      Ready: positive({
        means: "Every pod that is wanted is ready",
        reasons: {
          ...because(["True"], ["AllReady"]),
          ...notReady,
          ...podTrouble,
          ...instanceTrouble,
        },
      }),
      Pod: family({
        means: "This pod is ready",
        reasons: {
          ...because(["True"], ["Ready"]),
          ...notReady,
          ...podTrouble,
          ...because(["False"], ["ZoneTransferFailed", "UpstreamUnreachable"]),
        },
      }),
    },
    written,
  ),
  memory: ["pods", "zones", "conditions.Ready"],
  maxStatusBytes: 1024 * 1024,
  failures: keepStatus,
  columns: [
    column("Cluster", ".spec.clusterRef"),
    column("Role", ".spec.role"),
    column("Replicas", ".spec.replicas", "integer"),
    column("Zones", ".status.zonesCount", "integer"),
    ready(),
    wide("Pods", ".status.readyReplicas", "integer"),
    ...tail(),
  ],
  finalizer: finalizers.bind9Instance,
});
export type Bind9Instance = Resource<typeof Bind9Instance>;
export type Bind9InstanceStatus = NonNullable<Bind9Instance["status"]>;
