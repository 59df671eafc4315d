// Services: their defaults, their rules, and the addresses and ports they hold.
import { Service } from "@telltale/kinds/builtin";
import { at, clone, type Json, type JsonObject, text } from "../json.ts";
import { type FieldError, invalidField } from "../status.ts";
import { addressesOf, portsOf } from "./allocator.ts";
import { same } from "./checks.ts";
import { child, each, fill, filled, fillZero, given, list, number } from "./edit.ts";
import { validateService } from "./service-validation.ts";
import { type Allocator, keeping, type Strategy, strategy, without } from "./strategy.ts";

export const serviceStrategy: Strategy = strategy(Service, "core.Service", {
  nameRule: "label",
  allowCreateOnUpdate: true,
  returnDeletedObject: true,
  subresources: [{ name: "proxy", kind: "ServiceProxyOptions", verbs: ["create", "delete", "get", "patch", "update"] }],
  default: filled(fillService),
  prepareCreate: (service) => normalised(without(service, "status")),
  prepareUpdate: (service, old) => normalised(keeping(carried(service, old), old, "status")),
  validate: validateService,
  validateUpdate: (service, old) => [...fixedAddress(service, old), ...validateService(service)],
  allocate,
  release,
  fields: {
    names: ["spec.clusterIP", "spec.type"],
    read: (service) => ({
      "spec.clusterIP": text(at(service, "spec", "clusterIP")),
      "spec.type": text(at(service, "spec", "type")),
    }),
  },
});

