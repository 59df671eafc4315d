// What an object takes of a ResourceQuota, and what a quota counts. The API server asks before it admits an object, the
// controller adds up what is there: both by the same rules.
import { type Instant, parseTime, plus } from "../values/time.ts";
import { type Amounts, amountsIn, quantityOf } from "./amounts.ts";
import { at, listAt, textAt } from "./fields.ts";
import { hasOwnResources, podResources } from "./pod-resources.ts";

/** `{ group: "apps", resource: "deployments" }`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** How much an object takes, by every name that a quota may count it under. Nothing is left out for being zero. */
export function usageOf(of: GroupResource, object: object, now: Instant): Amounts {
  return rulesOf(of).usage(object, now);
}

/** Of the names in a quota, those that objects of this resource count for. */
export function namesCounted(of: GroupResource, names: Iterable<string>): string[] {
  const { counts } = rulesOf(of);
  return [...names].filter(counts);
}

/** Whether an object that changes can take more than before; of others only the creation counts. */
export const canGrow = (of: GroupResource): boolean => rulesOf(of).grows;

/** The resources of which a quota with these names counts objects. */
export function resourcesCounted(names: Iterable<string>): GroupResource[] {
  const found = new Map<string, GroupResource>();
  for (const name of names) {
    const of = resourceBehind(name);
    if (of !== undefined && !isIgnored(of)) found.set(countName(of), of);
  }
  return [...found.values()];
}

/** Events come and go by themselves; no quota holds them up. */
export const isIgnored = ({ group, resource }: GroupResource): boolean =>
  resource === "events" && (group === "" || group === "events.k8s.io");

/**
 * What the containers of a pod have to say when a quota counts it, in the words of Kubernetes: `must specify limits.cpu for:
 * main`. Undefined: they have said it.
 */
