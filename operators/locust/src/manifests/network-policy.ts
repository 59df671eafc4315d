// Who may reach the master of a test. Its web API asks nobody for a password, and one GET stops the test.
import type { NetworkPolicy } from "@telltale/kinds/builtin";
import { nodeName, podLabel, testLabel } from "../build/index.ts";
import { masterPort, webPort } from "../build/ports.ts";

export interface Neighbours {
  /** Where the operator runs: it reads the web API. */
  readonly operator: string;
  /** Where Prometheus runs: it reads the exporter. */
  readonly monitoring: string;
  /** METRICS_EXPORTER_PORT */
  readonly exporterPort?: number;
}

/** For one test: workers of the same test, the operator's namespace and monitoring, each at its own port, and nobody else. */
export function masterPolicy(test: string, namespace: string, neighbours: Neighbours): NetworkPolicy {
  const { operator, monitoring, exporterPort = 9646 } = neighbours;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: nodeName(test, "master"), namespace },
    spec: {
      podSelector: { matchLabels: { [podLabel]: nodeName(test, "master") } },
      policyTypes: ["Ingress"],
      ingress: [
        { from: [{ podSelector: { matchLabels: { [testLabel]: test } } }], ports: [tcp(masterPort)] },
        { from: [namespaced(operator)], ports: [tcp(webPort)] },
        { from: [namespaced(monitoring)], ports: [tcp(exporterPort)] },
      ],
    },
  };
}

const tcp = (port: number) => ({ protocol: "TCP", port });
const namespaced = (name: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});
