// Provider: one hypervisor, and the process that talks to it. This is everything that it can say of itself (3.2).
import {
  age,
  column,
  conditions,
  copied,
  defineKind,
  no,
  on,
  positive,
  type Resource,
  unknown,
  yes,
} from "@telltale/kinds";
import { finalizers, group, version } from "../names.ts";
import { keepsPhase } from "./failures.ts";
import { ProviderSpec } from "./provider-spec.ts";
import { ProviderStatusFields } from "./provider-status.ts";
import { correctSpec, forceDelete, reconcileFailed } from "./reasons.ts";

const runtimeTrouble = {
  MissingRuntime: no("The spec does not say how the provider runs", "fill in spec.runtime"),
  InvalidConfiguration: no("The provider cannot run as the spec says", correctSpec),
  CredentialsNotFound: no(
    "The Secret with the credentials does not exist",
    "make the Secret that the message names, in the namespace of the Provider",
  ),
  TLSNotConfigured: no(
    "Nobody has decided whether the connection to the provider is encrypted",
    "set spec.runtime.service.tls: a secretRef, or enabled: false",
  ),
  ServiceError: no("The Service could not be made", "read the message; check rights, quota and admission policies"),
  DeploymentError: no(
    "The Deployment could not be made",
    "read the message; check rights, quota and admission policies",
  ),
  DeploymentNotReady: no("No pod of the provider is ready", "kubectl describe its pods; check image and credentials"),
} as const;

const unobserved = {
  NotObserved: unknown(
    "The controller of Deployments has not reported on the Deployment yet",
    "wait; if it lasts, look whether kube-controller-manager runs",
  ),
} as const;

const runtimeReady = positive({
  means: "The process of the provider runs",
  present: "onceSet",
  reasons: {
    DeploymentReady: yes("Its pods are ready"),
    ExternalEndpoint: yes("It runs elsewhere, and answers"),
    ...runtimeTrouble,
    NotAsked: unknown("It runs elsewhere, and has not been asked yet", "wait"),
    ConnectionFailed: unknown("It runs elsewhere, and does not answer", "look at Connected"),
    ...unobserved,
  },
});

const unhealthy = {
  HealthCheckFailed: no(
    "The provider says that it cannot work, or did not answer often enough",
    "read the message; check the credentials and that the hypervisor can be reached from the pod",
  ),
} as const;

const healthy = positive({
  means: "The provider can work with its hypervisor",
  present: "onceSet",
  reasons: {
    ProviderHealthy: yes("It says so"),
    ...unhealthy,
    ConnectionFailed: unknown("The provider does not answer", "look at Connected"),
    HealthCheckDisabled: unknown("Nobody asks", "set spec.healthCheck.enabled to true"),
  },
});

const disconnected = {
  ConnectionFailed: no(
    "The manager does not reach the provider",
    "read the message; check the Service, network policies and the certificates",
  ),
} as const;

