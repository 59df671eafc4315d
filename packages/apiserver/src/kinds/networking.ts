// The kinds of `networking.k8s.io/v1`.
import { isIPv4, isIPv6 } from "node:net";
import { builtin } from "@telltale/kinds";
import { Ingress, IngressClass, NetworkPolicy } from "@telltale/kinds/builtin";
import { type Json, type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField, invalidField, notSupported, required } from "../status.ts";
import {
  cidr,
  domainPathProblems,
  immutable,
  isCidr,
  labelProblems,
  labelSelector,
  oneOf,
  portNameProblems,
  portNumber,
  portOrName,
  same,
  subdomainProblems,
  told,
  wildcardProblems,
} from "./checks.ts";
import { child, each, fill, filled, given, list, number } from "./edit.ts";
import { isInside, rangeOf, rangeProblems, rangeWarnings } from "./ip-ranges.ts";
import { type Strategy, strategy } from "./strategy.ts";

type Found = FieldError[];

const v1 = { group: "networking.k8s.io", version: "v1", scope: "Cluster" } as const;

const IPAddress = builtin()({ ...v1, kind: "IPAddress", plural: "ipaddresses", shortNames: ["ip"] });
const ServiceCIDR = builtin()({ ...v1, kind: "ServiceCIDR", plural: "servicecidrs", status: true });

const specOf = (object: JsonObject): JsonObject => given(object, "spec") ?? {};

export const networkingStrategies: readonly Strategy[] = [
  strategy(IngressClass, "networking.IngressClass", {
    tracksGeneration: true,
    default: filled((object) => {
      const parameters = given(given(object, "spec"), "parameters");
      if (parameters !== undefined) fill(parameters, "scope", "Cluster");
    }),
    validate: validateClass,
    validateUpdate: (object, old) => [
      ...(specOf(object)["controller"] === specOf(old)["controller"]
        ? []
        : [immutable("spec.controller", specOf(object)["controller"])]),
      ...validateClass(object),
    ],
  }),
  strategy(Ingress, "networking.Ingress", {
    tracksGeneration: true,
    validate: (object) => validateIngress(specOf(object)),
  }),
  strategy(IPAddress, undefined, { nameRule: "ip" }),
  strategy(NetworkPolicy, "networking.NetworkPolicy", {
    tracksGeneration: true,
    default: filled((object) => {
      const spec = child(object, "spec");
      for (const rule of [...each(spec, "ingress"), ...each(spec, "egress")])
        for (const port of each(rule, "ports")) fill(port, "protocol", "TCP");
      if (list(spec, "policyTypes").length === 0)
        spec["policyTypes"] = list(spec, "egress").length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
      child(spec, "podSelector");
    }),
    validate: (object) => validatePolicy(specOf(object)),
    warnings: (object) => policyWarnings(specOf(object)),
  }),
  strategy(ServiceCIDR, undefined, {
    validateUpdate: (object, old) =>
      same(specOf(object)["cidrs"], specOf(old)["cidrs"])
        ? []
        : [immutable("spec.cidrs", list(specOf(object), "cidrs"))],
  }),
];

function validateClass(object: JsonObject): Found {
  const spec = specOf(object);
  const controller = text(spec["controller"]);
  const found: Found =
    controller === ""
      ? [required("spec.controller")]
      : told("spec.controller", controller, domainPathProblems(controller));
  const parameters = given(spec, "parameters");
  if (parameters === undefined) return found;
  for (const name of ["kind", "name"])
    if (text(parameters[name]) === "") found.push(required(`spec.parameters.${name}`));
  const scope = text(parameters["scope"]);
  const namespace = text(parameters["namespace"]);
  if (scope !== "Cluster" && scope !== "Namespace")
    found.push(notSupported("spec.parameters.scope", scope, ["Cluster", "Namespace"]));
  if (scope === "Namespace" && namespace === "")
    found.push(required("spec.parameters.namespace", "`parameters.scope` is set to 'Namespace'"));
  if (scope === "Cluster" && namespace !== "")
    found.push(forbiddenField("spec.parameters.namespace", "`parameters.scope` is set to 'Cluster'"));
  return found;
}

