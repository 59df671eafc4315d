// An operator as a Deployment: nobody's user, nothing to write to, two replicas of which one works. Pure.
import type { KubeObject } from "@telltale/kinds";
import type { Deployment } from "@telltale/kinds/builtin";
import type { Operator } from "../operators/operator.ts";
import { podLabels, ports } from "./beside.ts";
import type { ManifestOptions } from "./manifests.ts";

/** The one of `deploy/Dockerfile`. */
const imageUser = 65_532;

/** How the image is told to run an operator, with its flags. */
export const programArgs = (name: string, flags: Readonly<Record<string, string>>): readonly string[] => [
  ...["run", "--operators", name, "--host", "0.0.0.0"],
  ...Object.entries(flags).map(([flag, value]) => `--${name}.${flag}=${value}`),
];

export function deploymentOf(
  operator: Operator,
  { namespace, image, webhooks, settings, flags = {} }: ManifestOptions & { readonly image: string },
): KubeObject {
  const { name } = operator;
  const labels = podLabels(operator);
  const account = operator.roles({ namespace, settings, webhooks }).find(({ kind }) => kind === "ServiceAccount")
    ?.metadata?.name;
  const probe = (path: string) => ({ httpGet: { path, port: "probes" } });
  const from = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });
  const deployment: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        // By the first, policies of operators know them.
        metadata: { labels: { app: name, ...labels } },
        spec: {
          serviceAccountName: account ?? "default",
          securityContext: {
            runAsNonRoot: true,
            runAsUser: operator.user ?? imageUser,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name,
              image,
              args: [...programArgs(name, flags), ...(webhooks ? ["--webhooks"] : [])],
              env: [from("POD_NAME", "metadata.name"), from("POD_NAMESPACE", "metadata.namespace")],
              ports: [
                { name: "probes", containerPort: ports.probes },
                ...(webhooks ? [{ name: "webhooks", containerPort: ports.webhooks }] : []),
              ],
              livenessProbe: probe("/healthz"),
              readinessProbe: probe("/readyz"),
              resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
              ...(operator.mounts && { volumeMounts: operator.mounts.map(({ mount }) => mount) }),
            },
          ],
          ...(operator.mounts && { volumes: operator.mounts.map(({ volume }) => volume) }),
        },
      },
    },
  };
  return deployment;
}
