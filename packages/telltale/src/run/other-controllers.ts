// Another controller of the same kinds: upstream's Lease or Deployment, or a field manager that writes statuses of these kinds. Two of them
// would undo each other's work. Not a finding: our own replicas, shards and versions, what is scaled to zero, and a user with kubectl.
import { type Client, isForbidden, isNotFound } from "@telltale/client";
import { type Instant, type Kind, type KindRef, type KubeObject, parseTime } from "@telltale/kinds";
import { CustomResourceDefinition, Deployment, Lease } from "@telltale/kinds/builtin";
import type { PolicyRule } from "@telltale/runtime";
import { isLeaseActive } from "@telltale/runtime";
import { isOurs } from "../install/manifests.ts";
import type { InstallOptions, Operator } from "../operators/operator.ts";
import { Problem } from "../program/problem.ts";
import { span } from "../view/age.ts";
import { rbacCommand, rightsOf } from "./preflight.ts";

/** By what the upstream project of an operator is known in a cluster. */
export interface Upstream {
  /** `metadata.name` of its Deployments, as its manifests have it. */
  readonly deployments: readonly string[];
  /** Its image without registry and tag: `firestoned/bindy`. */
  readonly images: readonly string[];
  /** The Leases that it holds. */
  readonly leases: readonly string[];
}

export type Finding =
  | { readonly kind: "Deployment"; readonly namespace: string; readonly name: string; readonly image: string }
  | { readonly kind: "Lease"; readonly namespace: string; readonly name: string; readonly holder: string }
  | { readonly kind: "StatusWriter"; readonly manager: string; readonly object: string; readonly ageMs: number };

export interface LookUp {
  readonly findings: readonly Finding[];
  /** What could not be read, so that nothing is known of it: `deployments.apps`, `leases.coordination.k8s.io outside of locust-system`. */
  readonly unread: readonly string[];
}

interface LookUpOptions extends InstallOptions {
  readonly now: Instant;
}

/** So old may the write of a status be that is taken for a controller at work. */
export const recentMs = 5 * 60_000;

export async function lookUpOthers(client: Client, operator: Operator, options: LookUpOptions): Promise<LookUp> {
  const { now } = options;
  const namespaces = namespacesOf(operator, options);
  const own = new Set([operator.name, ...operator.fieldManagers]);
  const findings: Finding[] = [];
  const unread: string[] = [];
  const look = async (kind: KindRef, metadataOnly: boolean, finding: (object: KubeObject) => Finding | undefined) => {
    const objects = await readable(client, kind, namespaces, metadataOnly);
    if (objects.unread !== undefined) unread.push(objects.unread);
    const found = objects.items.map(finding).filter((it) => it !== undefined);
    // One writer is named once for each kind, however many statuses it wrote.
    findings.push(...(metadataOnly ? newestByManager(found) : found));
  };
  await look(Deployment, false, (object) => upstreamDeployment(object as Deployment, operator.upstream));
  await look(Lease, false, (object) => upstreamLease(object as Lease, operator, now));
  for (const kind of ownKinds(operator, options)) {
    await look(kind, true, (object) => statusWriter(kind, object, own, now));
  }
  return { findings, unread };
}

/** Throws where another controller is at work, unless it is to be taken over; warns of what could not be looked up. */
export async function assertNoOther(
  client: Client,
  operator: Operator,
  options: LookUpOptions & { readonly takeOver: boolean; readonly warn: (message: string) => void },
): Promise<void> {
  const foreign = await foreignDefinition(client, operator, options);
  if (foreign !== undefined) throw new Problem(`${operator.name}: ${foreign}`, "--take-over cannot change that");
  const { takeOver, warn } = options;
  const { findings, unread } = await lookUpOthers(client, operator, options);
  if (unread.length > 0) {
    const grant = `telltale ${rbacCommand(operator, options)} | kubectl apply -f -`;
    warn(`unknown whether another controller is at work: not allowed to list ${unread.join(", ")}; ${grant} allows it`);
  }
  if (findings.length === 0) return;
  const found = findings.map(phraseOf).join("; ");
  if (takeOver) warn(`takes over although another controller of the same kinds is at work: ${found}`);
  else
    throw new Problem(`${operator.name}: another controller of the same kinds is at work: ${found}`, wayOut(findings));
}

