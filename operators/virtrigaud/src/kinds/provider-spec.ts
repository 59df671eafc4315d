// What a person asks of a Provider (3.2): which hypervisor, and how the process that talks to it runs.
import { Dictionary, described, Enum, Fields, Int32, List, Optional, type Static, Text } from "@telltale/kinds";
import {
  Affinity,
  EnvVar,
  ImagePullSecret,
  LocalObjectReference,
  Probe,
  ResourceRequirements,
  SecurityContext,
  Toleration,
} from "@telltale/kinds/core";
import { duration, flag, int, ObjectRef, unused, upTo } from "./fields.ts";

export const providerTypes = ["vsphere", "libvirt", "firecracker", "qemu", "proxmox"] as const;
export type ProviderType = (typeof providerTypes)[number];

const endpointPattern =
  "^((https?://[a-zA-Z0-9.-]+(:[0-9]+)?(/.*)?|(tcp|grpc)://[a-zA-Z0-9.-]+:[0-9]+(/.*)?)|qemu(\\+ssh|\\+tcp|\\+tls)?://([a-zA-Z0-9@.-]+(:[0-9]+)?)?(/.*))$";
const imagePattern = "^[a-zA-Z0-9._/-]+(:[a-zA-Z0-9._-]+)?(@[a-zA-Z0-9]+:[a-fA-F0-9]{64})?$";

const tls = Fields(
  {
    enabled: flag(true),
    secretRef: Optional(LocalObjectReference({ description: "A Secret with tls.crt, tls.key and ca.crt" })),
    insecureSkipVerify: flag(false, "Between the manager and the provider"),
  },
  { description: "A decision: without this block the provider is not started" },
);

const runtime = Fields({
  mode: unused(Optional(Enum(["Remote"], { default: "Remote" })), "Remote is all that there is"),
  image: Text({ pattern: imagePattern }),
  imagePullPolicy: Optional(Enum(["Always", "Never", "IfNotPresent"], { default: "IfNotPresent" })),
  imagePullSecrets: Optional(List(ImagePullSecret(), { maxItems: 10 })),
  replicas: int(1, 10, 1),
  service: Optional(
    Fields({ port: Optional(Int32({ minimum: 1024, maximum: 65_535, default: 9443 })), tls: Optional(tls) }),
  ),
  env: Optional(List(EnvVar(), { maxItems: 50 })),
  logLevel: Optional(Enum(["debug", "info", "warn", "error"], { default: "info" })),
  logFormat: Optional(Enum(["text", "json"], { default: "text" })),
  resources: Optional(ResourceRequirements()),
  securityContext: Optional(SecurityContext()),
  livenessProbe: Optional(Probe()),
  readinessProbe: Optional(Probe()),
  nodeSelector: Optional(Dictionary(Text())),
  tolerations: Optional(List(Toleration(), { maxItems: 20 })),
  affinity: Optional(Affinity()),
});

export const ProviderSpec = Fields({
  type: Enum(providerTypes),
  endpoint: Text({ pattern: endpointPattern, description: "Of the hypervisor, as its provider wants it" }),
  credentialSecretRef: described(ObjectRef, "A Secret in the namespace of this object: a pod can mount no other"),
  insecureSkipVerify: flag(false, "Between the provider and the hypervisor"),
  runtime,
  defaults: Optional(
    Fields(
      {
        cluster: upTo(255),
        datastore: upTo(255),
        folder: upTo(255),
        network: upTo(255),
        resourcePool: upTo(255),
        storagePod: upTo(255),
      },
      { description: "Where machines go that say nothing else" },
    ),
  ),
  healthCheck: Optional(
    Fields({
      enabled: flag(true),
      interval: duration("30s"),
      timeout: duration("10s"),
      failureThreshold: int(1, 10, 3),
      successThreshold: int(1, 10, 1),
    }),
  ),
  rateLimit: Optional(Fields({ qps: int(1, 1000, 10), burst: int(1, 2000, 20) })),
  connectionPooling: Optional(
    Fields({
      connectionTimeout: duration("30s"),
      idleTimeout: duration("5m"),
      maxConnections: int(1, 100, 10),
      maxIdleConnections: unused(
        Optional(Int32({ minimum: 1, default: 5 })),
        "there is one connection, kept as long as the Provider",
      ),
    }),
  ),
});
export type ProviderSpec = Static<typeof ProviderSpec>;
