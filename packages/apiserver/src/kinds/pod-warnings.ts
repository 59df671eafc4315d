// What is odd about a pod, or about a template of pods, and is let in all the same. The words are those of Kubernetes. Pure.
import { deepEqual, formatQuantity, parseQuantity } from "@telltale/kinds";
import { at, type JsonObject, text } from "../json.ts";
import { generationOf, nameOf } from "../registry/metadata.ts";
import { labelProblems, labelValueProblems } from "./checks.ts";
import { appArmorKey, profileOf, seccompWarnings } from "./deprecated-profiles.ts";
import { each, given, list, number } from "./edit.ts";
import { addressWarnings } from "./ip-ranges.ts";

const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

const deprecatedVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

/** Where the path of a warning is not the name of the field. */
const shownVolumes: Readonly<Record<string, string>> = { storageos: "storageOS" };

/** A new pod. Its annotations about AppArmor are warned of where they become fields. */
export const podWarnings = (pod: JsonObject): string[] => [
  ...nameWarnings(pod, "this is used in the Pod's hostname"),
  ...specWarnings("", given(pod, "metadata"), given(pod, "spec") ?? {}),
];

/** A template of pods: of a new object, or of one that was changed. */
export function templateWarnings(field: string, template: JsonObject | undefined): string[] {
  if (template === undefined) return [];
  return specWarnings(`${field}.`, given(template, "metadata"), given(template, "spec") ?? {});
}

/** The spec of a Job, or of what makes Jobs. */
export function jobWarnings(field: string, spec: JsonObject | undefined): string[] {
  const isLarge =
    spec?.["completionMode"] === "Indexed" &&
    (number(spec, "completions") ?? 0) > 100_000 &&
    (number(spec, "parallelism") ?? 0) > 10_000;
  const large = `${field}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`;
  return [...(isLarge ? [large] : []), ...templateWarnings(`${field}.template`, given(spec, "template"))];
}

/** Of what makes pods: when it is new, and when its content changes. */
export function ownerWarnings(
  warnings: (object: JsonObject) => string[],
  onCreate: (object: JsonObject) => string[] = (object) =>
    nameWarnings(object, "this is used in Pod names and hostnames"),
): (object: JsonObject, old?: JsonObject) => string[] {
  return (object, old) => {
    if (old === undefined) return [...onCreate(object), ...warnings(object)];
    return generationOf(object) === generationOf(old) ? [] : warnings(object);
  };
}

