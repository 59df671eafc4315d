// What stands beside an operator's Deployment: how many pods may be missing, who may reach them, and who reads their figures. Pure.
import type { KubeObject } from "@telltale/kinds";
import type { NetworkPolicy, PodDisruptionBudget, Service } from "@telltale/kinds/builtin";
import type { Operator } from "../operators/operator.ts";
import type { ManifestOptions } from "./manifests.ts";

/** The ports of an operator's container. */
export const ports = { probes: 8080, webhooks: 9443 } as const;

/** What an operator's pods have, and nothing else has. */
export const podLabels = ({ name }: Operator) => ({ "app.kubernetes.io/name": name });

export function besideOf(operator: Operator, options: ManifestOptions): readonly KubeObject[] {
  const { name } = operator;
  const { namespace, webhooks, serviceMonitor } = options;
  const pods = { matchLabels: podLabels(operator) };
  const budget: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace },
    spec: { maxUnavailable: 1, selector: pods },
  };
  // Only what comes in: where the API server is, no policy can know.
  const reachable = [ports.probes, ...(webhooks ? [ports.webhooks] : [])];
  const policy: NetworkPolicy = {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace },
    spec: {
      podSelector: pods,
      policyTypes: ["Ingress"],
      ingress: [{ ports: reachable.map((port) => ({ protocol: "TCP", port })) }],
    },
  };
  return [budget, policy, ...(serviceMonitor ? monitor(operator, namespace) : [])];
}

/** For the Prometheus Operator, whose definitions have to be there. */
function monitor(operator: Operator, namespace: string): readonly KubeObject[] {
  const labels = { ...podLabels(operator), "app.kubernetes.io/component": "metrics" };
  const metadata = { name: `${operator.name}-metrics`, namespace, labels };
  const service: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { selector: podLabels(operator), ports: [{ name: "metrics", port: ports.probes, targetPort: "probes" }] },
  };
  const serviceMonitor = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata,
    spec: { selector: { matchLabels: labels }, endpoints: [{ port: "metrics" }] },
  };
  return [service, serviceMonitor];
}
