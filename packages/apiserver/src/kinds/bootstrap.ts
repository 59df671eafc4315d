// The objects that are there before anybody creates one. Without uid, times and versions: the registry adds those.
import type { JsonObject } from "../json.ts";
import { bootstrapRoles } from "./bootstrap-roles.ts";

export interface BootstrapOptions {
  /** With a node, a storage class, and the ServiceAccount and certificate of every namespace. */
  readonly workloads?: boolean;
  /** PEM: what `kube-root-ca.crt` holds. */
  readonly ca?: string;
  /** Where the server listens. */
  readonly address?: string;
}

/** In the order in which they are to be created. */
export function bootstrapObjects(port: number, options: BootstrapOptions = {}): JsonObject[] {
  const { workloads = false, ca = "", address = "127.0.0.1" } = options;
  return [
    ...namespaces.map(namespace),
    ...bootstrapRoles(),
    priorityClass(
      "system-cluster-critical",
      2_000_000_000,
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
    priorityClass(
      "system-node-critical",
      2_000_001_000,
      "Used for system critical pods that must not be moved from their current node.",
    ),
    ...kubernetesService(port, address),
    ...(workloads ? [node, storageClass, ...namespaces.flatMap((name) => namespaceObjects(name, ca))] : []),
  ];
}

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

const namespace = (name: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
});

/** What every namespace has with `workloads`, those of later as well. */
export function namespaceObjects(name: string, ca: string): JsonObject[] {
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: name } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "kube-root-ca.crt",
        namespace: name,
        annotations: {
          "kubernetes.io/description":
            "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
        },
      },
      data: { "ca.crt": ca },
    },
  ];
}

const priorityClass = (name: string, value: number, description: string): JsonObject => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name, generation: 1 },
  value,
  description,
  preemptionPolicy: "PreemptLowerPriority",
});

/** How pods find the server. */
function kubernetesService(port: number, address: string): JsonObject[] {
  const metadata = { name: "kubernetes", namespace: "default" };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata, labels: { component: "apiserver", provider: "kubernetes" } },
      spec: {
        clusterIP: "10.0.0.1",
        clusterIPs: ["10.0.0.1"],
        internalTrafficPolicy: "Cluster",
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
        sessionAffinity: "None",
        type: "ClusterIP",
      },
      status: { loadBalancer: {} },
    },
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
      subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port, protocol: "TCP" }] }],
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, generation: 1, labels: { "kubernetes.io/service-name": "kubernetes" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: [{ name: "https", port, protocol: "TCP" }],
    },
  ];
}

const capacity = { cpu: "8", memory: "16Gi", pods: "110", "ephemeral-storage": "100Gi" };

const node: JsonObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "embedded-node",
    labels: {
      "kubernetes.io/arch": "amd64",
      "kubernetes.io/hostname": "embedded-node",
      "kubernetes.io/os": "linux",
    },
  },
  spec: {},
  status: {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: "InternalIP", address: "127.0.0.1" },
      { type: "Hostname", address: "embedded-node" },
    ],
  },
};

const storageClass: JsonObject = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "telltale.dev/embedded",
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
};
