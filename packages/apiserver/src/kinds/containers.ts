// The rules for containers of a pod or a template.
import { compareQuantity, isQualifiedName, parseQuantity } from "@telltale/kinds";
import { type Json, type JsonObject, text } from "../json.ts";
import { duplicate, type FieldError, forbiddenField, invalidField, notFoundField, required } from "../status.ts";
import {
  configKeyProblems,
  envNameProblems,
  labelProblems,
  oneOf,
  optionalOneOf,
  portNameProblems,
  portNumber,
  protocols,
  requiredName,
  subdomainProblems,
  told,
} from "./checks.ts";
import { each, given, list, number } from "./edit.ts";
import { descending, fieldPathProblems } from "./pod-paths.ts";
import { handler, probe } from "./probes.ts";
import { securityContext } from "./security.ts";

type Found = FieldError[];

export function containers(field: string, spec: JsonObject, volumes: ReadonlySet<string>): Found {
  const all = each(spec, "containers");
  if (all.length === 0) return [required(field)];
  const found: Found = [];
  const names = new Set<string>();
  for (const [i, container] of all.entries()) {
    const path = `${field}[${i}]`;
    found.push(...oneContainer(path, container, spec, volumes));
    const name = text(container["name"]);
    if (names.has(name)) found.push(duplicate(`${path}.name`, name));
    names.add(name);
    const grace = number(spec, "terminationGracePeriodSeconds") ?? 0;
    const lifecycle = given(container, "lifecycle");
    for (const hook of ["postStart", "preStop"]) {
      const action = given(lifecycle, hook);
      if (action !== undefined) found.push(...handler(`${path}.lifecycle.${hook}`, action, grace));
    }
    for (const [kind, check] of [
      ["livenessProbe", "liveness"],
      ["readinessProbe", "readiness"],
      ["startupProbe", "startup"],
    ] as const)
      found.push(...probe(`${path}.${kind}`, given(container, kind), check, grace));
    found.push(...restart(path, container));
  }
  return [...found, ...hostPorts(field, all)];
}

/** Containers that run before the others; with restartPolicy Always, beside them. */
export function initContainers(field: string, spec: JsonObject, volumes: ReadonlySet<string>): Found {
  const found: Found = [];
  const names = new Set(each(spec, "containers").map((c) => text(c["name"])));
  for (const [i, container] of each(spec, "initContainers").entries()) {
    const path = `${field}[${i}]`;
    found.push(...oneContainer(path, container, spec, volumes));
    const name = text(container["name"]);
    if (names.has(name)) found.push(duplicate(`${path}.name`, name));
    if (name !== "") names.add(name);
    const sidecar = container["restartPolicy"] === "Always";
    const grace = number(spec, "terminationGracePeriodSeconds") ?? 0;
    for (const [kind, check] of [
      ["livenessProbe", "liveness"],
      ["readinessProbe", "readiness"],
      ["startupProbe", "startup"],
    ] as const) {
      if (given(container, kind) === undefined) continue;
      if (sidecar) found.push(...probe(`${path}.${kind}`, given(container, kind), check, grace));
      else
        found.push(
          forbiddenField(`${path}.${kind}`, "may not be set for init containers without restartPolicy=Always"),
        );
    }
    if (!sidecar && given(container, "lifecycle") !== undefined)
      found.push(
        forbiddenField(`${path}.lifecycle`, "may not be set for init containers without restartPolicy=Always"),
      );
    found.push(...restart(path, container));
  }
  return found;
}

function oneContainer(path: string, container: JsonObject, spec: JsonObject, volumes: ReadonlySet<string>): Found {
  const image = text(container["image"]);
  return [
    ...requiredName(`${path}.name`, container["name"], labelProblems),
    ...(image === ""
      ? [required(`${path}.image`)]
      : image.trim() === image
        ? []
        : [invalidField(`${path}.image`, image, "must not have leading or trailing whitespace")]),
    ...oneOf(`${path}.terminationMessagePolicy`, container["terminationMessagePolicy"], [
      "File",
      "FallbackToLogsOnError",
    ]),
    ...ports(`${path}.ports`, container),
    ...environment(`${path}.env`, container),
    ...environmentFrom(`${path}.envFrom`, container),
    ...mounts(`${path}.volumeMounts`, container, volumes),
    ...oneOf(`${path}.imagePullPolicy`, container["imagePullPolicy"], ["Always", "IfNotPresent", "Never"]),
    ...resources(`${path}.resources`, given(container, "resources")),
    ...securityContext(`${path}.securityContext`, given(container, "securityContext"), spec["hostUsers"] !== false),
  ];
}

