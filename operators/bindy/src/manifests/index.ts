export { bindyCrds, bindyKinds } from "./crds.ts";
export { type PolicyOptions, podPolicy } from "./network-policy.ts";
export * from "./rights.ts";
export { type RoleManifest, type RoleOptions, roles } from "./roles.ts";
export { toYaml } from "./yaml.ts";
