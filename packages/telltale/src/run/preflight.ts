// What has to be there before an operator works: its definitions, its namespace, its rights. What is missing is said at once, with the
// command that brings it; a watch that is refused for ever would say it a hundred times.
import { type Client, discover, isForbidden, isNotFound } from "@telltale/client";
import type { KubeObject } from "@telltale/kinds";
import type { ClusterRole, ClusterRoleBinding, CustomResourceDefinition } from "@telltale/kinds/builtin";
import { Lease } from "@telltale/kinds/builtin";
import type { InstallOptions, Operator } from "../operators/operator.ts";
import { Problem } from "../program/problem.ts";

/** Definitions that the server lacks: `locusttests.locust.io`. */
export async function missingKinds(
  client: Client,
  operator: Operator,
  options: InstallOptions,
): Promise<readonly string[]> {
  const { resources } = await discover(client);
  return [...operator.crds(options), ...(operator.foreign ?? [])].flatMap((object) => {
    const { spec, metadata } = object as CustomResourceDefinition;
    const isThere = resources.some(({ group, plural }) => group === spec.group && plural === spec.names.plural);
    return isThere ? [] : [metadata?.name ?? ""];
  });
}

export interface Preflight extends InstallOptions {
  /** Whether it needs a Lease, unless its settings say otherwise. */
  readonly elects: boolean;
}

/** Throws a problem for what is missing: a definition, the namespace, permissions. */
export async function preflight(client: Client, operator: Operator, options: Preflight): Promise<void> {
  const [kind] = await missingKinds(client, operator, options);
  const { name } = operator;
  const place = options.namespace === operator.namespace ? "" : ` --namespace ${options.namespace}`;
  if (kind !== undefined) {
    throw new Problem(`${name}: the cluster does not know ${kind}`, `telltale install ${name}${place}`);
  }
  const replicas = operator.replicas(options);
  const elects = options.elects && replicas.as === "lease";
  if (elects) await checkNamespace(client, replicas.namespace, name);
  const roles = operator.roles(options);
  const missing = await missingRights(client, rightsOf(roles), elects);
  if (missing.length === 0) return;
  const grant = `telltale ${rbacCommand(operator, options)} | kubectl apply -f -`;
  const account = accountOf(roles);
  const user = await currentUser(client);
  const as = user === undefined || user === account ? "" : `, and run it as ${account}: this is ${user}`;
  throw new Problem(`${name} may not ${sentenceOf(missing)}`, `${grant}${as}`);
}

/** `rbac locust --locust.telemetry-mode=api-proxy`: the command that prints the roles for these very settings. Pure. */
export function rbacCommand(operator: Operator, options: InstallOptions): string {
  const { name } = operator;
  const place = options.namespace === operator.namespace ? [] : [`--namespace ${options.namespace}`];
  const webhooks = options.webhooks ? ["--webhooks"] : [];
  const print = (settings: InstallOptions["settings"]) => JSON.stringify(operator.roles({ ...options, settings }));
  const printed = print(options.settings);
  const settings = operator.flags.flatMap((flag) => {
    const [key = ""] = Object.keys(operator.settings({}, { [flag]: "" }));
    const value = options.settings[key];
    if (value === undefined || !changes(() => print({ ...options.settings, [key]: undefined }), printed)) return [];
    return [`--${name}.${flag}=${quoted(value)}`];
  });
  return ["rbac", name, ...place, ...webhooks, ...settings].join(" ");
}

/** Settings that are wrong without it need it too. */
function changes(print: () => string, before: string): boolean {
  try {
    return print() !== before;
  } catch {
    return true;
  }
}