function restart(path: string, container: JsonObject): Found {
  return optionalOneOf(`${path}.restartPolicy`, container["restartPolicy"], ["Always", "Never", "OnFailure"]);
}

function ports(field: string, container: JsonObject): Found {
  const found: Found = [];
  const names = new Set<string>();
  for (const [i, port] of each(container, "ports").entries()) {
    const path = `${field}[${i}]`;
    const name = text(port["name"]);
    if (name !== "") {
      const problems = told(`${path}.name`, name, portNameProblems(name));
      if (problems.length > 0) found.push(...problems);
      else if (names.has(name)) found.push(duplicate(`${path}.name`, name));
      names.add(name);
    }
    const value = number(port, "containerPort") ?? 0;
    found.push(...(value === 0 ? [required(`${path}.containerPort`)] : portNumber(`${path}.containerPort`, value)));
    const host = number(port, "hostPort") ?? 0;
    if (host !== 0) found.push(...portNumber(`${path}.hostPort`, host));
    const protocol = text(port["protocol"]);
    found.push(...(protocol === "" ? [required(`${path}.protocol`)] : oneOf(`${path}.protocol`, protocol, protocols)));
  }
  return found;
}

/** Two containers of a pod cannot have the same port of the host. */
function hostPorts(field: string, all: readonly JsonObject[]): Found {
  const found: Found = [];
  const taken = new Set<string>();
  for (const [i, container] of all.entries()) {
    for (const [j, port] of each(container, "ports").entries()) {
      const host = number(port, "hostPort") ?? 0;
      if (host === 0) continue;
      const key = `${text(port["protocol"])}/${text(port["hostIP"])}/${host}`;
      if (taken.has(key)) found.push(duplicate(`${field}[${i}].ports[${j}].hostPort`, key));
      taken.add(key);
    }
  }
  return found;
}

function environment(field: string, container: JsonObject): Found {
  const found: Found = [];
  for (const [i, variable] of each(container, "env").entries()) {
    const path = `${field}[${i}]`;
    found.push(...requiredName(`${path}.name`, variable["name"], envNameProblems));
    const from = given(variable, "valueFrom");
    if (from !== undefined) found.push(...valueFrom(`${path}.valueFrom`, from, text(variable["value"])));
  }
  return found;
}

const references = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
const fieldPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const containerFields = [
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
];

function valueFrom(field: string, from: JsonObject, value: string): Found {
  const found: Found = [];
  for (const name of references) {
    const reference = given(from, name);
    if (reference === undefined) continue;
    const path = `${field}.${name}`;
    if (name === "fieldRef") found.push(...fieldPathProblems(path, reference, fieldPaths));
    else if (name === "resourceFieldRef") {
      const resource = text(reference["resource"]);
      if (resource === "") found.push(required(`${path}.resource`));
      else if (!/^(?:limits|requests)\.hugepages-/.test(resource))
        found.push(...oneOf(`${path}.resource`, resource, [...containerFields].sort()));
    } else if (name !== "fileKeyRef") {
      const key = text(reference["key"]);
      found.push(...told(`${path}.name`, text(reference["name"]), subdomainProblems(text(reference["name"]))));
      found.push(...(key === "" ? [required(`${path}.key`)] : told(`${path}.key`, key, configKeyProblems(key))));
    }
  }
  const count = references.filter((name) => given(from, name) !== undefined).length;
  if (count === 0)
    return [
      invalidField(
        field,
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
      ),
    ];
  if (value !== "") return [invalidField(field, "", "may not be specified when `value` is not empty"), ...found];
  if (count > 1) found.push(invalidField(field, "", "may not have more than one field specified at a time"));
  return found;
}

function environmentFrom(field: string, container: JsonObject): Found {
  const found: Found = [];
  for (const [i, source] of each(container, "envFrom").entries()) {
    const path = `${field}[${i}]`;
    const prefix = text(source["prefix"]);
    if (prefix !== "") found.push(...told(`${path}.prefix`, prefix, envNameProblems(prefix)));
    const names = ["configMapRef", "secretRef"].filter((name) => given(source, name) !== undefined);
    for (const name of names)
      if (text(given(source, name)?.["name"]) === "") found.push(required(`${path}.${name}.name`));
    if (names.length === 0) found.push(invalidField(field, "", "must specify one of: `configMapRef` or `secretRef`"));
    if (names.length > 1) found.push(invalidField(field, "", "may not have more than one field specified at a time"));
  }
  return found;
}

