// Who may reach the pods of instances: everybody at the DNS port, the operator alone at Bindcar's (12.5).
import type { NetworkPolicy } from "@telltale/kinds/builtin";
import { appName, labels, operatorNamespace } from "../names.ts";

export interface PolicyOptions {
  /** Where there are instances. */
  readonly namespace: string;
  /** Where the operator runs. */
  readonly operator?: string;
  /** `bindcarConfig.port` */
  readonly bindcarPort?: number;
}

const dnsPort = 5353;

/** What pods send is not limited: they transfer zones, forward queries, and ask the API server whose token they were shown. */
export function podPolicy({
  namespace,
  operator = operatorNamespace,
  bindcarPort = 8080,
}: PolicyOptions): NetworkPolicy {
  const from = [
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": operator } },
      podSelector: { matchLabels: { app: "bindy" } },
    },
  ];
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "bind9", namespace },
    spec: {
      podSelector: { matchLabels: { [labels.app]: appName } },
      policyTypes: ["Ingress"],
      ingress: [
        { ports: ["TCP", "UDP"].map((protocol) => ({ protocol, port: dnsPort })) },
        { from, ports: [{ protocol: "TCP", port: bindcarPort }] },
      ],
    },
  };
}
