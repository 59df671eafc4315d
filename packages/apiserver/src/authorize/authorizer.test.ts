import { expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import type { User } from "../request.ts";
import { type RequestInfo, requestInfo } from "../route/info.ts";
import { alwaysAllow, rbacAuthorizer } from "./authorizer.ts";

const person = (username: string, ...groups: string[]): User => ({ username, uid: "", groups, extra: {} });
const jane = person("jane", "system:authenticated");
const sa = person("system:serviceaccount:ns:default", "system:serviceaccounts", "system:authenticated");
const master = person("x", "system:masters");

const role = (name: string, namespace: string, ...rules: JsonObject[]): JsonObject => ({
  metadata: { name, namespace },
  rules,
});
const clusterRole = (name: string, ...rules: JsonObject[]): JsonObject => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string, subject: JsonObject, namespace?: string): JsonObject => ({
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: to },
  subjects: [subject],
});
const user = (name: string): JsonObject => ({ kind: "User", name });
const group = (name: string): JsonObject => ({ kind: "Group", name });

function authorizer(objects: Record<string, JsonObject[]>) {
  const lists = new Map(Object.entries(objects));
  const none: JsonObject[] = [];
  return rbacAuthorizer((_, resource) => lists.get(resource) ?? none);
}

const ask = (method: string, url: string): RequestInfo => {
  const [path = "", query = ""] = url.split("?");
  return requestInfo(method, path, new URLSearchParams(query));
};
const want = (
  verb: string,
  resource: string,
  more: Partial<Record<"group" | "subresource" | "namespace" | "name", string>> = {},
) => ({
  verb,
  resource,
  group: "",
  subresource: "",
  namespace: "ns",
  name: "",
  ...more,
});

const reader = authorizer({
  roles: [
    role(
      "r",
      "ns",
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] },
      { apiGroups: [""], resources: ["secrets"], resourceNames: ["one"], verbs: ["get"] },
    ),
  ],
  rolebindings: [
    binding("rb", "Role", "r", user("jane"), "ns"),
    binding("rc", "Role", "r", { kind: "ServiceAccount", name: "default" }, "ns"),
  ],
});

it("S18 a RoleBinding allows what its Role lists, in its namespace only, and says so", () => {
  const reason = 'RBAC: allowed by RoleBinding "rb/ns" of Role "r" to User "jane"';
  expect(reader.allows(jane, want("get", "configmaps"))).toEqual({ allowed: true, reason });
  expect(reader.allows(jane, want("delete", "configmaps"))).toEqual({ allowed: false, reason: "" });
  expect(reader.allows(jane, want("get", "configmaps", { namespace: "" })).allowed).toBe(false);
  expect(reader.allows(jane, want("get", "configmaps", { namespace: "other" })).allowed).toBe(false);
  expect(reader.allows(jane, want("get", "secrets", { name: "one" })).allowed).toBe(true);
  expect(reader.allows(jane, want("get", "secrets", { name: "two" })).allowed).toBe(false);
  expect(reader.allows(jane, want("get", "secrets")).allowed).toBe(false);
});

it("a ServiceAccount subject without a namespace is one of the binding's", () => {
  const reason = 'RBAC: allowed by RoleBinding "rc/ns" of Role "r" to ServiceAccount "default/ns"';
  expect(reader.allows(sa, want("list", "configmaps"))).toEqual({ allowed: true, reason });
});

it("S18 system:masters may do everything", () => {
  expect(reader.allows(master, want("*", "*", { group: "*" }))).toEqual({ allowed: true, reason: "" });
  expect(reader.refuse(master, ask("DELETE", "/api/v1/nodes/n"))).toBeUndefined();
});

it.each([
  ["GET", "/api/v1/namespaces", 'list resource "namespaces" in API group "" at the cluster scope'],
  [
    "DELETE",
    "/api/v1/namespaces/ns/configmaps",
    'deletecollection resource "configmaps" in API group "" in the namespace "ns"',
  ],
  [
    "PUT",
    "/apis/apps/v1/namespaces/ns/deployments/d/scale",
    'update resource "deployments/scale" in API group "apps" in the namespace "ns"',
  ],
  [
    "GET",
    "/api/v1/namespaces/ns/configmaps?watch=1",
    'watch resource "configmaps" in API group "" in the namespace "ns"',
  ],
  ["GET", "/metrics", 'get path "/metrics"'],
])("D32 S18 %s %s is refused in the words of the real server", (method, url, deed) => {
  expect(reader.refuse(jane, ask(method, url))).toBe(`User "jane" cannot ${deed}`);
});

it("a binding to a role that is not there is told with the refusal", () => {
  const broken = authorizer({
    clusterrolebindings: [binding("a", "ClusterRole", "gone", user("jane"))],
    rolebindings: [binding("b", "Role", "gone2", user("jane"), "ns")],
  });
  expect(broken.refuse(jane, ask("GET", "/api/v1/namespaces/ns/configmaps"))).toBe(
    'User "jane" cannot list resource "configmaps" in API group "" in the namespace "ns": RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "gone2" not found]',
  );
  expect(broken.refuse(jane, ask("GET", "/metrics"))).toBe(
    'User "jane" cannot get path "/metrics": RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
  );
});

const allowing = (rule: JsonObject) =>
  authorizer({
    clusterroles: [clusterRole("c", rule)],
    clusterrolebindings: [binding("c", "ClusterRole", "c", group("system:authenticated"))],
  });