/** Why the definitions that are there belong to another project, whose objects ours would not understand. Not known where they cannot be read. */
async function foreignDefinition(
  client: Client,
  operator: Operator,
  options: InstallOptions,
): Promise<string | undefined> {
  if (operator.refuses === undefined) return undefined;
  for (const { metadata } of operator.crds(options)) {
    const found = await client.get(CustomResourceDefinition, metadata?.name ?? "").catch((error: unknown) => {
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw error;
    });
    const why = found === undefined ? undefined : operator.refuses(found);
    if (why !== undefined) return why;
  }
  return undefined;
}

export function phraseOf(finding: Finding): string {
  switch (finding.kind) {
    case "Deployment":
      return `Deployment ${finding.namespace}/${finding.name} runs ${finding.image}`;
    case "Lease":
      return `Lease ${finding.namespace}/${finding.name} is held by ${finding.holder}`;
    case "StatusWriter":
      return `"${finding.manager}" wrote the status of ${finding.object} ${span(finding.ageMs)} ago`;
  }
}

function wayOut(findings: readonly Finding[]): string {
  const stop = findings.flatMap((finding) =>
    finding.kind === "Deployment"
      ? [`kubectl scale deployment ${finding.name} --namespace ${finding.namespace} --replicas 0`]
      : [],
  );
  const first = stop.length === 0 ? "stop it" : `stop it: ${stop.join(" && ")}`;
  return `${first}; then start again with --take-over, which goes on whatever is found`;
}

/** A Deployment of upstream that is to have pods. Pure. */
export function upstreamDeployment(deployment: Deployment, upstream: Upstream): Finding | undefined {
  const { metadata, spec } = deployment;
  const containers = spec?.template?.spec?.containers ?? [];
  const image = containers.map((container) => container.image ?? "").find((it) => isImageOf(it, upstream));
  const isNamed = upstream.deployments.includes(metadata?.name ?? "");
  if (image === undefined && !isNamed) return undefined;
  // Ours may have upstream's name, so that manifests of users go on to fit.
  const isOwn =
    isOurs(deployment) || containers.some(({ args = [] }) => args[0] === "run" && args.includes("--operators"));
  if ((spec?.replicas ?? 1) === 0 || (image === undefined && isOwn)) return undefined;
  const { namespace = "", name = "" } = metadata ?? {};
  return { kind: "Deployment", namespace, name, image: image ?? containers[0]?.image ?? "an unknown image" };
}

/** From any registry: `registry.example.com:5000/mirror/firestoned/bindy:v1@sha256:…`. */
function isImageOf(image: string, { images }: Upstream): boolean {
  const [path = ""] = image.split("@");
  const repository = path.replace(/:[^/:]*$/, "");
  return images.some((name) => repository === name || repository.endsWith(`/${name}`));
}

/** A Lease of upstream that somebody else than our own processes holds. Pure. */
export function upstreamLease(lease: Lease, { name, upstream }: Operator, now: Instant): Finding | undefined {
  const { metadata, spec } = lease;
  if (!upstream.leases.includes(metadata?.name ?? "")) return undefined;
  // We use upstream's name where it has to be excluded: then whoever wrote the holder tells whose it is.
  const writer = metadata?.managedFields
    ?.filter(({ fieldsV1 }) => writesHolder(fieldsV1))
    .map(({ manager }) => manager);
  if (writer?.includes(name) === true) return undefined;
  if (!isLeaseActive(lease, now)) return undefined;
  return {
    kind: "Lease",
    namespace: metadata?.namespace ?? "",
    name: metadata?.name ?? "",
    holder: spec?.holderIdentity ?? "",
  };
}

const writesHolder = (fields: unknown): boolean =>
  (fields as { "f:spec"?: Readonly<Record<string, unknown>> } | undefined)?.["f:spec"]?.["f:holderIdentity"] !==
  undefined;

