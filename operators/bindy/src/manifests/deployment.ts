// The operator's own Deployment (8.1): nobody's user, nothing to write to, and a token that only Bindcar accepts.
import type { Deployment } from "@telltale/kinds/builtin";
import { operatorNamespace, operatorServiceAccount } from "../names.ts";

export interface DeploymentOptions {
  readonly namespace?: string;
  readonly image: string;
  /** How the image is told to run this operator. */
  readonly args?: readonly string[];
  /** Further settings of the operator: `{ LOG_FORMAT: "json" }`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly metricsPort?: number;
}

export const operatorLabels = { app: "bindy", "app.kubernetes.io/name": "bindy" } as const;

/** Where the token for Bindcar is in the container. */
export const tokenMount = { path: "/var/run/secrets/bindcar", file: "token", audience: "bindcar" } as const;

const fromField = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });

export function deployment(options: DeploymentOptions): Deployment {
  const { namespace = operatorNamespace, image, args = ["run"], env = {}, metricsPort = 8080 } = options;
  const probe = (path: string) => ({ httpGet: { path, port: "metrics" } });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "bindy", namespace, labels: { ...operatorLabels } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: operatorLabels.app } },
      template: {
        metadata: { labels: { ...operatorLabels } },
        spec: {
          serviceAccountName: operatorServiceAccount,
          securityContext: { runAsNonRoot: true, runAsUser: 65_534, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: "bindy",
              image,
              args: [...args],
              env: [
                fromField("POD_NAME", "metadata.name"),
                fromField("POD_NAMESPACE", "metadata.namespace"),
                ...Object.entries(env).map(([name, value]) => ({ name, value })),
              ],
              ports: [{ name: "metrics", containerPort: metricsPort }],
              livenessProbe: probe("/healthz"),
              readinessProbe: probe("/readyz"),
              resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "300Mi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
              volumeMounts: [{ name: "bindcar-token", mountPath: tokenMount.path, readOnly: true }],
            },
          ],
          volumes: [
            {
              name: "bindcar-token",
              projected: {
                sources: [
                  {
                    serviceAccountToken: {
                      audience: tokenMount.audience,
                      expirationSeconds: 3600,
                      path: tokenMount.file,
                    },
                  },
                ],
              },
            },
          ],
        },
      },
    },
  };
}