function fillService(service: JsonObject): void {
  const spec = child(service, "spec");
  fillZero(spec, "sessionAffinity", "None");
  fillZero(spec, "type", "ClusterIP");
  if (spec["sessionAffinity"] === "None") delete spec["sessionAffinityConfig"];
  if (spec["sessionAffinity"] === "ClientIP")
    fill(child(child(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds", 10_800);
  for (const port of each(spec, "ports")) {
    fillZero(port, "protocol", "TCP");
    fillZero(port, "targetPort", port["port"] ?? 0);
  }
  const type = spec["type"];
  const reachable = type === "NodePort" || type === "LoadBalancer";
  if (reachable || (type === "ClusterIP" && list(spec, "externalIPs").length > 0))
    fillZero(spec, "externalTrafficPolicy", "Cluster");
  if (type === "NodePort" || type === "LoadBalancer" || type === "ClusterIP")
    fill(spec, "internalTrafficPolicy", "Cluster");
  if (type === "LoadBalancer") fill(spec, "allocateLoadBalancerNodePorts", true);
}

const hasAddress = (spec: JsonObject | undefined): boolean => text(spec?.["type"]) !== "ExternalName";
const hasNodePorts = (spec: JsonObject | undefined): boolean =>
  text(spec?.["type"]) === "NodePort" ||
  (text(spec?.["type"]) === "LoadBalancer" && spec?.["allocateLoadBalancerNodePorts"] !== false);
const needsHealthPort = (spec: JsonObject): boolean =>
  spec["type"] === "LoadBalancer" && spec["externalTrafficPolicy"] === "Local";

/** `clusterIP` and `clusterIPs` are one thing under two names, and families follow from it. */
function normalised(service: JsonObject): JsonObject {
  const spec: JsonObject = { ...given(service, "spec") };
  const ip = text(spec["clusterIP"]);
  if (ip !== "" && list(spec, "clusterIPs").length === 0) spec["clusterIPs"] = [ip];
  if (hasAddress(spec)) {
    const bare = ip === "None" && Object.keys(given(spec, "selector") ?? {}).length === 0;
    // Without a selector nobody knows the families of what is behind it, so both are promised.
    if (list(spec, "ipFamilies").length === 0)
      spec["ipFamilies"] = bare && spec["ipFamilyPolicy"] === undefined ? ["IPv4", "IPv6"] : ["IPv4"];
    fill(spec, "ipFamilyPolicy", bare ? "RequireDualStack" : "SingleStack");
  }
  return { ...service, spec };
}

/** What an update left out and the Service keeps; what its new type cannot have goes. */
function carried(service: JsonObject, old: JsonObject): JsonObject {
  const spec: JsonObject = clone(given(service, "spec") ?? {});
  const before = given(old, "spec") ?? {};
  const keep = (name: string): void => {
    const value = before[name];
    if (value !== undefined) spec[name] = value;
  };
  if (hasAddress(spec) && hasAddress(before)) {
    if (text(spec["clusterIP"]) === "" && list(spec, "clusterIPs").length === 0) {
      keep("clusterIP");
      keep("clusterIPs");
    } else if (text(spec["clusterIP"]) !== text(before["clusterIP"]) && same(spec["clusterIPs"], before["clusterIPs"]))
      spec["clusterIPs"] = [text(spec["clusterIP"])];
    for (const name of ["ipFamilies", "ipFamilyPolicy"]) if (spec[name] === undefined) keep(name);
  }
  if (!hasAddress(spec) && hasAddress(before)) {
    for (const name of ["clusterIP", "clusterIPs"]) if (same(spec[name], before[name])) delete spec[name];
    for (const name of ["ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"]) delete spec[name];
  }
  if (hasNodePorts(spec) && hasNodePorts(before)) keepNodePorts(spec, before);
  if (!hasNodePorts(spec) && hasNodePorts(before)) dropOldNodePorts(spec, before);
  if (spec["type"] !== "LoadBalancer" && before["type"] === "LoadBalancer")
    for (const name of ["allocateLoadBalancerNodePorts", "loadBalancerClass"]) delete spec[name];
  if (needsHealthPort(spec) && needsHealthPort(before) && number(spec, "healthCheckNodePort") === undefined)
    keep("healthCheckNodePort");
  if (!needsHealthPort(spec) && spec["healthCheckNodePort"] === before["healthCheckNodePort"])
    delete spec["healthCheckNodePort"];
  if (
    spec["type"] !== "LoadBalancer" &&
    spec["type"] !== "NodePort" &&
    spec["externalTrafficPolicy"] === before["externalTrafficPolicy"]
  )
    delete spec["externalTrafficPolicy"];
  return { ...service, spec };
}

const portKey = (port: JsonObject): string => `${text(port["protocol"])}/${number(port, "port") ?? 0}`;

function keepNodePorts(spec: JsonObject, before: JsonObject): void {
  const held = new Map(each(before, "ports").map((port) => [portKey(port), number(port, "nodePort") ?? 0]));
  const taken = new Set(each(spec, "ports").map((port) => number(port, "nodePort") ?? 0));
  for (const port of each(spec, "ports")) {
    const old = held.get(portKey(port)) ?? 0;
    if ((number(port, "nodePort") ?? 0) === 0 && old !== 0 && !taken.has(old)) port["nodePort"] = old;
  }
}

function dropOldNodePorts(spec: JsonObject, before: JsonObject): void {
  const held = new Set(each(before, "ports").map((port) => number(port, "nodePort") ?? 0));
  for (const port of each(spec, "ports")) if (held.has(number(port, "nodePort") ?? 0)) delete port["nodePort"];
}

/** An address stays with the Service as long as it is of a type that has one. */
function fixedAddress(service: JsonObject, old: JsonObject): FieldError[] {
  const spec = given(service, "spec") ?? {};
  const before = given(old, "spec") ?? {};
  if (!hasAddress(spec) || !hasAddress(before)) return [];
  const ips = list(spec, "clusterIPs");
  const first = text(list(before, "clusterIPs")[0]);
  return first === "" || text(ips[0]) === first
    ? []
    : [invalidField("spec.clusterIPs[0]", ips, "may not change once set")];
}

/** Takes an address and node ports. When one is refused, what was taken on the way is given back. */
function allocate(
  service: JsonObject,
  old: JsonObject | undefined,
  allocator: Allocator,
): { object: JsonObject } | { errors: FieldError[] } {
  const copy = clone(service);
  const spec = child(copy, "spec");
  const undo: (() => void)[] = [];
  const errors: FieldError[] = [];
  takeAddress(spec, new Set(old === undefined ? [] : addressesOf(old)), allocator, undo, errors);
  if (errors.length === 0) takePorts(spec, new Set(old === undefined ? [] : portsOf(old)), allocator, undo, errors);
  if (errors.length === 0) return { object: copy };
  for (const back of undo) back();
  return { errors };
}

function takeAddress(
  spec: JsonObject,
  held: ReadonlySet<string>,
  allocator: Allocator,
  undo: (() => void)[],
  errors: FieldError[],
): void {
  const ip = text(spec["clusterIP"]);
  if (!hasAddress(spec) || ip === "None" || held.has(ip)) return;
  const got = allocator.allocateClusterIP(ip === "" ? undefined : ip);
  if ("refused" in got) {
    errors.push(invalidField("spec.clusterIPs", [ip], got.refused));
    return;
  }
  undo.push(() => allocator.releaseClusterIP(got.ip));
  spec["clusterIP"] = got.ip;
  spec["clusterIPs"] = [got.ip];
}

function takePorts(
  spec: JsonObject,
  held: ReadonlySet<number>,
  allocator: Allocator,
  undo: (() => void)[],
  errors: FieldError[],
): void {
  // TCP and UDP of one Service may share a number.
  const own = new Map<number, Set<string>>();
  const take = (field: string, wanted: number, protocol: string): number => {
    const shared = own.get(wanted);
    if (wanted !== 0 && (held.has(wanted) || (shared !== undefined && !shared.has(protocol)))) return wanted;
    const got = allocator.allocateNodePort(wanted === 0 ? undefined : wanted);
    if ("refused" in got) {
      errors.push(invalidField(field, wanted, got.refused));
      return wanted;
    }
    undo.push(() => allocator.releaseNodePort(got.port));
    return got.port;
  };
  if (hasNodePorts(spec))
    for (const [i, port] of each(spec, "ports").entries()) {
      const protocol = text(port["protocol"]);
      const got = take(`spec.ports[${i}].nodePort`, number(port, "nodePort") ?? 0, protocol);
      if (got !== 0) port["nodePort"] = got;
      own.set(got, new Set([...(own.get(got) ?? []), protocol]));
    }
  if (needsHealthPort(spec)) {
    const got: Json = take("spec.healthCheckNodePort", number(spec, "healthCheckNodePort") ?? 0, "TCP");
    if (got !== 0) spec["healthCheckNodePort"] = got;
  }
}

function release(before: JsonObject, after: JsonObject | undefined, allocator: Allocator): void {
  const keptAddresses = new Set(after === undefined ? [] : addressesOf(after));
  const keptPorts = new Set(after === undefined ? [] : portsOf(after));
  for (const ip of addressesOf(before)) if (!keptAddresses.has(ip)) allocator.releaseClusterIP(ip);
  for (const port of portsOf(before)) if (!keptPorts.has(port)) allocator.releaseNodePort(port);
}
