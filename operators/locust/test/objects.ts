// LocustTests of both versions for the tests of conversion and admission.
import { conversionData } from "../src/kinds/conversion-data.ts";
import type { LocustTestV1, LocustTestV2 } from "../src/kinds/convert.ts";
import type { LocustTest } from "../src/kinds/locust-test.ts";
import type { LocustTestSpec } from "../src/kinds/spec.ts";
import type { LocustTestSpecV1 } from "../src/kinds/spec-v1.ts";

export const metadata = {
  name: "demo",
  namespace: "perf",
  uid: "8f3c2c0e-5d0e-4c39-9d3e-2f6f5b7f0a11",
  resourceVersion: "42",
  generation: 3,
  creationTimestamp: "2026-01-19T21:59:58Z",
  labels: { team: "shop" },
  annotations: { note: "kept" },
};

/** Every field that v1 has. */
export const fullV1Spec: LocustTestSpecV1 = {
  masterCommandSeed: "--locustfile /lotest/src/test.py --users 100 --run-time 5m",
  workerCommandSeed: "--locustfile /lotest/src/test.py",
  workerReplicas: 3,
  image: "locustio/locust:2.46.3",
  imagePullPolicy: "Always",
  imagePullSecrets: ["registry-b", "registry-a"],
  configMap: "demo-scripts",
  libConfigMap: "demo-lib",
  labels: { master: { role: "m" }, worker: { role: "w", tier: "load" } },
  annotations: { master: { "example.com/a": "1" }, worker: { "example.com/b": "2" } },
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { zone: "eu", arch: "amd64", disk: "ssd" } },
  },
  tolerations: [
    { key: "load", operator: "Equal", value: "yes", effect: "NoSchedule" },
    { key: "spot", operator: "Exists", effect: "NoExecute" },
  ],
};

export const minimalV1Spec: LocustTestSpecV1 = {
  masterCommandSeed: "--locustfile a.py",
  workerCommandSeed: "--locustfile a.py",
  workerReplicas: 1,
  image: "locustio/locust:2.46.3",
};

export const v1Test = (spec: LocustTestSpecV1 = fullV1Spec, more: object = {}): LocustTestV1 => ({
  apiVersion: "locust.io/v1",
  kind: "LocustTest",
  metadata,
  spec,
  ...more,
});

/** As a server has it: with its defaults. */
export const plainV2Spec: LocustTestSpec = {
  image: "locustio/locust:2.46.3",
  imagePullPolicy: "IfNotPresent",
  master: {
    command: "--locustfile /lotest/src/test.py --host https://shop.example --users 100 --run-time 5m",
    autostart: true,
    autoquit: { enabled: true, timeout: 30 },
  },
  worker: { command: "--locustfile /lotest/src/test.py", replicas: 3 },
  testFiles: { configMapRef: "demo-scripts", srcMountPath: "/lotest/src", libMountPath: "/opt/locust/lib" },
};

/** Much that v1 has no field for. */
export const richV2Spec: LocustTestSpec = {
  ...plainV2Spec,
  imagePullSecrets: [{ name: "registry" }],
  master: {
    ...plainV2Spec.master,
    labels: { role: "m" },
    resources: { limits: { memory: "2Gi" } },
    extraArgs: ["--web-base-path", "/l"],
  },
  worker: { ...plainV2Spec.worker, resources: { requests: { cpu: "500m" } }, extraArgs: ["--loglevel=DEBUG"] },
  testFiles: { configMapRef: "demo-scripts", srcMountPath: "/tests", libMountPath: "/libs" },
  scheduling: {
    nodeSelector: { pool: "load" },
    runtimeClassName: "",
    tolerations: [{ key: "spot", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: "zone", operator: "In", values: ["eu", "us"] },
                { key: "arch", operator: "NotIn", values: ["arm64"] },
              ],
            },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] } },
        ],
      },
    },
  },
  env: {
    configMapRefs: [{ name: "settings", prefix: "APP_" }],
    secretRefs: [{ name: "keys" }],
    variables: [{ name: "TARGET", value: "shop" }],
    secretMounts: [{ name: "tls", mountPath: "/etc/tls", readOnly: false }],
  },
  volumes: [{ name: "data", emptyDir: {} }],
  volumeMounts: [{ name: "data", mountPath: "/data", target: "worker" }],
  security: { podSecurityContext: { runAsNonRoot: true }, containerSecurityContext: { privileged: false } },
  observability: {
    openTelemetry: {
      enabled: true,
      endpoint: "http://otel:4317",
      protocol: "grpc",
      insecure: true,
      extraEnvVars: { A: "b" },
    },
  },
};

export const runningStatus: NonNullable<LocustTest["status"]> = {
  phase: "Running",
  observedGeneration: 3,
  appliedGeneration: 3,
  appliedSpecHash: "9b1d0c7a5e2f4413",
  expectedWorkers: 3,
  connectedWorkers: 0,
  workersSource: "LocustAPI",
  startTime: "2026-01-19T22:00:00Z",
  conditions: [
    {
      type: "Ready",
      status: "True",
      reason: "ResourcesCreated",
      message: "All resources created",
      observedGeneration: 3,
      lastTransitionTime: "2026-01-19T21:59:58Z",
    },
  ],
};

export const v2Test = (spec: LocustTestSpec = richV2Spec, more: object = {}): LocustTestV2 => ({
  apiVersion: "locust.io/v2",
  kind: "LocustTest",
  metadata,
  spec,
  ...more,
});

/** A v1 object that claims to carry something. */
export function carryingV1(data: unknown, spec = minimalV1Spec): LocustTestV1 {
  const value = typeof data === "string" ? data : JSON.stringify(data);
  return v1Test(spec, { metadata: { ...metadata, annotations: { ...metadata.annotations, [conversionData]: value } } });
}
