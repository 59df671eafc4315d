// Manifests beside the operator's own.
export { masterPolicy, type Neighbours } from "./network-policy.ts";
export { userRoles } from "./user-roles.ts";
