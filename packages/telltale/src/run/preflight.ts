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

/** Throws a problem for the first thing that is missing. */
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
  const missing = await missingRight(client, rightsOf(operator.roles(options)), elects);
  if (missing === undefined) return;
  throw new Problem(
    `${name} may not ${missing.verb} ${titleOf(missing)}${missing.namespace === "" ? "" : ` in ${missing.namespace}`}`,
    `telltale rbac ${name}${place} | kubectl apply -f - , and run it as that account`,
  );
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

/** The first, in their order, that the server would refuse. Those that need nothing to be allowed are asked for like all others. */
async function missingRight(client: Client, rights: readonly Right[], elects: boolean): Promise<Right | undefined> {
  const wanted = rights.filter(({ resource }) => elects || resource !== "leases");
  for (let at = 0; at < wanted.length; at += atATime) {
    const some = wanted.slice(at, at + atATime);
    const answers = await Promise.all(some.map((right) => isAllowed(client, right)));
    const missing = some.find((_right, i) => answers[i] === false);
    if (missing !== undefined) return missing;
  }
  return undefined;
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
