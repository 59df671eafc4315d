// The kinds of the core group that need little or nothing of their own, and where the others of the group are.

import { isIPv4, isIPv6 } from "node:net";
import { parseQuantity } from "@telltale/kinds";
import {
  Binding,
  Endpoints,
  LimitRange,
  Node,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
  ServiceAccount,
} from "@telltale/kinds/builtin";
import { at, type JsonObject, text } from "../json.ts";
import { type FieldError, invalidField, required } from "../status.ts";
import {
  ipAddress,
  labelProblems,
  nonNegative,
  oneOf,
  portNumber,
  protocols,
  qualifiedProblems,
  same,
  shownMap,
  told,
} from "./checks.ts";
import { configStrategies } from "./config.ts";
import { child, each, fill, filled, fillZero, given, list, number, texts } from "./edit.ts";
import { coreEventStrategy } from "./events.ts";
import { namespaceStrategy } from "./namespace.ts";
import { podStrategy } from "./pod.ts";
import { fillPodTemplate } from "./pod-defaults.ts";
import { podTemplate } from "./pod-validation.ts";
import { ownerWarnings, templateWarnings } from "./pod-warnings.ts";
import { replicaStatus, replicas, scaleSubresource } from "./replicas.ts";
import { serviceStrategy } from "./service.ts";
import { type Strategy, statusOnly, strategy } from "./strategy.ts";

type Found = FieldError[];

const limitTypes = ["max", "min", "default", "defaultRequest"];

export const coreStrategies: readonly Strategy[] = [
  ...configStrategies,
  coreEventStrategy,
  namespaceStrategy,
  podStrategy,
  serviceStrategy,
  strategy(Binding, "core.Binding", { verbs: ["create"] }),
  strategy(Endpoints, "core.Endpoints", {
    allowCreateOnUpdate: true,
    deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    default: filled((endpoints) => {
      for (const subset of each(endpoints, "subsets"))
        for (const port of each(subset, "ports")) fillZero(port, "protocol", "TCP");
    }),
    validate: validateEndpoints,
  }),
  strategy(LimitRange, "core.LimitRange", {
    allowCreateOnUpdate: true,
    default: filled((range) => {
      for (const limit of each(given(range, "spec"), "limits")) if (limit["type"] === "Container") fillLimit(limit);
    }),
    validate: (range) =>
      each(given(range, "spec"), "limits").flatMap((limit, i) => limitItem(`spec.limits[${i}]`, limit)),
  }),
  strategy(Node, "core.Node", {
    subresources: [{ name: "proxy", kind: "NodeProxyOptions", verbs: ["create", "delete", "get", "patch", "update"] }],
    default: filled((node) => {
      const status = given(node, "status");
      const capacity = given(status, "capacity");
      if (status === undefined || capacity === undefined) return;
      status["allocatable"] = { ...capacity, ...given(status, "allocatable") };
    }),
    // A kubelet registers itself with its first status.
    prepareCreate: (node) => node,
    fields: {
      names: ["spec.unschedulable"],
      read: (node) => ({ "spec.unschedulable": String(at(node, "spec", "unschedulable") === true) }),
    },
  }),
  strategy(PodTemplate, "core.PodTemplate", {
    tracksGeneration: true,
    returnDeletedObject: true,
    default: filled(fillPodTemplate),
    validate: (object) => podTemplate("template", given(object, "template")),
    warnings: ownerWarnings(
      (object) => templateWarnings("template", given(object, "template")),
      () => [],
    ),
  }),
  strategy(ReplicationController, "core.ReplicationController", {
    tracksGeneration: true,
    defaultPropagation: "Orphan",
    scale: replicas,
    subresources: [scaleSubresource],
    default: filled((controller) => {
      const spec = child(controller, "spec");
      const labels = texts(given(given(spec, "template"), "metadata"), "labels");
      if (given(spec, "template") !== undefined) fillPodTemplate(spec);
      if (labels !== undefined) {
        if (texts(spec, "selector") === undefined) spec["selector"] = { ...labels };
        const metadata = child(controller, "metadata");
        if (texts(metadata, "labels") === undefined) metadata["labels"] = { ...labels };
      }
      fill(spec, "replicas", 1);
    }),
    validate: validateController,
    validateStatusUpdate: (object) => replicaStatus(object),
    // Kubernetes warns of the template as it was before a change.
    warnings: (object, old) =>
      ownerWarnings(() => templateWarnings("spec.template", given(given(old ?? object, "spec"), "template")))(
        object,
        old,
      ),
    fields: {
      names: ["status.replicas"],
      read: (object) => ({ "status.replicas": String(number(given(object, "status"), "replicas") ?? 0) }),
    },
  }),
  strategy(ResourceQuota, "core.ResourceQuota", {
    returnDeletedObject: true,
    validate: (quota) => [
      ...Object.entries(given(given(quota, "spec"), "hard") ?? {}).flatMap(([name, amount]) =>
        (parseQuantity(String(amount))?.nano ?? 0n) < 0n
          ? [invalidField(`spec.hard[${name}]`, amount, "must be greater than or equal to 0")]
          : [],
      ),
    ],
    validateUpdate: (quota, old) =>
      same(at(quota, "spec", "scopes"), at(old, "spec", "scopes"))
        ? []
        : [invalidField("spec.scopes", list(given(quota, "spec"), "scopes"), "field is immutable")],
    prepareStatusUpdate: statusOnly,
  }),
  strategy(ServiceAccount, "core.ServiceAccount", {
    returnDeletedObject: true,
    subresources: [
      { name: "token", kind: "TokenRequest", group: "authentication.k8s.io", version: "v1", verbs: ["create"] },
    ],
  }),
];

