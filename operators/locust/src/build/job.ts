// The Job of a role: one master, or all workers.
import type { Job } from "@telltale/kinds/builtin";
import type { Config, Role } from "../config.ts";
import type { LocustTest } from "../kinds/locust-test.ts";
import { buildArgs } from "./args.ts";
import { buildEnv, buildEnvFrom } from "./env.ts";
import { appliedAnnotations, ownLabels, podAnnotations, podLabels } from "./labels.ts";
import { nodeName } from "./names.ts";
import { legacyPort, masterPort, webPort, workerPort } from "./ports.ts";
import { buildResources } from "./resources.ts";
import { buildScheduling } from "./scheduling.ts";
import { buildSidecar } from "./sidecar.ts";
import type { Container, PodSpec, VolumeMount } from "./types.ts";
import { buildVolumes } from "./volumes.ts";

/**
 * `completions` is not set on purpose: the first worker that succeeds then stops new ones from starting, and the Job is
 * complete when all have ended.
 */
export function buildJob(test: LocustTest, role: Role, config: Config): Job {
  const name = test.metadata.name ?? "";
  const annotations = podAnnotations(role, test.spec, config);
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: nodeName(name, role),
      ...(test.metadata.namespace !== undefined && { namespace: test.metadata.namespace }),
      labels: ownLabels(name, role),
      annotations: appliedAnnotations(test),
    },
    spec: {
      parallelism: role === "master" ? 1 : test.spec.worker.replicas,
      backoffLimit: backoffLimits[role],
      ...(config.jobTtl !== undefined && { ttlSecondsAfterFinished: config.jobTtl }),
      template: {
        metadata: {
          labels: podLabels(name, role, test.spec),
          ...(Object.keys(annotations).length > 0 && { annotations }),
        },
        spec: podSpec(test, role, config),
      },
    },
  };
}

/**
 * A second master would run the test twice. A worker that fails is replaced, however many have failed before: a Job at its limit
 * deletes the pods that still work.
 */
const backoffLimits: Readonly<Record<Role, number>> = { master: 0, worker: 2 ** 31 - 1 };

function podSpec(test: LocustTest, role: Role, config: Config): PodSpec {
  const { spec } = test;
  const { imagePullSecrets = [] } = spec;
  const { volumes, volumeMounts } = buildVolumes(spec, role, test.metadata.name ?? "");
  const sidecar = role === "master" ? buildSidecar(test, config) : undefined;
  return {
    restartPolicy: "Never",
    automountServiceAccountToken: config.automountToken,
    securityContext: spec.security?.podSecurityContext ?? { seccompProfile: { type: "RuntimeDefault" } },
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: [...imagePullSecrets] }),
    ...buildScheduling(spec, config),
    ...(sidecar !== undefined && { initContainers: [sidecar] }),
    containers: [locust(test, role, config, volumeMounts)],
    ...(volumes.length > 0 && { volumes: [...volumes] }),
  };
}

function locust(test: LocustTest, role: Role, config: Config, volumeMounts: readonly VolumeMount[]): Container {
  const { spec } = test;
  const name = test.metadata.name ?? "";
  const [env, envFrom] = [buildEnv(spec, config), buildEnvFrom(spec)];
  const securityContext = spec.security?.containerSecurityContext;
  const ports = role === "master" ? [masterPort, legacyPort, webPort] : [workerPort];
  return {
    name: nodeName(name, role),
    image: spec.image,
    imagePullPolicy: spec.imagePullPolicy ?? "IfNotPresent",
    args: buildArgs(spec, role, name),
    ports: ports.map((containerPort) => ({ containerPort })),
    ...(env.length > 0 && { env }),
    ...(envFrom.length > 0 && { envFrom }),
    resources: buildResources(spec, role, config),
    ...(volumeMounts.length > 0 && { volumeMounts: [...volumeMounts] }),
    ...(securityContext !== undefined && { securityContext }),
  };
}