function nameWarnings(object: JsonObject, use: string): string[] {
  const problems = labelProblems(nameOf(object));
  if (problems.length === 0) return [];
  return [
    `metadata.name: ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}

/** `prefix`: of every path, with a dot at its end; empty for a pod. */
function specWarnings(prefix: string, metadata: JsonObject | undefined, spec: JsonObject): string[] {
  const annotations = given(metadata, "annotations") ?? {};
  const field = `${prefix}spec`;
  const all = containersOf(spec).map(({ path, container }) => ({ path: `${field}.${path}`, container }));
  const grace = number(spec, "terminationGracePeriodSeconds") ?? 0;
  return [
    ...nodeLabelWarnings(field, spec),
    ...Object.entries(deprecatedAnnotations).flatMap(([key, message]) =>
      Object.hasOwn(annotations, key) ? [`${prefix}metadata.annotations[${key}]: ${message}`] : [],
    ),
    ...each(spec, "volumes").flatMap((volume, i) => volumeWarnings(`${field}.volumes[${i}]`, volume)),
    ...each(spec, "volumes").flatMap(overlapWarnings),
    ...duplicates(each(spec, "hostAliases"), "ip").map(
      ([i, ip]) => `${field}.hostAliases[${i}].ip: duplicate ip ${JSON.stringify(ip)}`,
    ),
    ...duplicates(each(spec, "imagePullSecrets"), "name").map(
      ([i, name]) => `${field}.imagePullSecrets[${i}].name: duplicate name ${JSON.stringify(name)}`,
    ),
    ...each(spec, "imagePullSecrets").flatMap((secret, i) =>
      text(secret["name"]) === "" ? [`${field}.imagePullSecrets[${i}].name: invalid empty name ""`] : [],
    ),
    ...fractions(`${field}.overhead`, given(spec, "overhead"), bytes),
    ...seccompWarnings(prefix, annotations, spec, true),
    ...all.flatMap(({ path, container }) => [
      ...seccompWarnings(prefix, annotations, container, false),
      ...(prefix === "" ? [] : appArmorWarnings(prefix, annotations, spec, container)),
      ...containerWarnings(path, container),
    ]),
    ...portWarnings(all),
    ...(grace < 0
      ? [`${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...["podAffinity", "podAntiAffinity"].flatMap((kind) =>
      podAffinityWarnings(`${field}.affinity.${kind}`, spec, kind),
    ),
    ...list(given(spec, "dnsConfig"), "nameservers").flatMap((ip, i) =>
      addressWarnings(`${field}.dnsConfig.nameservers[${i}]`, text(ip)),
    ),
    ...each(spec, "hostAliases").flatMap(({ ip }, i) => addressWarnings(`${field}.hostAliases[${i}].ip`, text(ip))),
  ];
}

interface Placed {
  readonly path: string;
  readonly container: JsonObject;
}

const containersOf = (spec: JsonObject): readonly Placed[] =>
  ["initContainers", "containers", "ephemeralContainers"].flatMap((group) =>
    each(spec, group).map((container, i) => ({ path: `${group}[${i}]`, container })),
  );

function nodeLabelWarnings(field: string, spec: JsonObject): string[] {
  const affinity = given(given(spec, "affinity"), "nodeAffinity");
  const path = `${field}.affinity.nodeAffinity`;
  const required = given(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  const terms = each(required, "nodeSelectorTerms");
  const preferred = each(affinity, "preferredDuringSchedulingIgnoredDuringExecution");
  const requiredPath = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const preferredPath = `${path}.preferredDuringSchedulingIgnoredDuringExecution`;
  return [
    ...Object.keys(given(spec, "nodeSelector") ?? {})
      .sort()
      .flatMap((key) => deprecatedLabel(key, `${field}.nodeSelector[${key}]: `)),
    ...terms.flatMap((term, i) => termWarnings(`${requiredPath}[${i}]`, term, false)),
    ...preferred.flatMap((it, i) => termWarnings(`${preferredPath}[${i}].preference`, given(it, "preference"), true)),
    ...each(spec, "topologySpreadConstraints").flatMap((constraint, i) => {
      const at = `${field}.topologySpreadConstraints[${i}]`;
      const key = text(constraint["topologyKey"]);
      return [...deprecatedLabel(key, `${at}.topologyKey: ${key} is `), ...selectorWarnings(at, constraint)];
    }),
  ];
}

function deprecatedLabel(key: string, before: string): string[] {
  const message = Object.hasOwn(deprecatedNodeLabels, key) ? deprecatedNodeLabels[key] : undefined;
  return message === undefined ? [] : [before + message];
}

function termWarnings(field: string, term: JsonObject | undefined, checksValues: boolean): string[] {
  return each(term, "matchExpressions").flatMap((expression, i) => {
    const at = `${field}.matchExpressions[${i}]`;
    const key = text(expression["key"]);
    const values = checksValues ? list(expression, "values").map(text) : [];
    return [
      ...deprecatedLabel(key, `${at}.key: ${key} is `),
      ...values.flatMap((value, j) =>
        labelValueProblems(value).map((problem) => `${at}.values[${j}]: ${value} is invalid, ${problem}`),
      ),
    ];
  });
}

const selectorWarnings = (field: string, term: JsonObject | undefined): string[] =>
  given(term, "labelSelector") === undefined
    ? [`${field}.labelSelector: a null labelSelector results in matching no pod`]
    : [];

function podAffinityWarnings(field: string, spec: JsonObject, kind: string): string[] {
  const affinity = given(given(spec, "affinity"), kind);
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  return [
    ...each(affinity, required).flatMap((term, i) => selectorWarnings(`${field}.${required}[${i}]`, term)),
    ...each(affinity, preferred).flatMap((it, i) =>
      selectorWarnings(`${field}.${preferred}[${i}].podAffinityTerm`, given(it, "podAffinityTerm")),
    ),
  ];
}

function volumeWarnings(field: string, volume: JsonObject): string[] {
  const claim = given(given(volume, "ephemeral"), "volumeClaimTemplate");
  return [
    ...Object.entries(deprecatedVolumes).flatMap(([name, message]) =>
      given(volume, name) === undefined ? [] : [`${field}.${shownVolumes[name] ?? name}: ${message}`],
    ),
    ...claimWarnings(`${field}.ephemeral.volumeClaimTemplate.spec`, given(claim, "spec")),
  ];
}

/** The spec of a claim for storage. */
export function claimWarnings(field: string, spec: JsonObject | undefined): string[] {
  const resources = given(spec, "resources");
  return ["requests", "limits"].flatMap((kind) =>
    fractions(`${field}.resources.${kind}`, given(resources, kind), ["storage"]),
  );
}

const bytes = ["memory", "ephemeral-storage"];

/** Amounts of bytes that are no whole number. */
function fractions(field: string, amounts: JsonObject | undefined, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const value = amounts?.[name];
    const quantity = value === undefined || value === null ? undefined : parseQuantity(String(value));
    if (quantity === undefined || quantity.nano % 1_000_000_000n === 0n) return [];
    const shown = JSON.stringify(formatQuantity(quantity));
    return [`${field}[${name}]: fractional byte value ${shown} is invalid, must be an integer`];
  });
}

