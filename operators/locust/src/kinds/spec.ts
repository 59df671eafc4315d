// What a person asks for: the spec of a LocustTest, `v2`.
import { Dictionary, Enum, Fields, Flag, Int32, List, Optional, type Static, Text } from "@telltale/kinds";
import {
  Affinity,
  EnvVar,
  ImagePullSecret,
  PodSecurityContext,
  ResourceRequirements,
  SecurityContext,
  Toleration,
  Volume,
} from "@telltale/kinds/core";

const labels = () => Optional(Dictionary(Text()));

export const Autoquit = Fields({
  enabled: Flag({ default: true }),
  timeout: Optional(
    Int32({ minimum: 0, default: 60, description: "Seconds between the end of the load and the exit" }),
  ),
});

const master = Fields({
  command: Text({ minLength: 1, description: "Arguments of locust, split at white space" }),
  resources: Optional(ResourceRequirements()),
  labels: labels(),
  annotations: labels(),
  autostart: Optional(Flag({ default: true })),
  autoquit: Optional(Autoquit),
  extraArgs: Optional(List(Text(), { description: "Further arguments, as they are" })),
});

const worker = Fields({
  command: Text({ minLength: 1, description: "Arguments of locust, split at white space" }),
  replicas: Int32({ minimum: 1, maximum: 500 }),
  resources: Optional(ResourceRequirements()),
  labels: labels(),
  annotations: labels(),
  extraArgs: Optional(List(Text(), { description: "Further arguments, as they are" })),
});

const testFiles = Fields({
  configMapRef: Optional(Text()),
  libConfigMapRef: Optional(Text()),
  srcMountPath: Optional(Text({ default: "/lotest/src" })),
  libMountPath: Optional(Text({ default: "/opt/locust/lib" })),
});

const scheduling = Fields({
  affinity: Optional(Affinity()),
  tolerations: Optional(List(Toleration())),
  nodeSelector: labels(),
  runtimeClassName: Optional(
    Text({
      maxLength: 253,
      pattern: "^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
      description: "Absent: the operator's default. Empty: none",
    }),
  ),
});

const source = Fields({ name: Text(), prefix: Optional(Text()) });

const env = Fields({
  configMapRefs: Optional(List(source)),
  secretRefs: Optional(List(source)),
  variables: Optional(List(EnvVar())),
  secretMounts: Optional(
    List(Fields({ name: Text(), mountPath: Text(), readOnly: Optional(Flag({ default: true })) })),
  ),
});

const volumeMount = Fields({
  name: Text(),
  mountPath: Text(),
  subPath: Optional(Text()),
  subPathExpr: Optional(Text()),
  readOnly: Optional(Flag()),
  recursiveReadOnly: Optional(Text()),
  mountPropagation: Optional(Text()),
  target: Optional(Enum(["master", "worker", "both"], { default: "both" })),
});

const openTelemetry = Fields({
  enabled: Flag({ default: false }),
  endpoint: Optional(Text()),
  protocol: Optional(Enum(["grpc", "http/protobuf"], { default: "grpc" })),
  insecure: Optional(Flag({ default: false })),
  extraEnvVars: labels(),
});

export const LocustTestSpec = Fields({
  image: Text({ minLength: 1 }),
  imagePullPolicy: Optional(Enum(["Always", "IfNotPresent", "Never"], { default: "IfNotPresent" })),
  imagePullSecrets: Optional(List(ImagePullSecret())),
  master,
  worker,
  testFiles: Optional(testFiles),
  scheduling: Optional(scheduling),
  env: Optional(env),
  volumes: Optional(List(Volume())),
  volumeMounts: Optional(List(volumeMount)),
  security: Optional(
    Fields({
      podSecurityContext: Optional(PodSecurityContext()),
      containerSecurityContext: Optional(SecurityContext()),
    }),
  ),
  observability: Optional(Fields({ openTelemetry: Optional(openTelemetry) })),
  successCriteria: Optional(
    Enum(["MasterExitCode", "FullLoad"], {
      description:
        "What a test needs to succeed. MasterExitCode (also where absent): the master exits with 0. FullLoad: also that the load was not seen to end before its run time, nor workers to be lost, nor the master to be evicted. It counts when the test ends, also where it was changed since",
    }),
  ),
});
export type LocustTestSpec = Static<typeof LocustTestSpec>;
