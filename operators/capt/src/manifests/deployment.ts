// The operator's own Deployment, as the image is started: nobody's user, nothing to write to but the volumes of a runner (13.5).
import type { Deployment } from "@telltale/kinds/builtin";
import type { Config } from "../config.ts";
import { nameOf, type Provider, providerLabels } from "./provider.ts";

export interface DeploymentOptions {
  readonly config: Config;
  readonly provider: Provider;
  readonly namespace: string;
  readonly image: string;
  /** How the image is told to run this operator, with its flags. */
  readonly args: readonly string[];
}

/** A runner starts other programs: it needs room, and time to stop them. */
const standing = { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "512Mi" } };
const running = { requests: { cpu: "250m", memory: "256Mi" }, limits: { cpu: "2", memory: "2Gi" } };
const cancelSeconds = 90;

export function deployment({ config, provider, namespace, image, args }: DeploymentOptions): Deployment {
  const name = nameOf(provider);
  const { controllers, runner, process } = config;
  const isRunning = controllers.includes("workspace-runner") && runner.kind !== "none";
  const labels = { ...providerLabels(provider), "control-plane": `${name}-controller-manager` };
  const probe = (path: string) => ({ httpGet: { path, port: "health" } });
  const from = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `${name}-controller-manager`, namespace, labels },
    spec: {
      replicas: 1,
      // A volume that one node may write to cannot be handed over while both run.
      ...(isRunning && { strategy: { type: "Recreate" } }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: isRunning ? cancelSeconds : 30,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_532,
            fsGroup: 65_532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: "manager",
              image,
              args: [...args],
              env: [from("POD_NAME", "metadata.name"), from("POD_NAMESPACE", "metadata.namespace")],
              ports: [
                ...(process.metrics === undefined ? [] : [{ name: "metrics", containerPort: process.metrics.port }]),
                ...(process.health === undefined ? [] : [{ name: "health", containerPort: process.health.port }]),
              ],
              ...(process.health !== undefined && {
                livenessProbe: probe("/healthz"),
                readinessProbe: probe("/readyz"),
              }),
              resources: isRunning ? running : standing,
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
              ...(isRunning && {
                volumeMounts: [
                  { name: "runs", mountPath: runner.root },
                  { name: "tmp", mountPath: "/tmp" },
                ],
              }),
            },
          ],
          ...(isRunning && {
            volumes: [
              { name: "runs", emptyDir: {} },
              { name: "tmp", emptyDir: {} },
            ],
          }),
        },
      },
    },
  };
}
