export { type ComponentOptions, clusterctlMetadata, components, componentsFile } from "./components.ts";
export { captCrds, clusterCrd, controlPlaneKinds, infrastructureKinds, machineKinds, workspaceCrd } from "./crds.ts";
export { type DeploymentOptions, deployment } from "./deployment.ts";
export { nameOf, type Provider, partsOf, providerLabels } from "./provider.ts";
export * from "./rights.ts";
export { type RoleManifest, type RoleOptions, roles } from "./roles.ts";
export { templatePolicy, templatePolicyBinding } from "./template-policy.ts";
export { userRoles } from "./user-roles.ts";
