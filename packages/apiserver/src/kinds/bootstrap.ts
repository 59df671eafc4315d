// The objects that are there before anybody creates one. Without uid, times and versions: the registry adds those.
import type { JsonObject } from "../json.ts";
import { bootstrapRoles } from "./bootstrap-roles.ts";

/** In the order in which they are to be created. */
export function bootstrapObjects(port: number): JsonObject[] {
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
    ...kubernetesService(port, "127.0.0.1"),
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
