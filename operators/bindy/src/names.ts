// Names, labels, annotations and finalizers: what we call things, and what others call them (4). Pure.

export const group = "bindy.firestoned.io";
export const version = "v1beta1";
export const apiVersion = `${group}/${version}` as const;

/** Both kinds of cluster share one, as they always have. */
const clusterFinalizer = `${group}/bind9cluster-finalizer` as const;

export const finalizers = {
  bind9GlobalCluster: clusterFinalizer,
  bind9Cluster: clusterFinalizer,
  bind9Instance: `${group}/bind9instance-finalizer`,
  dnsZone: `${group}/dnszone-finalizer`,
  aRecord: `${group}/arecord-finalizer`,
  aaaaRecord: `${group}/aaaarecord-finalizer`,
  txtRecord: `${group}/txtrecord-finalizer`,
  cnameRecord: `${group}/cnamerecord-finalizer`,
  mxRecord: `${group}/mxrecord-finalizer`,
  nsRecord: `${group}/nsrecord-finalizer`,
  srvRecord: `${group}/srvrecord-finalizer`,
  caaRecord: `${group}/caarecord-finalizer`,
} as const;

export const BINDY_INSTANCE_INDEX_ANNOTATION = `${group}/instance-index` as const;
export const BINDY_RECONCILE_TRIGGER_ANNOTATION = `${group}/reconcile-trigger` as const;
export const ANNOTATION_ALLOW_ZONE_NAMESPACES = `${group}/allow-zone-namespaces` as const;
export const ANNOTATION_RNDC_CREATED_AT = `${group}/rndc-created-at` as const;
export const ANNOTATION_RNDC_ROTATE_AT = `${group}/rndc-rotate-at` as const;
export const ANNOTATION_RNDC_ROTATION_COUNT = `${group}/rndc-rotation-count` as const;
export const ANNOTATION_RNDC_ROTATED_AT = `${group}/rndc-rotated-at` as const;
/** Of older installations: read, never written. */
export const ANNOTATION_ZONE_OWNER = `${group}/zone` as const;
/** Of older installations: read, never written. */
export const ANNOTATION_ZONE_PREVIOUS_OWNER = `${group}/previous-zone` as const;

export const annotations = {
  instanceIndex: BINDY_INSTANCE_INDEX_ANNOTATION,
  reconcileTrigger: BINDY_RECONCILE_TRIGGER_ANNOTATION,
  allowZoneNamespaces: ANNOTATION_ALLOW_ZONE_NAMESPACES,
  rndcCreatedAt: ANNOTATION_RNDC_CREATED_AT,
  rndcRotateAt: ANNOTATION_RNDC_ROTATE_AT,
  rndcRotationCount: ANNOTATION_RNDC_ROTATION_COUNT,
  rndcRotatedAt: ANNOTATION_RNDC_ROTATED_AT,
  zoneOwner: ANNOTATION_ZONE_OWNER,
  zonePreviousOwner: ANNOTATION_ZONE_PREVIOUS_OWNER,
  configHash: `${group}/config-hash`,
  rndcSecretVersion: `${group}/rndc-secret-version`,
  /** Where a pod is reached when it has no address of its own: `ip:port`. */
  endpointHttp: `${group}/endpoint-http`,
  endpointDns: `${group}/endpoint-dns`,
} as const;

export const labels = {
  managedBy: `${group}/managed-by`,
  cluster: `${group}/cluster`,
  role: `${group}/role`,
  appName: "app.kubernetes.io/name",
  appInstance: "app.kubernetes.io/instance",
  appComponent: "app.kubernetes.io/component",
  appManagedBy: "app.kubernetes.io/managed-by",
  appPartOf: "app.kubernetes.io/part-of",
  app: "app",
  instance: "instance",
} as const;

/** Keys that people may not give: the operator's own, and those that it sets on what it makes. */
export const reservedLabelPrefixes = [`${group}/`, "app.kubernetes.io/"] as const;

export const partOf = "bindy";

/** Only what is ours: one watch of a kind for all who look at it. */
export const parts = { label: `${labels.appPartOf}=${partOf}` } as const;
export const appName = "bind9";
export const component = "dns-server";

export type Role = "primary" | "secondary";
/** Who made an object of ours: the value of the managed-by label. */
export type Maker = "Bind9GlobalCluster" | "Bind9Cluster";

/** The labels of a Bind9Cluster that a Bind9GlobalCluster of the same name keeps. */
export const managedClusterLabels = (globalCluster: string): Readonly<Record<string, string>> => ({
  [labels.managedBy]: "Bind9GlobalCluster" satisfies Maker,
  [labels.cluster]: globalCluster,
});

/** The labels of a Bind9Instance that a Bind9Cluster keeps. */
export const managedInstanceLabels = (cluster: string, role: Role): Readonly<Record<string, string>> => ({
  [labels.managedBy]: "Bind9Cluster" satisfies Maker,
  [labels.cluster]: cluster,
  [labels.role]: role,
  [labels.appPartOf]: partOf,
});

/** The labels of everything that an instance is made of: Deployment, Service, ConfigMap, Secret and pods. */
export const partLabels = (instance: string, made: "managed" | "unmanaged"): Readonly<Record<string, string>> => ({
  ...selectorLabels(instance),
  [labels.appName]: appName,
  [labels.appInstance]: instance,
  [labels.appComponent]: component,
  [labels.appManagedBy]: made === "managed" ? "Bind9Cluster" : "Bind9Instance",
  [labels.appPartOf]: partOf,
});

/** A selector cannot be changed later, so it holds only what never changes. */
export const selectorLabels = (instance: string): Readonly<Record<string, string>> => ({
  [labels.app]: appName,
  [labels.instance]: instance,
});

export const serviceAccountLabels: Readonly<Record<string, string>> = {
  [labels.appName]: appName,
  [labels.appComponent]: component,
  [labels.appPartOf]: partOf,
};

export const instanceName = (cluster: string, role: Role, ordinal: number): string => `${cluster}-${role}-${ordinal}`;

/** The ordinal in the name of a managed instance, or undefined when the name is not one of the cluster's. */
export function ordinalOf(name: string, cluster: string, role: Role): number | undefined {
  const start = `${cluster}-${role}-`;
  const rest = name.startsWith(start) ? name.slice(start.length) : "";
  return /^(0|[1-9][0-9]{0,8})$/.test(rest) ? Number(rest) : undefined;
}

export const configMapName = (instance: string): string => `${instance}-config`;
export const rndcSecretName = (instance: string): string => `${instance}-rndc-key`;

/** The account of the pods: one in each namespace, shared by all instances there. */
export const podServiceAccount = "bind9";
export const containers = { bind9: "bind9", api: "api", keys: "signing-keys" } as const;
/** The pod condition that keeps a pod out of service until it has every zone. */
export const zonesLoadedGate = `${group}/zones-loaded` as const;

export const leaseName = "bindy-leader";
export const fieldManager = "bindy-controller";
export const operatorNamespace = "bindy-system";
export const operatorServiceAccount = "bindy";

/** `{cluster}-secondary-99` becomes the name of a Service, and that may have 63 characters (3.0). */
export const nameLimits = { cluster: 50, instance: 63 } as const;
export const namePattern = "^[a-z]([-a-z0-9]*[a-z0-9])?$";
