// Rows of what connects pods, and of the nodes they run on.
import { at, isObject, type Json, type JsonObject, text } from "../json.ts";
import {
  ageOf,
  condition,
  count,
  few,
  flag,
  items,
  labels,
  nameOf,
  none,
  selector,
  unknown,
  unset,
  words,
} from "./cells.ts";
import { columns } from "./columns.ts";
import type { TableForm } from "./table.ts";

export const networkForms: Readonly<Record<string, TableForm>> = {
  "/Service": {
    columns: columns("Name:string/name | Type | Cluster-IP | External-IP | Port(s) | Age | Selector*"),
    row: (o, now) => [
      nameOf(o),
      words(o, "spec", "type"),
      text(items(o, "spec", "clusterIPs")[0]) || words(o, "spec", "clusterIP") || none,
      externalAddress(o),
      servicePorts(o),
      ageOf(o, now),
      labels(at(o, "spec", "selector")),
    ],
  },
  "/Endpoints": {
    columns: columns("Name:string/name | Endpoints | Age"),
    row: (o, now) => [nameOf(o), endpoints(items(o, "subsets")), ageOf(o, now)],
  },
  "discovery.k8s.io/EndpointSlice": {
    columns: columns("Name:string/name | AddressType | Ports | Endpoints | Age"),
    row: (o, now) => [
      nameOf(o),
      words(o, "addressType"),
      slicePorts(items(o, "ports")),
      orUnset(items(o, "endpoints").flatMap((e) => items(e, "addresses").map(text))),
      ageOf(o, now),
    ],
  },
  "networking.k8s.io/Ingress": {
    columns: columns("Name:string/name | Class | Hosts | Address | Ports | Age"),
    row: (o, now) => [
      nameOf(o),
      words(o, "spec", "ingressClassName") || none,
      hosts(o),
      balancers(o).join(","),
      items(o, "spec", "tls").length > 0 ? "80, 443" : "80",
      ageOf(o, now),
    ],
  },
  "networking.k8s.io/IngressClass": {
    columns: columns("Name:string/name | Controller | Parameters | Age"),
    row: (o, now) => [
      nameOf(o),
      words(o, "spec", "controller"),
      parameters(at(o, "spec", "parameters")),
      ageOf(o, now),
    ],
  },
  "networking.k8s.io/NetworkPolicy": {
    columns: columns("Name:string/name | Pod-Selector | Age"),
    row: (o, now) => [nameOf(o), selector(at(o, "spec", "podSelector")), ageOf(o, now)],
  },
  "networking.k8s.io/IPAddress": {
    // Three cells and two columns: that is how upstream has it.
    columns: columns("Name:string/name | ParentRef"),
    row: (o, now) => [nameOf(o), parent(at(o, "spec", "parentRef")), ageOf(o, now)],
  },
  "networking.k8s.io/ServiceCIDR": {
    columns: columns("Name:string/name | CIDRs | Age"),
    row: (o, now) => [nameOf(o), items(o, "spec", "cidrs").map(text).join(","), ageOf(o, now)],
  },
  "/Node": {
    columns: columns(
      "Name:string/name | Status | Roles | Age | Version | Internal-IP* | External-IP* | OS-Image* | Kernel-Version* | Container-Runtime*",
    ),
    row: (o, now) => [
      nameOf(o),
      nodeStatus(o),
      roles(o),
      ageOf(o, now),
      words(o, "status", "nodeInfo", "kubeletVersion"),
      nodeAddress(o, "InternalIP"),
      nodeAddress(o, "ExternalIP"),
      words(o, "status", "nodeInfo", "osImage") || unknown,
      kernel(o),
      words(o, "status", "nodeInfo", "containerRuntimeVersion") || unknown,
    ],
  },
};

const balancers = (o: JsonObject): string[] =>
  items(o, "status", "loadBalancer", "ingress").map((i) => words(i, "ip") || words(i, "hostname"));

function externalAddress(o: JsonObject): string {
  const given = items(o, "spec", "externalIPs").map(text);
  switch (words(o, "spec", "type")) {
    case "ExternalName":
      return words(o, "spec", "externalName");
    case "LoadBalancer": {
      const all = [...balancers(o).filter((b) => b !== ""), ...given];
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    case "ClusterIP":
    case "NodePort":
      return given.length === 0 ? none : given.join(",");
    default:
      return unknown;
  }
}

function servicePorts(o: JsonObject): string {
  const ports = items(o, "spec", "ports").map((p) => {
    const node = count(p, "nodePort");
    return `${count(p, "port")}${node === 0 ? "" : `:${node}`}/${words(p, "protocol")}`;
  });
  return ports.length === 0 ? none : ports.join(",");
}

/** Every address at every port, port by port; three of them are shown. */
function endpoints(subsets: readonly Json[]): string {
  if (subsets.length === 0) return none;
  const all = subsets.flatMap((subset) => {
    const addresses = items(subset, "addresses").map((a) => words(a, "ip"));
    const ports = items(subset, "ports");
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) =>
      addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${count(port, "port")}`),
    );
  });
  return few(all, 3);
}

const orUnset = (all: readonly string[]): string => (all.length === 0 ? unset : few(all, 3));

/** A port without a number goes by its name; one without either is any. */
function slicePorts(ports: readonly Json[]): string {
  return orUnset(ports.map((p) => (at(p, "port") === undefined ? words(p, "name") || "*" : String(count(p, "port")))));
}

function hosts(o: JsonObject): string {
  const all = items(o, "spec", "rules")
    .map((rule) => words(rule, "host"))
    .filter((host) => host !== "");
  return all.length === 0 ? "*" : few(all, 3);
}

function parameters(value: Json | undefined): string {
  if (!isObject(value)) return none;
  const group = words(value, "apiGroup");
  return `${words(value, "kind")}${group === "" ? "" : `.${group}`}/${words(value, "name")}`;
}

function parent(value: Json | undefined): string {
  if (!isObject(value)) return none;
  const parts = [words(value, "group"), words(value, "resource"), words(value, "namespace"), words(value, "name")];
  const [group, resource, ...rest] = parts;
  return [group === "" ? resource : `${resource}.${group}`, ...rest].filter((part) => part !== "").join("/");
}

function nodeStatus(o: JsonObject): string {
  const ready = condition(o, "Ready");
  const word = ready === undefined ? "Unknown" : words(ready, "status") === "True" ? "Ready" : "NotReady";
  return flag(o, "spec", "unschedulable") ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = "node-role.kubernetes.io/";

function roles(o: JsonObject): string {
  const given = at(o, "metadata", "labels");
  const found = new Set<string>();
  for (const [key, value] of Object.entries(isObject(given) ? given : {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) found.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role" && value !== "") found.add(text(value));
  }
  return found.size === 0 ? none : [...found].sort().join(",");
}

function nodeAddress(o: JsonObject, type: string): string {
  return (
    words(
      items(o, "status", "addresses").find((a) => words(a, "type") === type),
      "address",
    ) || none
  );
}

function kernel(o: JsonObject): string {
  const version = words(o, "status", "nodeInfo", "kernelVersion");
  const architecture = words(o, "status", "nodeInfo", "architecture");
  if (version === "") return unknown;
  return architecture === "" ? version : `${version} (${architecture})`;
}