/** A field manager, neither ours nor kubectl, that wrote the status a short while ago. Pure. */
export function statusWriter(
  kind: KindRef,
  { metadata }: KubeObject,
  own: ReadonlySet<string>,
  now: Instant,
): Finding | undefined {
  const writes = (metadata?.managedFields ?? []).flatMap(({ manager = "", subresource, time }) => {
    const at = parseTime(time ?? "");
    const isForeign = subresource === "status" && !own.has(manager) && !/^(kubectl|telltale)($|-)/.test(manager);
    return isForeign && at !== undefined && now - at <= recentMs ? [{ manager, ageMs: Math.max(0, now - at) }] : [];
  });
  const [newest] = writes.sort((a, b) => a.ageMs - b.ageMs);
  if (newest === undefined) return undefined;
  const place = metadata?.namespace === undefined ? "" : `${metadata.namespace}/`;
  return { kind: "StatusWriter", ...newest, object: `${kind.kind} ${place}${metadata?.name ?? ""}` };
}

function newestByManager(findings: readonly Finding[]): readonly Finding[] {
  const newest = new Map<string, Extract<Finding, { kind: "StatusWriter" }>>();
  for (const finding of findings) {
    if (finding.kind !== "StatusWriter") continue;
    const known = newest.get(finding.manager);
    if (known === undefined || finding.ageMs < known.ageMs) newest.set(finding.manager, finding);
  }
  return [...newest.values()];
}

/**
 * Its kinds, without those of others that it writes too: beside Crossplane and Cluster API it works. Nor those of controllers that its
 * settings switch off, for which its roles have no rule.
 */
function ownKinds(operator: Operator, options: InstallOptions): readonly Kind[] {
  const own = new Set(operator.crds(options).map(({ metadata }) => metadata?.name));
  const rules = operator.roles(options).flatMap((role) => (role as { rules?: readonly PolicyRule[] }).rules ?? []);
  return operator.kinds.filter(
    ({ plural, group }) =>
      own.has(`${plural}.${group}`) &&
      rules.some(({ apiGroups, resources, verbs }) =>
        [apiGroups?.includes(group), resources?.includes(plural), verbs.includes("list")].every((it) => it === true),
      ),
  );
}

/** Where it may list at least, if not everywhere. */
const namespacesOf = (operator: Operator, options: InstallOptions): readonly string[] => [
  ...new Set([options.namespace, ...rightsOf(operator.roles(options)).flatMap((it) => it.namespace || [])]),
];

const pageSize = 500;
/** Of each kind: who writes statuses writes more than these. */
const maxPages = 4;

interface Readable {
  readonly items: readonly KubeObject[];
  readonly unread?: string;
}

async function readable(
  client: Client,
  kind: KindRef,
  namespaces: readonly string[],
  metadataOnly: boolean,
): Promise<Readable> {
  const title = `${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`;
  const everywhere = await listed(client, kind, undefined, metadataOnly);
  if (everywhere !== undefined) return { items: everywhere };
  if (kind.scope === "Cluster") return { items: [], unread: title };
  const items: KubeObject[] = [];
  const read: string[] = [];
  for (const namespace of namespaces) {
    const found = await listed(client, kind, namespace, metadataOnly);
    if (found === undefined) continue;
    items.push(...found);
    read.push(namespace);
  }
  return { items, unread: read.length === 0 ? title : `${title} outside of ${read.join(", ")}` };
}

/** Undefined where it is denied. */
async function listed(
  client: Client,
  kind: KindRef,
  namespace: string | undefined,
  metadataOnly: boolean,
): Promise<readonly KubeObject[] | undefined> {
  const items: KubeObject[] = [];
  let next: string | undefined;
  try {
    for (let page = 0; page < maxPages; page += 1) {
      const list = await client.list(kind, {
        limit: pageSize,
        ...(metadataOnly && { metadataOnly }),
        ...(namespace !== undefined && { namespace }),
        ...(next !== undefined && { continue: next }),
      });
      items.push(...list.items);
      next = list.continue;
      if (next === undefined || next === "") break;
    }
  } catch (error) {
    if (isForbidden(error)) return undefined;
    // A version that is not served has no objects.
    if (isNotFound(error)) return [];
    throw error;
  }
  return items;
}
