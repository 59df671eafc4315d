// The rules for Services.
import { type JsonObject, text } from "../json.ts";
import { duplicate, type FieldError, forbiddenField, invalidField, required } from "../status.ts";
import {
  cidr,
  invalidRaw,
  ipAddress,
  labelProblems,
  labels,
  oneOf,
  optionalOneOf,
  portNumber,
  portOrName,
  protocols,
  subdomainProblems,
  told,
} from "./checks.ts";
import { each, given, list, number } from "./edit.ts";

type Found = FieldError[];

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

export function validateService(service: JsonObject): Found {
  const spec = given(service, "spec") ?? {};
  const type = text(spec["type"]);
  const headless = text(list(spec, "clusterIPs")[0]) === "None" || text(spec["clusterIP"]) === "None";
  const found: Found = [];
  if (each(spec, "ports").length === 0 && !headless && type !== "ExternalName") found.push(required("spec.ports"));
  if (type === "LoadBalancer") {
    for (const [i, port] of each(spec, "ports").entries())
      if (number(port, "port") === 10_250)
        found.push(
          invalidField(`spec.ports[${i}]`, 10_250, "may not expose port 10250 externally since it is used by kubelet"),
        );
    if (headless)
      found.push(invalidField("spec.clusterIPs[0]", "None", "may not be set to 'None' for LoadBalancer services"));
  }
  if (type === "NodePort" && headless)
    found.push(invalidField("spec.clusterIPs[0]", "None", "may not be set to 'None' for NodePort services"));
  if (type === "ExternalName") found.push(...externalName(spec));

  const names = new Set<string>();
  const many = each(spec, "ports").length > 1;
  for (const [i, port] of each(spec, "ports").entries())
    found.push(...servicePort(`spec.ports[${i}]`, port, many, names));
  found.push(...labels("spec.selector", given(spec, "selector")));
  const affinity = text(spec["sessionAffinity"]);
  if (affinity === "") found.push(required("spec.sessionAffinity"));
  else found.push(...oneOf("spec.sessionAffinity", affinity, ["ClientIP", "None"]));
  if (affinity === "ClientIP") {
    const seconds = number(given(given(spec, "sessionAffinityConfig"), "clientIP"), "timeoutSeconds") ?? 1;
    if (seconds < 1 || seconds > 86_400)
      found.push(
        invalidField(
          "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
          seconds,
          "must be greater than 0 and less than 86400",
        ),
      );
  }
  found.push(...clusterIPs(spec));
  found.push(...list(spec, "externalIPs").flatMap((ip, i) => ipAddress(`spec.externalIPs[${i}]`, ip)));
  if (type === "") found.push(required("spec.type"));
  else found.push(...oneOf("spec.type", type, types));
  found.push(...samePorts(spec), ...nodePorts(spec, type));
  found.push(
    ...list(spec, "loadBalancerSourceRanges").flatMap((range, i) => cidr(`spec.LoadBalancerSourceRanges[${i}]`, range)),
  );
  const external = type === "NodePort" || type === "LoadBalancer" || list(spec, "externalIPs").length > 0;
  const policy = text(spec["externalTrafficPolicy"]);
  if (policy !== "" && !external)
    found.push(
      invalidField("spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services"),
    );
  else if (policy !== "") found.push(...oneOf("spec.externalTrafficPolicy", policy, ["Cluster", "Local"]));
  found.push(...optionalOneOf("spec.internalTrafficPolicy", spec["internalTrafficPolicy"], ["Cluster", "Local"]));
  return found;
}

function externalName(spec: JsonObject): Found {
  const found: Found = [];
  if (list(spec, "clusterIPs").length > 0)
    found.push(forbiddenField("spec.clusterIPs", "may not be set for ExternalName services"));
  const name = text(spec["externalName"]).replace(/\.$/, "");
  found.push(
    ...(name === "" ? [required("spec.externalName")] : told("spec.externalName", name, subdomainProblems(name))),
  );
  return found;
}

function servicePort(path: string, port: JsonObject, many: boolean, names: Set<string>): Found {
  const found: Found = [];
  const name = text(port["name"]);
  if (name === "") {
    if (many) found.push(required(`${path}.name`));
  } else {
    found.push(...told(`${path}.name`, name, labelProblems(name)));
    if (names.has(name)) found.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  found.push(...portNumber(`${path}.port`, port["port"] ?? 0));
  found.push(...oneOf(`${path}.protocol`, port["protocol"], protocols));
  found.push(...portOrName(`${path}.targetPort`, port["targetPort"]));
  return found;
}

function clusterIPs(spec: JsonObject): Found {
  const ips = list(spec, "clusterIPs").map((ip) => text(ip));
  const first = text(spec["clusterIP"]);
  if (ips.length > 0 && first === "")
    return [invalidField("spec.clusterIPs", ips, "must be empty when `clusterIP` is not specified")];
  if (ips.length > 0 && ips[0] !== first)
    return [invalidField("spec.clusterIPs", ips, "first value must match `clusterIP`")];
  const found: Found = ips.flatMap((ip, i) => {
    if (ip === "None")
      return ips.length > 1
        ? [invalidField(`spec.clusterIPs[${i}]`, ip, "'None' must be the first and only value")]
        : [];
    return text(spec["type"]) === "ExternalName" ? [] : ipAddress(`spec.clusterIPs[${i}]`, ip);
  });
  const headless = ips[0] === "None";
  if (spec["ipFamilyPolicy"] === "RequireDualStack" && !headless && text(spec["type"]) !== "ExternalName")
    found.push(
      invalidField("spec.ipFamilyPolicy", "RequireDualStack", "this cluster is not configured for dual-stack services"),
    );
  return found;
}

/** A port and protocol may be there once. */
function samePorts(spec: JsonObject): Found {
  const seen = new Set<string>();
  return each(spec, "ports").flatMap((port, i) => {
    const protocol = text(port["protocol"]);
    const value = number(port, "port") ?? 0;
    const key = `${protocol}/${value}`;
    const again = seen.has(key);
    seen.add(key);
    const shown = `{"Name":"","Protocol":${JSON.stringify(protocol)},"AppProtocol":null,"Port":${value},"TargetPort":0,"NodePort":0}`;
    return again
      ? [
          {
            ...invalidRaw(`spec.ports[${i}]`, "", ""),
            type: "FieldValueDuplicate" as const,
            body: `Duplicate value: ${shown}`,
          },
        ]
      : [];
  });
}

function nodePorts(spec: JsonObject, type: string): Found {
  if (type !== "ClusterIP") return [];
  return each(spec, "ports").flatMap((port, i) =>
    (number(port, "nodePort") ?? 0) === 0
      ? []
      : [forbiddenField(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
  );
}