function containerWarnings(field: string, container: JsonObject): string[] {
  const resources = given(container, "resources");
  return [
    ...bytes.flatMap((name) =>
      ["limits", "requests"].flatMap((kind) => fractions(`${field}.resources.${kind}`, given(resources, kind), [name])),
    ),
    ...duplicates(each(container, "env"), "name").flatMap(([i, name]) => {
      const variable = each(container, "env")[i];
      const value = text(variable?.["value"]);
      const reference = `$(${name})`;
      const isExtended = value.includes(reference) && value !== reference;
      if (isExtended && given(variable, "valueFrom") === undefined) return [];
      const shown = JSON.stringify(name);
      return [`${field}.env[${i}]: hides previous definition of ${shown}, which may be dropped when using apply`];
    }),
  ];
}

/** Items whose field says what an earlier one does: where, and what. */
function duplicates(items: readonly JsonObject[], name: string): [number, string][] {
  const seen = new Set<string>();
  return items.flatMap((item, i): [number, string][] => {
    const value = text(item[name]);
    if (seen.has(value)) return [[i, value]];
    seen.add(value);
    return [];
  });
}

interface Port {
  readonly path: string;
  readonly name: string;
  readonly host: number;
  readonly ip: string;
  readonly number: number;
  readonly protocol: string;
}

function portWarnings(all: readonly Placed[]): string[] {
  const ports = all.flatMap(({ path, container }) =>
    each(container, "ports").map(
      (port, i): Port => ({
        path: `${path}.ports[${i}]`,
        name: text(port["name"]),
        host: number(port, "hostPort") ?? 0,
        ip: text(port["hostIP"]),
        number: number(port, "containerPort") ?? 0,
        protocol: text(port["protocol"]),
      }),
    ),
  );
  const byNumber = new Map<string, Port[]>();
  const byName = new Map<string, string>();
  const numbers: string[] = [];
  const names: string[] = [];
  for (const port of ports) {
    if (port.ip !== "" && port.host === 0)
      numbers.push(`${port.path}: hostIP set without hostPort: ${shownPort(port)}`);
    const key = `${port.number}/${port.protocol}`;
    const others = byNumber.get(key) ?? [];
    for (const other of others) {
      const how = clash(port, other);
      if (how !== undefined) numbers.push(`${port.path}: ${how} port definition with ${other.path}`);
    }
    byNumber.set(key, [...others, port]);
    const first = byName.get(port.name);
    if (port.name === "") continue;
    if (first === undefined) byName.set(port.name, port.path);
    else {
      const name = JSON.stringify(port.name);
      names.push(
        `${port.path}: duplicate port name ${name} with ${first}, services and probes that select ports by name will use ${first}`,
      );
    }
  }
  return [...numbers, ...names];
}

