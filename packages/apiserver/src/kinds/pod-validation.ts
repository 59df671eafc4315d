// The rules for the spec of a pod, alone or in the template of a workload.
import { type JsonObject, text } from "../json.ts";
import { duplicate, type FieldError, invalidField, notSupported, required } from "../status.ts";
import {
  ipAddress,
  labelProblems,
  labelSelector,
  labels,
  labelValueProblems,
  oneOf,
  optionalOneOf,
  qualifiedProblems,
  subdomainProblems,
  told,
  within,
} from "./checks.ts";
import { containers, ephemeralContainers, initContainers } from "./containers.ts";
import { each, given, list, number } from "./edit.ts";
import { podSecurityContext } from "./security.ts";
import { volumeNames, volumes } from "./volumes.ts";

type Found = FieldError[];

export function podSpec(field: string, spec: JsonObject): Found {
  const names = volumeNames(spec);
  const deadline = spec["activeDeadlineSeconds"];
  return [
    ...volumes(`${field}.volumes`, spec),
    ...containers(`${field}.containers`, spec, names),
    ...initContainers(`${field}.initContainers`, spec, names),
    ...ephemeralContainers(`${field}.ephemeralContainers`, spec),
    ...oneOf(`${field}.restartPolicy`, spec["restartPolicy"], ["Always", "OnFailure", "Never"]),
    ...oneOf(`${field}.dnsPolicy`, spec["dnsPolicy"], ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]),
    ...labels(`${field}.nodeSelector`, given(spec, "nodeSelector")),
    ...podSecurityContext(`${field}.securityContext`, spec, given(spec, "securityContext")),
    ...affinity(`${field}.affinity`, given(spec, "affinity")),
    ...dns(`${field}.dnsConfig`, spec),
    ...readinessGates(`${field}.readinessGates`, spec),
    ...spread(`${field}.topologySpreadConstraints`, spec),
    ...schedulingGates(`${field}.schedulingGates`, spec),
    ...named(`${field}.serviceAccountName`, spec["serviceAccountName"], subdomainProblems),
    ...named(`${field}.nodeName`, spec["nodeName"], subdomainProblems),
    ...(deadline === undefined || deadline === null
      ? []
      : within(`${field}.activeDeadlineSeconds`, deadline, 1, 2_147_483_647)),
    ...named(`${field}.hostname`, spec["hostname"], labelProblems),
    ...named(`${field}.subdomain`, spec["subdomain"], labelProblems),
    ...tolerations(`${field}.tolerations`, spec),
    ...each(spec, "hostAliases").flatMap((alias, i) => ipAddress(`${field}.hostAliases[${i}].ip`, alias["ip"])),
    ...named(`${field}.priorityClassName`, spec["priorityClassName"], subdomainProblems),
    ...named(`${field}.runtimeClassName`, spec["runtimeClassName"], subdomainProblems),
    ...optionalOneOf(`${field}.preemptionPolicy`, spec["preemptionPolicy"], ["PreemptLowerPriority", "Never"]),
    ...system(`${field}.os`, given(spec, "os")),
  ];
}

function named(field: string, value: JsonObject[string] | undefined, problems: (name: string) => string[]): Found {
  return text(value) === "" ? [] : told(field, value, problems(text(value)));
}

function system(field: string, os: JsonObject | undefined): Found {
  if (os === undefined) return [];
  const name = text(os["name"]);
  if (name === "") return [required(`${field}.name`, "cannot be empty")];
  return name === "linux" || name === "windows" ? [] : [notSupported(field, name, ["linux", "windows"])];
}

function dns(field: string, spec: JsonObject): Found {
  const config = given(spec, "dnsConfig");
  if (spec["dnsPolicy"] !== "None") return [];
  if (config === undefined) return [required(field, "must provide `dnsConfig` when `dnsPolicy` is None")];
  return list(config, "nameservers").length === 0
    ? [required(`${field}.nameservers`, "must provide at least one DNS nameserver when `dnsPolicy` is None")]
    : [];
}

function readinessGates(field: string, spec: JsonObject): Found {
  return each(spec, "readinessGates").flatMap((gate, i) =>
    told(`${field}[${i}].conditionType`, gate["conditionType"] ?? "", qualifiedProblems(text(gate["conditionType"]))),
  );
}