/** A container's default is its maximum, and its default request is its default, else its minimum. */
function fillLimit(limit: JsonObject): void {
  const [max, min, own, request] = limitTypes.map((name) => given(limit, name) ?? {});
  const defaults = { ...max, ...own };
  const requests = { ...min, ...defaults, ...request };
  if (Object.keys(defaults).length > 0) limit["default"] = defaults;
  if (Object.keys(requests).length > 0) limit["defaultRequest"] = requests;
}

function limitItem(field: string, limit: JsonObject): Found {
  const type = text(limit["type"]);
  const found = told(`${field}.type`, type, qualifiedProblems(type));
  const max = given(limit, "max") ?? {};
  for (const [name, least] of Object.entries(given(limit, "min") ?? {})) {
    const most = max[name];
    if (most === undefined) continue;
    if ((parseQuantity(String(least))?.nano ?? 0n) > (parseQuantity(String(most))?.nano ?? 0n))
      found.push(
        invalidField(
          `${field}.min[${name}]`,
          least,
          `min value ${text(least)} is greater than max value ${text(most)}`,
        ),
      );
  }
  return found;
}

function validateController(controller: JsonObject): Found {
  const spec = given(controller, "spec") ?? {};
  const selector = texts(spec, "selector");
  const template = given(spec, "template");
  const found: Found = [];
  if (selector === undefined) found.push(required("spec.selector"));
  found.push(...nonNegative("spec.minReadySeconds", spec["minReadySeconds"]));
  found.push(...nonNegative("spec.replicas", spec["replicas"]));
  if (template === undefined) return [...found, required("spec.template")];
  const labels = texts(given(template, "metadata"), "labels");
  if (selector !== undefined && !Object.entries(selector).every(([key, value]) => labels?.[key] === value))
    found.push(
      invalidField("spec.template.metadata.labels", shownMap(labels), "`selector` does not match template `labels`"),
    );
  found.push(...podTemplate("spec.template", template));
  const restart = at(template, "spec", "restartPolicy");
  if (restart !== "Always") found.push(...oneOf("spec.template.spec.restartPolicy", restart, ["Always"]));
  return found;
}

function validateEndpoints(endpoints: JsonObject): Found {
  return each(endpoints, "subsets").flatMap((subset, i) => {
    const path = `subsets[${i}]`;
    const found: Found = [];
    if (list(subset, "addresses").length === 0 && list(subset, "notReadyAddresses").length === 0)
      found.push(required(path, "must specify `addresses` or `notReadyAddresses`"));
    for (const name of ["addresses", "notReadyAddresses"])
      for (const [j, address] of each(subset, name).entries()) {
        const field = `${path}.${name}[${j}].ip`;
        const ip = text(address["ip"]);
        found.push(...ipAddress(field, ip));
        if (!isIPv4(ip) && !isIPv6(ip)) found.push(invalidField(field, ip, "must be a valid IP address"));
      }
    const many = each(subset, "ports").length > 1;
    for (const [j, port] of each(subset, "ports").entries()) {
      const name = text(port["name"]);
      if (name === "" && many) found.push(required(`${path}.ports[${j}].name`));
      else if (name !== "") found.push(...told(`${path}.ports[${j}].name`, name, labelProblems(name)));
      found.push(...portNumber(`${path}.ports[${j}].port`, port["port"] ?? 0));
      found.push(...oneOf(`${path}.ports[${j}].protocol`, port["protocol"], protocols));
    }
    return found;
  });
}