function validateIngress(spec: JsonObject): Found {
  const rules = each(spec, "rules");
  const backend = given(spec, "defaultBackend");
  const found: Found = [];
  if (rules.length === 0 && backend === undefined)
    found.push(invalidField("spec", null, "either `defaultBackend` or `rules` must be specified"));
  if (backend !== undefined) found.push(...validateBackend("spec.defaultBackend", backend));
  for (const [i, rule] of rules.entries()) {
    const path = `spec.rules[${i}]`;
    const host = text(rule["host"]);
    if (isIPv4(host) || isIPv6(host))
      found.push(invalidField(`${path}.host`, host, "must be a DNS name, not an IP address"));
    else if (host !== "") found.push(...told(`${path}.host`, host, hostProblems(host)));
    const http = given(rule, "http");
    if (http === undefined) continue;
    if (each(http, "paths").length === 0) found.push(required(`${path}.http.paths`));
    for (const [j, one] of each(http, "paths").entries()) found.push(...httpPath(`${path}.http.paths[${j}]`, one));
  }
  for (const [i, tls] of each(spec, "tls").entries())
    for (const [j, host] of list(tls, "hosts").entries())
      found.push(...told(`spec.tls[${i}].hosts[${j}]`, host, hostProblems(text(host))));
  const name = spec["ingressClassName"];
  if (typeof name === "string") found.push(...told("spec.ingressClassName", name, subdomainProblems(name)));
  return found;
}

const hostProblems = (host: string): string[] =>
  host.includes("*") ? wildcardProblems(host) : subdomainProblems(host);
const badSequences = ["//", "/./", "/../", "%2f", "%2F"];