function schedulingGates(field: string, spec: JsonObject): Found {
  const seen = new Set<string>();
  return each(spec, "schedulingGates").flatMap((gate, i) => {
    const name = text(gate["name"]);
    const again = seen.has(name);
    seen.add(name);
    return [
      ...told(`${field}[${i}]`, name, qualifiedProblems(name)),
      ...(again ? [duplicate(`${field}[${i}]`, name)] : []),
    ];
  });
}

function spread(field: string, spec: JsonObject): Found {
  return each(spec, "topologySpreadConstraints").flatMap((constraint, i) => {
    const path = `${field}[${i}]`;
    const skew = number(constraint, "maxSkew") ?? 0;
    return [
      ...(skew > 0 ? [] : [invalidField(`${path}.maxSkew`, skew, "must be greater than zero")]),
      ...(text(constraint["topologyKey"]) === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
      ...oneOf(`${path}.whenUnsatisfiable`, constraint["whenUnsatisfiable"], ["DoNotSchedule", "ScheduleAnyway"]),
      ...labelSelector(`${path}.labelSelector`, given(constraint, "labelSelector")),
    ];
  });
}

function tolerations(field: string, spec: JsonObject): Found {
  return each(spec, "tolerations").flatMap((toleration, i) => {
    const path = `${field}[${i}]`;
    const key = text(toleration["key"]);
    const operator = text(toleration["operator"]);
    const value = text(toleration["value"]);
    const found: Found = key === "" ? [] : told(`${path}.key`, key, qualifiedProblems(key));
    if (key === "" && operator !== "Exists")
      found.push(
        invalidField(
          `${path}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    if (toleration["tolerationSeconds"] !== undefined && toleration["effect"] !== "NoExecute")
      found.push(
        invalidField(
          `${path}.effect`,
          text(toleration["effect"]),
          "effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
      );
    if (operator === "" || operator === "Equal")
      found.push(...told(`${path}.operator`, value, labelValueProblems(value)));
    else if (operator === "Exists") {
      if (value !== "")
        found.push(invalidField(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    } else found.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists"]));
    const effect = text(toleration["effect"]);
    if (effect !== "") found.push(...oneOf(`${path}.effect`, effect, ["NoSchedule", "PreferNoSchedule", "NoExecute"]));
    return found;
  });
}

function affinity(field: string, rules: JsonObject | undefined): Found {
  const hard = "requiredDuringSchedulingIgnoredDuringExecution";
  const found: Found = [];
  const node = given(given(rules, "nodeAffinity"), hard);
  if (node !== undefined && each(node, "nodeSelectorTerms").length === 0)
    found.push(
      required(`${field}.nodeAffinity.${hard}.nodeSelectorTerms`, "must have at least one node selector term"),
    );
  for (const kind of ["podAffinity", "podAntiAffinity"])
    for (const [i, term] of each(given(rules, kind), hard).entries()) {
      const path = `${field}.${kind}.${hard}[${i}]`;
      const key = text(term["topologyKey"]);
      found.push(...labelSelector(`${path}.labelSelector`, given(term, "labelSelector")));
      if (key === "") found.push(required(`${path}.topologyKey`, "can not be empty"));
      found.push(...told(`${path}.topologyKey`, key, qualifiedProblems(key)));
    }
  return found;
}

/** A template: its labels, its annotations and its spec. */
export function podTemplate(field: string, template: JsonObject | undefined): Found {
  const metadata = given(template, "metadata");
  const found = labels(`${field}.labels`, given(metadata, "labels"));
  for (const key of Object.keys(given(metadata, "annotations") ?? {}))
    found.push(...told(`${field}.annotations`, key, qualifiedProblems(key.toLowerCase())));
  found.push(...podSpec(`${field}.spec`, given(template, "spec") ?? {}));
  if (each(given(template, "spec"), "ephemeralContainers").length > 0)
    found.push({
      type: "FieldValueForbidden",
      field: `${field}.spec.ephemeralContainers`,
      body: "Forbidden: ephemeral containers not allowed in pod template",
    });
  return found;
}