function clash(port: Port, other: Port): string | undefined {
  if (port.ip === other.ip && port.host === other.host) return "duplicate";
  if (port.host === 0 || other.host === 0) return "overlapping";
  const isOneUnbound = (port.ip === "") !== (other.ip === "");
  return port.host === other.host && isOneUnbound ? "dangerously ambiguous" : undefined;
}

/** As Go shows it. */
const shownPort = ({ name, host, number: port, protocol, ip }: Port): string =>
  `{Name:${name} HostPort:${host} ContainerPort:${port} Protocol:${protocol} HostIP:${ip}}`;

interface MountedPath {
  readonly path: string;
  readonly from: string;
}

/** Files of one volume that would lie on or below each other. */
function overlapWarnings(volume: JsonObject): string[] {
  const name = JSON.stringify(text(volume["name"]));
  const [configMap, secret] = [given(volume, "configMap"), given(volume, "secret")];
  const of = (what: string, paths: readonly MountedPath[]) =>
    overlaps(paths).map((it) => `volume ${name} (${what}): overlapping paths: ${it}`);
  const sources = each(given(volume, "projected"), "sources");
  return [
    ...of(`ConfigMap ${JSON.stringify(text(configMap?.["name"]))}`, itemsOf(configMap, "")),
    ...of(`Secret ${JSON.stringify(text(secret?.["secretName"]))}`, itemsOf(secret, "")),
    ...of("DownwardAPI", itemsOf(given(volume, "downwardAPI"), "")),
    ...sources
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${name} (Projected) has no sources provided`),
    ...of("Projected", sources.flatMap(projectedPaths)),
  ];
}

const itemsOf = (source: JsonObject | undefined, from: string): MountedPath[] =>
  each(source, "items").map((item) => ({ path: text(item["path"]), from }));

function projectedPaths(source: JsonObject): MountedPath[] {
  const [configMap, secret] = [given(source, "configMap"), given(source, "secret")];
  const bundle = given(source, "clusterTrustBundle");
  const certificate = given(source, "podCertificate");
  const token = given(source, "serviceAccountToken");
  const certificatePath = (field: string, what: string): MountedPath[] => {
    const path = text(certificate?.[field]);
    return path === "" ? [] : [{ path, from: `PodCertificate ${what}` }];
  };
  return [
    ...itemsOf(configMap, `ConfigMap ${JSON.stringify(text(configMap?.["name"]))}`),
    ...itemsOf(secret, `Secret ${JSON.stringify(text(secret?.["name"]))}`),
    ...itemsOf(given(source, "downwardAPI"), "DownwardAPI"),
    ...(token === undefined ? [] : [{ path: text(token["path"]), from: "ServiceAccountToken" }]),
    ...(bundle === undefined
      ? []
      : [
          {
            path: text(bundle["path"]),
            from: `ClusterTrustBundle ${JSON.stringify(text(bundle["name"] ?? bundle["signerName"]))}`,
          },
        ]),
    ...certificatePath("certificateChainPath", "chain"),
    ...certificatePath("keyPath", "key"),
    ...certificatePath("credentialBundlePath", "credential bundle"),
  ];
}

function overlaps(paths: readonly MountedPath[]): string[] {
  const shown = ({ path, from }: MountedPath) => JSON.stringify(path) + (from === "" ? "" : ` (${from})`);
  const trimmed = paths
    .map(({ path, from }) => ({ path: path.replace(/\/+$/, ""), from }))
    .filter((it) => it.path !== "");
  const isBelow = (a: MountedPath, b: MountedPath) => `${a.path}/`.startsWith(`${b.path}/`);
  return trimmed.flatMap((path, i) =>
    trimmed
      .slice(0, i)
      .filter((other) => isBelow(path, other) || isBelow(other, path))
      .map((other) => `${shown(path)} with ${shown(other)}`),
  );
}

function appArmorWarnings(prefix: string, annotations: JsonObject, spec: JsonObject, container: JsonObject): string[] {
  const key = appArmorKey(container);
  const annotation = annotations[key];
  if (annotation === undefined || at(container, "securityContext", "appArmorProfile") !== undefined) return [];
  const ofPod = given(given(spec, "securityContext"), "appArmorProfile");
  if (ofPod !== undefined && deepEqual(profileOf(text(annotation)), ofPod)) return [];
  return [`${prefix}metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`];
}