function httpPath(field: string, path: JsonObject): Found {
  const type = text(path["pathType"]);
  const value = text(path["path"]);
  if (type === "") return [required(`${field}.pathType`, "pathType must be specified")];
  const found: Found = [];
  if (type === "Exact" || type === "Prefix") {
    if (!value.startsWith("/")) found.push(invalidField(`${field}.path`, value, "must be an absolute path"));
    if (value !== "") {
      for (const bad of badSequences)
        if (value.includes(bad)) found.push(invalidField(`${field}.path`, value, `must not contain '${bad}'`));
      for (const bad of ["/..", "/."])
        if (value.endsWith(bad)) found.push(invalidField(`${field}.path`, value, `cannot end with '${bad}'`));
    }
  } else if (type === "ImplementationSpecific") {
    if (value !== "" && !value.startsWith("/"))
      found.push(invalidField(`${field}.path`, value, "must be an absolute path"));
  } else found.push(notSupported(`${field}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"]));
  return [...found, ...validateBackend(`${field}.backend`, given(path, "backend") ?? {})];
}

function validateBackend(field: string, backend: JsonObject): Found {
  const service = given(backend, "service");
  const resource = given(backend, "resource");
  if (service !== undefined && resource !== undefined)
    return [invalidField(field, "", "cannot set both resource and service backends")];
  if (resource !== undefined)
    return ["kind", "name"].filter((n) => text(resource[n]) === "").map((n) => required(`${field}.resource.${n}`));
  if (service === undefined) return [invalidField(field, "", "resource or service backend is required")];
  const found: Found = [];
  const name = text(service["name"]);
  found.push(
    ...(name === "" ? [required(`${field}.service.name`)] : told(`${field}.service.name`, name, labelProblems(name))),
  );
  const portName = text(given(service, "port")?.["name"]);
  const portValue = number(given(service, "port"), "number") ?? 0;
  if (portName !== "" && portValue !== 0)
    found.push(invalidField(field, "", "cannot set both port name & port number"));
  else if (portName !== "") found.push(...told(`${field}.service.port.name`, portName, portNameProblems(portName)));
  else if (portValue !== 0) found.push(...portNumber(`${field}.service.port.number`, portValue));
  else found.push(required(field, "port name or number is required"));
  return found;
}

function validatePolicy(spec: JsonObject): Found {
  const found = labelSelector("spec.podSelector", given(spec, "podSelector"));
  for (const [direction, side] of [
    ["ingress", "from"],
    ["egress", "to"],
  ] as const)
    for (const [i, rule] of each(spec, direction).entries()) {
      const path = `spec.${direction}[${i}]`;
      for (const [j, port] of each(rule, "ports").entries()) found.push(...policyPort(`${path}.ports[${j}]`, port));
      for (const [j, peer] of each(rule, side).entries()) found.push(...policyPeer(`${path}.${side}[${j}]`, peer));
    }
  const types = list(spec, "policyTypes");
  if (types.length > 2) {
    found.push(invalidField("spec.policyTypes", types, "may not specify more than two policyTypes"));
    return found;
  }
  for (const [i, type] of types.entries()) found.push(...oneOf(`spec.policyTypes[${i}]`, type, ["Ingress", "Egress"]));
  return found;
}

function policyPort(field: string, port: JsonObject): Found {
  const found: Found = [];
  const protocol: Json | undefined = port["protocol"];
  const value = port["port"];
  const end = number(port, "endPort");
  if (protocol !== undefined && protocol !== null)
    found.push(...oneOf(`${field}.protocol`, protocol, ["TCP", "UDP", "SCTP"]));
  if (value === undefined || value === null) {
    if (end !== undefined)
      found.push(invalidField(`${field}.endPort`, end, "may not be specified when `port` is not specified"));
    return found;
  }
  found.push(...portOrName(`${field}.port`, value));
  if (end === undefined) return found;
  if (typeof value === "string")
    found.push(invalidField(`${field}.endPort`, end, "may not be specified when `port` is non-numeric"));
  // Upstream shows the port here, not the end.
  else if (typeof value === "number" && end < value)
    found.push(invalidField(`${field}.endPort`, value, "must be greater than or equal to `port`"));
  return found;
}

function policyPeer(field: string, peer: JsonObject): Found {
  const found: Found = [];
  const sides = ["podSelector", "namespaceSelector"].filter((name) => given(peer, name) !== undefined);
  for (const name of sides) found.push(...labelSelector(`${field}.${name}`, given(peer, name)));
  const block = given(peer, "ipBlock");
  if (block !== undefined) found.push(...ipBlock(`${field}.ipBlock`, block));
  const count = sides.length + (block === undefined ? 0 : 1);
  if (count === 0) found.push(required(field, "must specify a peer"));
  if (block !== undefined && sides.length > 0)
    found.push(forbiddenField(field, "may not specify both ipBlock and another peer"));
  return found;
}

function ipBlock(field: string, block: JsonObject): Found {
  const whole = text(block["cidr"]);
  if (whole === "") return [required(`${field}.cidr`)];
  const found = range(`${field}.cidr`, whole);
  const outer = rangeOf(whole);
  if (!isCidr(whole) || outer === undefined) return found;
  for (const [i, except] of list(block, "except").map(text).entries()) {
    const here = `${field}.except[${i}]`;
    found.push(...range(here, except));
    const inner = isCidr(except) ? rangeOf(except) : undefined;
    if (inner !== undefined && !isInside(inner, outer))
      found.push(invalidField(here, except, "must be a strict subset of `cidr`"));
  }
  return found;
}

function range(field: string, value: string): Found {
  const found = cidr(field, value);
  return found.length > 0 ? found : rangeProblems(value).map((problem) => invalidField(field, value, problem));
}

function policyWarnings(spec: JsonObject): string[] {
  const blocks = [["ingress", "from"] as const, ["egress", "to"] as const].flatMap(([way, peers]) =>
    each(spec, way).flatMap((rule, i) =>
      each(rule, peers).map((peer, j) => [`spec.${way}[${i}].${peers}[${j}].ipBlock`, given(peer, "ipBlock")] as const),
    ),
  );
  return blocks.flatMap(([field, block]) =>
    block === undefined
      ? []
      : [
          ...rangeWarnings(`${field}.cidr`, text(block["cidr"])),
          ...list(block, "except").flatMap((it, i) => rangeWarnings(`${field}.except[${i}]`, text(it))),
        ],
  );
}