export const Provider = defineKind({
  group,
  version,
  kind: "Provider",
  shortNames: ["prov"],
  description: "A hypervisor, and the process that talks to it.",
  spec: ProviderSpec,
  status: ProviderStatusFields,
  conditions: conditions({
    Ready: positive({
      means: "Machines can be made and changed through it",
      reasons: {
        ProviderHealthy: yes("It is healthy"),
        ...runtimeTrouble,
        ...unobserved,
        ConnectionFailed: on(
          ["False", "Unknown"],
          "The manager does not reach the provider: Unknown until spec.healthCheck.failureThreshold is reached",
          disconnected.ConnectionFailed.fix,
        ),
        ...unhealthy,
        NotAsked: unknown("The provider has not been asked yet", "wait"),
        HealthCheckDisabled: unknown(
          "Its process runs, and health checks that would show more are disabled",
          "set spec.healthCheck.enabled to true",
        ),
        InUse: no("It is being deleted, and machines still refer to it", forceDelete),
        ...reconcileFailed,
      },
    }),
    Healthy: healthy,
    Connected: positive({
      means: "The manager reaches the provider",
      present: "onceSet",
      reasons: { Connected: yes("It does"), ...disconnected },
    }),
    RuntimeReady: runtimeReady,
    RolloutComplete: positive({
      means: "The pods of the provider are those of its Deployment as it is now",
      present: "onceSet",
      reasons: {
        RolloutComplete: yes("They are"),
        RollingOut: no("Pods are being replaced", "wait; if it lasts, kubectl describe the pods of the Deployment"),
        RolloutPostponed: no(
          "The Deployment is not changed yet, as transfers run through its pods",
          "wait for the VMMigrations that use this Provider",
        ),
        RolloutStuck: no(
          "The Deployment does not get new pods up; old ones may still serve",
          "read the message; kubectl describe the Deployment and its pods",
        ),
        ServiceError: runtimeTrouble.ServiceError,
        DeploymentError: runtimeTrouble.DeploymentError,
        NotObserved: unknown(
          "The controller of Deployments has not reported on the current one yet",
          "wait; if it lasts, look whether kube-controller-manager runs",
        ),
      },
    }),
    TLSConfigured: positive({
      means: "The connection between manager and provider is encrypted",
      present: "onceSet",
      reasons: {
        Enabled: yes("It is"),
        TLSBlockMissing: no(
          "Nobody has decided",
          "refer to a Secret in spec.runtime.service.tls.secretRef, or set enabled to false there",
        ),
        ExplicitlyDisabled: no(
          "It is not, by choice",
          "keep strangers away with a NetworkPolicy, or refer to a Secret in spec.runtime.service.tls.secretRef",
        ),
        SecretRefMissing: no(
          "It should be, and no Secret is named",
          "set spec.runtime.service.tls.secretRef, or enabled to false",
        ),
      },
    }),
    CapabilitiesReported: positive({
      means: "The provider has said what it can do",
      present: "onceSet",
      reasons: {
        CapabilitiesFetched: yes("It has"),
        CapabilitiesUnavailable: no("It could not be asked; what it said last still counts", "look at Connected"),
      },
    }),
    ProviderRuntimeReady: copied(runtimeReady, {
      means: "The same as RuntimeReady, by its old name (VIRTRIGAUD_LEGACY_PROVIDER_CONDITIONS)",
      present: "onceSet",
    }),
    ProviderAvailable: copied(healthy, {
      means: "The same as Healthy, by its old name (VIRTRIGAUD_LEGACY_PROVIDER_CONDITIONS)",
      present: "onceSet",
    }),
  }),
  memory: [
    "healthy",
    "lastHealthCheck",
    "runtime",
    "capabilities",
    "reportedCapabilities",
    "adoption",
    "observedGeneration",
    "conditions.Ready",
    "conditions.Healthy",
    "conditions.Connected",
    "conditions.RuntimeReady",
    "conditions.CapabilitiesReported",
  ],
  urgent: [
    "healthy",
    "runtime.phase",
    "runtime.endpoint",
    "conditions.Ready",
    "conditions.Healthy",
    "conditions.Connected",
    "conditions.RuntimeReady",
    "conditions.RolloutComplete",
    "conditions.TLSConfigured",
    "conditions.CapabilitiesReported",
  ],
  volatile: ["lastHealthCheck", "resourceUsage"],
  failures: keepsPhase,
  columns: [
    column("Type", ".spec.type"),
    column("Endpoint", ".spec.endpoint"),
    column("Healthy", ".status.healthy", "boolean"),
    column("Connected VMs", ".status.connectedVMs", "integer"),
    age(),
  ],
  finalizer: finalizers.provider,
});
export type { ProviderSpec } from "./provider-spec.ts";
export type {
  Adoption,
  ProviderCapability,
  ReportedCapabilities,
  ResourceUsage,
  RuntimePhase,
} from "./provider-status.ts";
export type Provider = Resource<typeof Provider>;
export type ProviderStatus = NonNullable<Provider["status"]>;
