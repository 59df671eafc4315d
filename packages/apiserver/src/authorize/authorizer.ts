// Whether a user may do what a request asks. The members of `system:masters` may do everything.
import type { JsonObject } from "../json.ts";
import type { User } from "../request.ts";
import type { RequestInfo } from "../route/info.ts";
import { forbidden, type GroupResource } from "../status.ts";
import { checkImpersonation } from "./impersonate.ts";
import {
  type Attributes,
  type Decision,
  decide,
  type Policy,
  type RoleReference,
  type Rule,
  readPolicy,
  rulesOf,
  rulesOfRole,
} from "./rbac.ts";

export interface Authorizer {
  /** Why not, as the 403 says after `is forbidden: `; undefined when it is allowed. */
  refuse(user: User, info: RequestInfo): string | undefined;
  /** Throws the 403 when one user may not act as the other. */
  checkImpersonation(user: User, other: User, info: RequestInfo): void;
  allows(user: User, wanted: Attributes): Decision;
  /** What a user may do in a namespace, as SelfSubjectRulesReview tells it. */
  rules(user: User, namespace: string): Permissions;
  /** All rules that hold for a user in a namespace, for the check that a user grants no more than that. */
  held(user: User, namespace: string): HeldRules;
  /** The rules of a role that a binding in a namespace refers to; undefined where there is no such role. */
  roleRules(role: RoleReference, namespace: string): readonly Rule[] | undefined;
}

export interface HeldRules {
  readonly rules: readonly Rule[];
  /** What could not be read, or the empty text. */
  readonly error: string;
}

export interface Permissions {
  readonly resourceRules: readonly Pick<Rule, "verbs" | "apiGroups" | "resources" | "resourceNames">[];
  readonly nonResourceRules: readonly Pick<Rule, "verbs" | "nonResourceURLs">[];
  /** What could not be read, or the empty text. */
  readonly error: string;
}

/** Decides by the stored Roles, ClusterRoles and bindings. `list` may answer with the same array while nothing changed. */
export function rbacAuthorizer(list: (group: string, resource: string) => readonly JsonObject[]): Authorizer {
  const policy = cachedPolicy((resource) => list("rbac.authorization.k8s.io", resource));
  const allows = (user: User, wanted: Attributes): Decision =>
    user.groups.includes("system:masters") ? { allowed: true, reason: "" } : decide(policy(), user, wanted);
  return {
    allows,
    refuse: (user, info) => refusal(user, attributesOf(info), allows),
    checkImpersonation(user, other, info) {
      const denied = checkImpersonation(user, other, attributesOf(info), allows);
      if (denied === undefined) return;
      const why = refusal(user, denied, allows) ?? "";
      if ("path" in denied) throw forbidden({ group: "", resource: "" }, "", why);
      throw forbidden(denied, denied.name, why);
    },
    held: (user, namespace) => rulesOf(policy(), user, namespace),
    roleRules: (role, namespace) => rulesOfRole(policy(), role, namespace),
    rules(user, namespace) {
      const { rules, error } = rulesOf(policy(), user, namespace);
      return {
        resourceRules: rules.filter((rule) => rule.resources.length > 0),
        nonResourceRules: rules.filter((rule) => rule.nonResourceURLs.length > 0),
        error,
      };
    },
  };
}

export const alwaysAllow: Authorizer = {
  refuse: () => undefined,
  checkImpersonation: () => {},
  allows: () => ({ allowed: true, reason: "" }),
  held: () => ({ rules: [], error: "" }),
  roleRules: () => undefined,
  rules: () => ({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    error: "",
  }),
};

/** Throws the 403 for a user who may not make an object that a request to change it would make. */
export function createCheck({ allows }: Authorizer) {
  return (user: User, { group, resource }: GroupResource, namespace: string, name: string): void => {
    const why = refusal(user, { verb: "create", group, resource, subresource: "", namespace, name }, allows);
    if (why !== undefined) throw forbidden({ group, resource }, name, why);
  };
}

function refusal(user: User, wanted: Attributes, allows: Authorizer["allows"]): string | undefined {
  const { allowed, reason } = allows(user, wanted);
  if (allowed) return undefined;
  return `User "${user.username}" cannot ${deed(wanted)}${reason === "" ? "" : `: ${reason}`}`;
}

function deed(wanted: Attributes): string {
  if ("path" in wanted) return `${wanted.verb} path "${wanted.path}"`;
  const what = wanted.subresource === "" ? wanted.resource : `${wanted.resource}/${wanted.subresource}`;
  const where = wanted.namespace === "" ? "at the cluster scope" : `in the namespace "${wanted.namespace}"`;
  return `${wanted.verb} resource "${what}" in API group "${wanted.group}" ${where}`;
}

function attributesOf(info: RequestInfo): Attributes {
  if (!info.isResource) return { verb: info.verb, path: info.path };
  const { verb, group, resource, subresource, namespace, name } = info;
  return { verb, group, resource, subresource, namespace, name };
}

/** The policy, read again only when one of the four lists is another one. */
function cachedPolicy(list: (resource: string) => readonly JsonObject[]): () => Policy {
  const resources = ["clusterroles", "roles", "clusterrolebindings", "rolebindings"] as const;
  let seen: readonly (readonly JsonObject[])[] = [];
  let policy: Policy | undefined;
  return () => {
    const now = resources.map((resource) => list(resource));
    if (policy !== undefined && now.every((objects, i) => objects === seen[i])) return policy;
    const [clusterRoles = [], roles = [], clusterRoleBindings = [], roleBindings = []] = now;
    seen = now;
    policy = readPolicy({ clusterRoles, roles, clusterRoleBindings, roleBindings });
    return policy;
  };
}
