// Roles out of declarations: what controllers, leases, events and webhooks send is what is allowed, and nothing else. Pure.
import type { KindRef } from "@telltale/kinds";
import {
  type ClusterRole,
  type ClusterRoleBinding,
  CoreEvent,
  CustomResourceDefinition,
  Event,
  Lease,
  MutatingWebhookConfiguration,
  Role,
  type RoleBinding,
  Secret,
  type ServiceAccount,
  ValidatingWebhookConfiguration,
} from "@telltale/kinds/builtin";
import type { Selection } from "./cache/cache.ts";
import type { Controller } from "./controller/declare.ts";
import { nameIn, type Right, rightsOf, type Verb } from "./controller/rights.ts";
import type { ManagerOptions } from "./manager.ts";
import type { CertificatesOptions } from "./webhook/secret-certificates.ts";

export type PolicyRule = NonNullable<Role["rules"]>[number];

export type RbacManifest = ServiceAccount | ClusterRole | ClusterRoleBinding | Role | RoleBinding;

/** What a manager is given that its rights depend on, and where it runs. */
export interface RbacOptions
  extends Pick<ManagerOptions, "name" | "controllers" | "namespaces" | "replicas" | "events"> {
  /** Of its ServiceAccount. */
  readonly namespace: string;
  /** What `certificates` is given, where it makes its own for webhooks. */
  readonly webhooks?: Pick<CertificatesOptions, "namespace" | "secret" | "publish">;
}

/** What controllers do, wherever they do it: for a role that is written by other means. */
export function rbacRules(
  controllers: readonly Controller[],
  { events }: Pick<RbacOptions, "events"> = {},
): readonly PolicyRule[] {
  return rulesOf([...ofControllers({ controllers, ...(events === undefined ? {} : { events }) })]);
}

/**
 * The ServiceAccount of an operator, and what it needs: a ClusterRole for what it does in the whole cluster, a Role for what it
 * does in one namespace only, and their bindings. All have the operator's name.
 */
export function rbacManifests(options: RbacOptions): readonly RbacManifest[] {
  const { name, namespace } = options;
  const grants = [...ofControllers(options), ...ofReplicas(options), ...ofWebhooks(options.webhooks)];
  const everywhere = grants.filter((grant) => grant.in === "");
  const elsewhere = grants.filter((grant) => grant.in !== "" && !everywhere.some((wider) => covers(wider, grant)));
  const subjects = [{ kind: "ServiceAccount", name, namespace }];
  const roleRef = (kind: "Role" | "ClusterRole") => ({ apiGroup: Role.group, kind, name });
  const all: RbacManifest[] = [{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } }];
  if (everywhere.length > 0) {
    const rules = rulesOf(everywhere);
    all.push({ apiVersion, kind: "ClusterRole", metadata: { name }, rules });
    all.push({ apiVersion, kind: "ClusterRoleBinding", metadata: { name }, roleRef: roleRef("ClusterRole"), subjects });
  }
  const places = Map.groupBy(elsewhere, (grant) => grant.in);
  for (const place of [...places.keys()].sort()) {
    const metadata = { name, namespace: place };
    all.push({ apiVersion, kind: "Role", metadata, rules: rulesOf(places.get(place) ?? []) });
    all.push({ apiVersion, kind: "RoleBinding", metadata, roleRef: roleRef("Role"), subjects });
  }
  return all;
}

const apiVersion = "rbac.authorization.k8s.io/v1";

/** One thing that may be done. */
interface Grant {
  /** The namespace; empty for the whole cluster. */
  readonly in: string;
  readonly group: string;
  /** `sites`, `sites/status` */
  readonly resource: string;
  readonly verb: Verb;
  /** Of one object only; empty for all. */
  readonly name: string;
}

type Whose = Pick<RbacOptions, "controllers" | "namespaces" | "events">;