it("a resource is not its subresource, and */scale is that subresource of everything", () => {
  const pods = allowing({ apiGroups: [""], resources: ["pods", "*/scale"], verbs: ["*"] });
  expect(pods.allows(jane, want("get", "pods")).allowed).toBe(true);
  expect(pods.allows(jane, want("get", "pods", { subresource: "log" })).allowed).toBe(false);
  expect(pods.allows(jane, want("get", "things", { subresource: "scale" })).allowed).toBe(true);
  expect(pods.allows(jane, want("get", "things")).allowed).toBe(false);
  expect(pods.allows(jane, want("get", "pods", { group: "apps" })).allowed).toBe(false);
});

it("a path with a trailing star covers what begins with it", () => {
  const paths = allowing({ nonResourceURLs: ["/api/*", "/healthz"], verbs: ["get"] });
  expect(paths.allows(jane, { verb: "get", path: "/api/v1" }).allowed).toBe(true);
  expect(paths.allows(jane, { verb: "get", path: "/api" }).allowed).toBe(false);
  expect(paths.allows(jane, { verb: "get", path: "/healthz" }).allowed).toBe(true);
  expect(paths.allows(jane, { verb: "get", path: "/healthz/x" }).allowed).toBe(false);
  expect(paths.allows(jane, { verb: "post", path: "/healthz" }).allowed).toBe(false);
});

it("an aggregated ClusterRole is the sum of those that it selects, through several steps and circles", () => {
  const into = (name: string) => ({ matchLabels: { [`to-${name}`]: "true" } });
  const sum = (name: string, labels: JsonObject): JsonObject => ({
    metadata: { name, labels },
    aggregationRule: { clusterRoleSelectors: [into(name)] },
    rules: null,
  });
  const aggregated = authorizer({
    clusterroles: [
      sum("admin", { "to-view": "true" }),
      sum("view", { "to-admin": "true" }),
      {
        ...clusterRole("part", { apiGroups: [""], resources: ["pods"], verbs: ["get"] }),
        metadata: { name: "part", labels: { "to-view": "true" } },
      },
    ],
    clusterrolebindings: [binding("a", "ClusterRole", "admin", user("jane"))],
  });
  expect(aggregated.allows(jane, want("get", "pods")).allowed).toBe(true);
  expect(aggregated.allows(jane, want("list", "pods")).allowed).toBe(false);
});

it("the policy is read again when a list is another one", () => {
  let bindings: JsonObject[] = [];
  const roles = [clusterRole("c", { apiGroups: ["*"], resources: ["*"], verbs: ["*"] })];
  const none: JsonObject[] = [];
  const live = rbacAuthorizer((_, r) => (r === "clusterroles" ? roles : r === "clusterrolebindings" ? bindings : none));
  expect(live.allows(jane, want("get", "pods")).allowed).toBe(false);
  bindings = [binding("c", "ClusterRole", "c", user("jane"))];
  expect(live.allows(jane, want("get", "pods")).allowed).toBe(true);
});

const acting = (...rules: JsonObject[]) =>
  authorizer({
    clusterroles: [clusterRole("c", ...rules)],
    clusterrolebindings: [binding("c", "ClusterRole", "c", user("actor"))],
  });
const actor = person("actor", "system:authenticated");
const list = ask("GET", "/api/v1/namespaces/ns/configmaps");
const may = (verb: string, resource: string, apiGroup: string): JsonObject => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs: [verb],
});
const on = may("impersonate-on:user-info:list", "configmaps", "");

it.each([
  [
    "nothing",
    [],
    jane,
    'configmaps is forbidden: User "actor" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "ns"',
  ],
  [
    "nothing, for a ServiceAccount",
    [],
    sa,
    'configmaps is forbidden: User "actor" cannot impersonate-on:serviceaccount:list resource "configmaps" in API group "" in the namespace "ns"',
  ],
  [
    "nothing, for a node",
    [],
    person("system:node:n1"),
    'configmaps is forbidden: User "actor" cannot impersonate-on:arbitrary-node:list resource "configmaps" in API group "" in the namespace "ns"',
  ],
  [
    "nothing, for a ServiceAccount in one more group",
    [],
    { ...sa, groups: ["g"] },
    'serviceaccounts "default" is forbidden: User "actor" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns"',
  ],
  [
    "the deed only",
    [on],
    jane,
    'users.authentication.k8s.io "jane" is forbidden: User "actor" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
  ],
] as const)(
  "S18 impersonation with permission for %s is refused in the words of the real server",
  (_, rules, other, message) => {
    expect(() => acting(...rules).checkImpersonation(actor, other, list)).toThrow(
      expect.objectContaining({ code: 403, message }),
    );
  },
);

it("impersonation is allowed by the old verb for user and groups, and by the constrained ones together", () => {
  const inGroup = { ...jane, groups: ["g", "system:authenticated"] };
  const old = acting(may("impersonate", "users", ""));
  expect(() => old.checkImpersonation(actor, jane, list)).not.toThrow();
  expect(() => old.checkImpersonation(actor, inGroup, list)).toThrow("cannot impersonate-on:user-info:list");
  const constrained = acting(on, may("impersonate:user-info", "users", "authentication.k8s.io"));
  expect(() => constrained.checkImpersonation(actor, jane, list)).not.toThrow();
  expect(() => constrained.checkImpersonation(actor, jane, ask("GET", "/metrics"))).toThrow(
    'forbidden: User "actor" cannot impersonate-on:user-info:get path "/metrics"',
  );
  expect(() => reader.checkImpersonation(master, inGroup, list)).not.toThrow();
});

it("alwaysAllow refuses nothing and says that everything is allowed", () => {
  expect(alwaysAllow.refuse(jane, list)).toBeUndefined();
  expect(alwaysAllow.rules(jane, "ns").resourceRules).toHaveLength(1);
});