export function unspecified(pod: object, names: Iterable<string>): string | undefined {
  if (hasOwnResources(pod)) return undefined;
  const containers = [...listAt(pod, "spec", "containers"), ...listAt(pod, "spec", "initContainers")];
  const missing = [...names]
    .filter((name) => mustBeSaid.has(name))
    .sort()
    .flatMap((name) => {
      const silent = containers.filter((container) => !said(container).has(name)).map((it) => textAt(it, "name"));
      return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(",")}`];
    });
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
}

const mustBeSaid = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);

const said = (container: unknown): Amounts =>
  computeNames(amountsIn(at(container, "resources", "requests")), amountsIn(at(container, "resources", "limits")));

interface Rules {
  readonly usage: (object: object, now: Instant) => Amounts;
  readonly counts: (name: string) => boolean;
  readonly grows: boolean;
}

const countName = ({ group, resource }: GroupResource): string => `count/${resource}${group === "" ? "" : `.${group}`}`;

function rulesOf(of: GroupResource): Rules {
  const known = special.get(countName(of));
  if (known !== undefined) return known;
  const own = countName(of);
  const names = aliases.has(own) ? [own, of.resource] : [own];
  return {
    usage: () => new Map(names.map((name) => [name, quantityOf(1)])),
    counts: (name) => names.includes(name),
    grows: false,
  };
}

/** Counted under their bare names too: quotas had these before anything could be counted. */
const aliases = new Set(["count/configmaps", "count/secrets", "count/replicationcontrollers", "count/resourcequotas"]);

const special: ReadonlyMap<string, Rules> = new Map<string, Rules>([
  ["count/pods", { usage: podUsage, counts: isPodName, grows: false }],
  ["count/services", { usage: serviceUsage, counts: (name) => serviceNames.has(name), grows: true }],
  ["count/persistentvolumeclaims", { usage: claimUsage, counts: isClaimName, grows: true }],
]);

function resourceBehind(name: string): GroupResource | undefined {
  const core = (resource: string) => ({ group: "", resource });
  if (isPodName(name)) return core("pods");
  if (serviceNames.has(name)) return core("services");
  if (isClaimName(name)) return core("persistentvolumeclaims");
  if (aliases.has(`count/${name}`)) return core(name);
  if (!name.startsWith("count/")) return undefined;
  const [resource = "", ...group] = name.slice("count/".length).split(".");
  return resource === "" ? undefined : { group: group.join("."), resource };
}

const compute = ["cpu", "memory", "ephemeral-storage"];
const podNames = new Set([
  "pods",
  "count/pods",
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

function isPodName(name: string): boolean {
  return (
    podNames.has(name) ||
    name.startsWith("hugepages-") ||
    name.startsWith("requests.hugepages-") ||
    (name.startsWith("requests.") && isExtended(name.slice("requests.".length)))
  );
}

/** A device or the like that a node was given by somebody else than Kubernetes. */
const isExtended = (name: string): boolean => name.includes("/") && !/(^|\.)kubernetes\.io\//.test(name);

function podUsage(pod: object, now: Instant): Amounts {
  const taken = new Map([["count/pods", quantityOf(1)]]);
  // A pod that has ended, or should long be gone, takes nothing but its place in the list.
  if (hasEnded(pod, now)) return taken;
  const { requests, limits } = podResources(pod);
  return new Map([...taken, ["pods", quantityOf(1)], ...computeNames(requests, limits)]);
}

function hasEnded(pod: object, now: Instant): boolean {
  const phase = at(pod, "status", "phase");
  if (phase === "Succeeded" || phase === "Failed") return true;
  const overdue = overdueAt(pod);
  return overdue !== undefined && now > overdue;
}

/** When a pod that is being deleted is given up on: it counts no longer, though its node never said that it is gone. */
export function overdueAt(pod: object): Instant | undefined {
  const grace = at(pod, "metadata", "deletionGracePeriodSeconds");
  const asked = parseTime(textAt(pod, "metadata", "deletionTimestamp"));
  return asked === undefined || typeof grace !== "number" ? undefined : plus(asked, grace * 1000);
}

function computeNames(requests: Amounts, limits: Amounts): Amounts {
  const found = new Map<string, ReturnType<typeof quantityOf>>();
  for (const [name, amount] of requests) {
    const plain = compute.includes(name) || name.startsWith("hugepages-");
    if (plain) found.set(name, amount);
    if (plain || isExtended(name)) found.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (compute.includes(name)) found.set(`limits.${name}`, amount);
  return found;
}

const serviceNames = new Set(["services", "count/services", "services.nodeports", "services.loadbalancers"]);

function serviceUsage(service: object): Amounts {
  const type = textAt(service, "spec", "type");
  const ports = listAt(service, "spec", "ports");
  const balanced = type === "LoadBalancer";
  // A load balancer may do without ports of the nodes; those that are asked for by number count all the same.
  const chosen = balanced && at(service, "spec", "allocateLoadBalancerNodePorts") === false;
  const onNodes = chosen ? ports.filter((port) => (at(port, "nodePort") ?? 0) !== 0) : ports;
  return new Map([
    ["services", quantityOf(1)],
    ["count/services", quantityOf(1)],
    ["services.nodeports", quantityOf(type === "NodePort" || balanced ? onNodes.length : 0)],
    ["services.loadbalancers", quantityOf(balanced ? 1 : 0)],
  ]);
}

const ofClass = ".storageclass.storage.k8s.io/";

function isClaimName(name: string): boolean {
  const [, own = name] = name.split(ofClass);
  return name === "count/persistentvolumeclaims" || own === "persistentvolumeclaims" || own === "requests.storage";
}

function claimUsage(claim: object): Amounts {
  const named = at(claim, "metadata", "annotations", "volume.beta.kubernetes.io/storage-class");
  const storageClass = typeof named === "string" ? named : textAt(claim, "spec", "storageClassName");
  const asked = amountsIn(at(claim, "spec", "resources", "requests")).get("storage");
  const given = amountsIn(at(claim, "status", "allocatedResources")).get("storage");
  const storage = asked !== undefined && given !== undefined && given.nano > asked.nano ? given : asked;
  const amounts = [
    ["persistentvolumeclaims", quantityOf(1)] as const,
    ...(storage === undefined ? [] : [["requests.storage", storage] as const]),
  ];
  return new Map([
    ["count/persistentvolumeclaims", quantityOf(1)],
    ...amounts,
    ...(storageClass === ""
      ? []
      : amounts.map(([name, amount]) => [`${storageClass}${ofClass}${name}`, amount] as const)),
  ]);
}