function* ofControllers({ controllers, namespaces, events = "events.k8s.io/v1" }: Whose): Iterable<Grant> {
  for (const controller of controllers) {
    for (const { kind, subresource, verbs, of } of rightsOf(controller)) {
      for (const place of placesOf(kind, of, namespaces)) {
        yield* granted(place, kind, verbs, { subresource, name: nameIn(of.field) });
      }
    }
    if (events === "none") continue;
    const { kind, select } = controller;
    // An Event is beside its object; of one that is in no namespace, in `default`.
    for (const place of kind.scope === "Cluster" ? ["default"] : placesOf(kind, select, namespaces)) {
      yield* granted(place, events === "v1" ? CoreEvent : Event, ["create", "patch"]);
    }
  }
}

function* ofReplicas({ name, replicas = { as: "one" } }: Pick<RbacOptions, "name" | "replicas">): Iterable<Grant> {
  if (replicas.as === "one") return;
  const { namespace, lease = name } = replicas;
  // Each of those that share has a Lease of its own, looks at all of them, and takes away what others left behind.
  if (replicas.as === "shards") yield* granted(namespace, Lease, ["get", "list", "create", "patch", "delete"]);
  else yield* granted(namespace, Lease, ["get", "create", "patch"], { name: lease });
}

const published = {
  validating: ValidatingWebhookConfiguration,
  mutating: MutatingWebhookConfiguration,
  conversion: CustomResourceDefinition,
} as const;

function* ofWebhooks(webhooks: RbacOptions["webhooks"]): Iterable<Grant> {
  if (webhooks === undefined) return;
  const { namespace, secret, publish = [] } = webhooks;
  yield* granted(namespace, Secret, ["get", "create", "patch"], { name: secret });
  for (const { in: where, name } of publish) yield* granted("", published[where], ["get", "patch"], { name });
}

function* granted(
  place: string,
  { group, plural }: KindRef,
  verbs: readonly Verb[],
  { subresource = "", name = "" }: Partial<Pick<Right, "subresource">> & { readonly name?: string } = {},
): Iterable<Grant> {
  const resource = subresource === "" ? plural : `${plural}/${subresource}`;
  // What is made has no name yet when a server decides whether it may be.
  for (const verb of verbs) yield { in: place, group, resource, verb, name: verb === "create" ? "" : name };
}

function placesOf({ scope }: KindRef, { namespace }: Selection, namespaces: readonly string[] = [""]) {
  if (scope === "Cluster") return [""];
  return namespace === undefined ? namespaces : [namespace];
}

function covers(wider: Grant, grant: Grant): boolean {
  const isSame = wider.group === grant.group && wider.resource === grant.resource && wider.verb === grant.verb;
  return isSame && (wider.name === "" || wider.name === grant.name);
}

/** As few rules as say the same: names by deed, then verbs by resource, then resources by group. */
function rulesOf(grants: readonly Grant[]): PolicyRule[] {
  const deeds = joined(
    grants,
    ({ group, resource, verb }) => [group, resource, verb],
    ({ group, resource, verb }, same) => {
      const names = sorted(same.map(({ name }) => name));
      return { group, resource, verb, names: names.includes("") ? [] : names };
    },
  );
  const resources = joined(
    deeds,
    ({ group, resource, names }) => [group, resource, names],
    ({ group, resource, names }, same) => ({ group, resource, names, verbs: sorted(same.map(({ verb }) => verb)) }),
  );
  const rules = joined(
    resources,
    ({ group, names, verbs }) => [group, names, verbs],
    ({ group, names, verbs }, same): PolicyRule => ({
      apiGroups: [group],
      resources: sorted(same.map(({ resource }) => resource)),
      ...(names.length === 0 ? {} : { resourceNames: names }),
      verbs,
    }),
  );
  return rules.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function joined<T, R>(
  items: readonly T[],
  alike: (item: T) => unknown,
  join: (first: T, same: readonly T[]) => R,
): R[] {
  const groups = Map.groupBy(items, (item) => JSON.stringify(alike(item)));
  return [...groups.values()].flatMap((same) => same.slice(0, 1).map((first) => join(first, same)));
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

const order = ({ apiGroups, resources, resourceNames = [], verbs }: PolicyRule): string =>
  [apiGroups, resources, resourceNames, verbs].map(String).join("\n");