function mounts(field: string, container: JsonObject, volumes: ReadonlySet<string>): Found {
  const found: Found = [];
  const paths = new Set<string>();
  for (const [i, mount] of each(container, "volumeMounts").entries()) {
    const path = `${field}[${i}]`;
    const name = text(mount["name"]);
    const mountPath = text(mount["mountPath"]);
    if (name === "") found.push(required(`${path}.name`));
    if (!volumes.has(name)) found.push(notFoundField(`${path}.name`, name));
    if (mountPath === "") found.push(required(`${path}.mountPath`));
    else if (paths.has(mountPath)) found.push(invalidField(`${path}.mountPath`, mountPath, "must be unique"));
    paths.add(mountPath);
    const sub = text(mount["subPath"]);
    const expression = text(mount["subPathExpr"]);
    if (sub !== "") found.push(...descending(`${field}.subPath`, sub));
    if (expression !== "") {
      if (sub !== "")
        found.push(invalidField(`${path}.subPathExpr`, expression, "subPathExpr and subPath are mutually exclusive"));
      found.push(...descending(`${field}.subPathExpr`, expression));
    }
    found.push(
      ...optionalOneOf(`${field}.mountPropagation`, mount["mountPropagation"], [
        "Bidirectional",
        "HostToContainer",
        "None",
      ]),
    );
  }
  return found;
}

const standardResources = ["cpu", "memory", "ephemeral-storage"];
const isStandard = (name: string): boolean => standardResources.includes(name) || name.startsWith("hugepages-");

export function resources(field: string, wanted: JsonObject | undefined): Found {
  if (wanted === undefined) return [];
  const limits = given(wanted, "limits") ?? {};
  const requests = given(wanted, "requests") ?? {};
  const found: Found = [];
  for (const [name, quantity] of Object.entries(limits))
    found.push(...amount(`${field}.limits[${name}]`, name, quantity));
  for (const [name, quantity] of Object.entries(requests)) {
    found.push(...amount(`${field}.requests[${name}]`, name, quantity));
    const limit = parseQuantity(String(limits[name] ?? ""));
    const request = parseQuantity(String(quantity));
    const shared = !isStandard(name) || name.startsWith("hugepages-");
    if (limit !== undefined && request !== undefined) {
      if (shared && compareQuantity(request, limit) !== 0 && isQualifiedName(name) && name.includes("/"))
        found.push(
          invalidField(`${field}.requests`, quantity, `must be equal to ${name} limit of ${text(limits[name])}`),
        );
      else if (compareQuantity(request, limit) > 0)
        found.push(
          invalidField(
            `${field}.requests`,
            quantity,
            `must be less than or equal to ${name} limit of ${text(limits[name])}`,
          ),
        );
    } else if (limits[name] === undefined && name.includes("/"))
      found.push(required(`${field}.limits`, "Limit must be set for non overcommitable resources"));
  }
  return found;
}

function amount(field: string, name: string, quantity: Json): Found {
  const found: Found = [];
  if (!name.includes("/") && !isStandard(name))
    found.push(
      invalidField(field, name, "must be a standard resource type or fully qualified"),
      invalidField(field, name, "must be a standard resource for containers"),
    );
  const parsed = parseQuantity(String(quantity));
  if (parsed === undefined) return found;
  if (parsed.nano < 0n) found.push(invalidField(field, quantity, "must be greater than or equal to 0"));
  if (name.includes("/") && parsed.nano % 1_000_000_000n !== 0n)
    found.push(invalidField(field, quantity, "must be an integer"));
  return found;
}

/** Containers added to a pod that runs already. */
export function ephemeralContainers(field: string, spec: JsonObject): Found {
  const found: Found = [];
  const names = new Set([...each(spec, "containers"), ...each(spec, "initContainers")].map((c) => text(c["name"])));
  for (const [i, container] of each(spec, "ephemeralContainers").entries()) {
    const path = `${field}[${i}]`;
    found.push(...requiredName(`${path}.name`, container["name"], labelProblems));
    if (text(container["image"]) === "") found.push(required(`${path}.image`));
    const name = text(container["name"]);
    if (names.has(name)) found.push(duplicate(`${path}.name`, name));
    if (name !== "") names.add(name);
    for (const member of ["ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"])
      if (container[member] !== undefined && (member !== "ports" || list(container, "ports").length > 0))
        found.push(forbiddenField(`${path}.${member}`, "cannot be set for an Ephemeral Container"));
  }
  return found;
}
