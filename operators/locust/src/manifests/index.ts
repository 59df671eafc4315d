// Manifests beside the operator's own.
export { masterPolicy, type Neighbours } from "./network-policy.ts";
export { type Extras, excess, leaseRights, operatorRights, type PolicyRule } from "./rights.ts";
export { userRoles } from "./user-roles.ts";
