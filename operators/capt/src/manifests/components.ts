// Everything that clusterctl installs of a provider, and what it has to know of our releases.
import { type KubeObject, toCrd } from "@telltale/kinds";
import { type Config, parts } from "../config.ts";
import { controlPlaneKinds, infrastructureKinds, machineKinds, workspaceCrd } from "./crds.ts";
import { type DeploymentOptions, deployment } from "./deployment.ts";
import { type Provider, partsOf, providerLabels } from "./provider.ts";
import { roles } from "./roles.ts";
import { templatePolicy, templatePolicyBinding } from "./template-policy.ts";
import { userRoles } from "./user-roles.ts";

export interface ComponentOptions extends Omit<DeploymentOptions, "config"> {
  /** Of the operator as a whole; what the other provider runs is left out. */
  readonly config: Config;
  /** The Workspace's definition too, for clusters without Crossplane's provider. */
  readonly withWorkspaces?: boolean;
}

/** `infrastructure-components.yaml` or `control-plane-components.yaml`, as objects. */
export function components(options: ComponentOptions): readonly KubeObject[] {
  const { provider, namespace, withWorkspaces = false } = options;
  const own = partsOf(provider);
  const controllers = parts.filter((part) => own.includes(part) && options.config.controllers.includes(part));
  const config = { ...options.config, controllers };
  const kinds = provider === "control-plane" ? controlPlaneKinds : [...infrastructureKinds, ...machineKinds];
  const labels = providerLabels(provider);
  const all: readonly KubeObject[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...kinds.map((kind) => toCrd(kind)),
    ...(provider === "infrastructure" && withWorkspaces ? [workspaceCrd()] : []),
    // One policy for the templates of both: it is the infrastructure's, which the other cannot be without.
    ...(provider === "infrastructure" ? [templatePolicy, templatePolicyBinding] : []),
    ...roles({ config, namespace, provider }),
    ...userRoles(kinds),
    deployment({ ...options, config }),
  ];
  return all.map((object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata?.labels, ...labels } },
  }));
}

/** `components.yaml` has a name for each provider. */
export const componentsFile = (provider: Provider): string => `${provider}-components.yaml`;

/** `metadata.yaml`: which contract each release is for. */
export const clusterctlMetadata = (releases: readonly { readonly major: number; readonly minor: number }[]) => ({
  apiVersion: "clusterctl.cluster.x-k8s.io/v1alpha3",
  kind: "Metadata",
  releaseSeries: releases.map(({ major, minor }) => ({ major, minor, contract: "v1beta2" })),
});