/** As a shell takes it for one word. */
const quoted = (value: string): string =>
  /^[\w.,:/@%+=-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;

/** The account that roles are bound to, as the server calls it. */
function accountOf(roles: readonly KubeObject[]): string {
  const { name = "", namespace = "" } = roles.find(({ kind }) => kind === "ServiceAccount")?.metadata ?? {};
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Whom the server takes us for. Undefined where it does not answer that (before Kubernetes 1.28). */
async function currentUser(client: Client): Promise<string | undefined> {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  try {
    const { text } = await client.request({ method: "POST", path, safety: "safe", body });
    return (JSON.parse(text) as { status?: { userInfo?: { username?: string } } }).status?.userInfo?.username;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

const shownResources = 3;

/** `get, list pods in team-a, get pods/proxy (and 2 more)`: verbs by resource. Pure. */
export function sentenceOf(missing: readonly Right[]): string {
  const byResource = Map.groupBy(missing, (right) => {
    const name = right.name === "" ? "" : ` ${right.name}`;
    return `${titleOf(right)}${name}${right.namespace === "" ? "" : ` in ${right.namespace}`}`;
  });
  const all = [...byResource].map(([title, rights]) => `${rights.map(({ verb }) => verb).join(", ")} ${title}`);
  const more = all.length > shownResources ? ` (and ${all.length - shownResources} more)` : "";
  return `${all.slice(0, shownResources).join("; ")}${more}`;
}

/** A Lease that is not kept: who may make one hears whether there is a place for it. */
async function checkNamespace(client: Client, namespace: string, name: string): Promise<void> {
  const lease = { metadata: { name: "telltale-preflight", namespace } };
  await client.create(Lease, lease, { dryRun: true }).catch((error: unknown) => {
    if (isNotFound(error)) {
      throw new Problem(`${name}: namespace ${namespace} does not exist`, `telltale install ${name} makes it`);
    }
    if (!isForbidden(error)) throw error;
  });
}

export interface Right {
  /** Empty: in the whole cluster. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  /** Empty: of all objects. */
  readonly name: string;
}

/** What roles and their bindings give to the account among them. Pure. */
export function rightsOf(objects: readonly KubeObject[]): readonly Right[] {
  const account = objects.find(({ kind }) => kind === "ServiceAccount")?.metadata?.name;
  const bindings = objects.filter(
    (object): object is ClusterRoleBinding => object.kind?.endsWith("RoleBinding") === true,
  );
  return bindings
    .filter(({ subjects = [] }) => subjects.some(({ name }) => name === account))
    .flatMap(({ metadata, roleRef }) => {
      const namespace = metadata?.namespace ?? "";
      const role = objects.find(
        (it) =>
          it.kind === roleRef.kind && it.metadata?.name === roleRef.name && (it.metadata.namespace ?? "") === namespace,
      ) as ClusterRole | undefined;
      return (role?.rules ?? []).flatMap((rule) => rightsIn(rule, namespace));
    });
}

function rightsIn(rule: NonNullable<ClusterRole["rules"]>[number], namespace: string): readonly Right[] {
  const { apiGroups = [], resources = [], verbs, resourceNames = [""] } = rule;
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) =>
      verbs.flatMap((verb) => {
        const [resource = "", subresource = ""] = path.split("/");
        return resourceNames.map((name) => ({ namespace, group, resource, subresource, verb, name }));
      }),
    ),
  );
}

const titleOf = ({ group, resource, subresource }: Right): string =>
  `${resource}${subresource === "" ? "" : `/${subresource}`}${group === "" ? "" : `.${group}`}`;

const atATime = 8;

/** Those that the server would deny. */
async function missingRights(client: Client, rights: readonly Right[], elects: boolean): Promise<readonly Right[]> {
  const needed = rights.filter(({ resource }) => elects || resource !== "leases");
  const missing: Right[] = [];
  for (let at = 0; at < needed.length; at += atATime) {
    const some = needed.slice(at, at + atATime);
    const answers = await Promise.all(some.map((right) => isAllowed(client, right)));
    missing.push(...some.filter((_right, i) => answers[i] === false));
  }
  return missing;
}

async function isAllowed(client: Client, right: Right): Promise<boolean> {
  const { namespace, group, resource, subresource, verb, name } = right;
  const { text } = await client.request({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    // Nothing is kept: to ask twice does no harm.
    safety: "safe",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { namespace, group, resource, subresource, verb, name } },
    },
  });
  return (JSON.parse(text) as { status?: { allowed?: boolean } }).status?.allowed === true;
}
