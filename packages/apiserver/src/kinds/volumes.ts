// The rules for volumes of a pod.
import { parseQuantity } from "@telltale/kinds";
import { type JsonObject, text } from "../json.ts";
import { duplicate, type FieldError, forbiddenField, invalidField, required } from "../status.ts";
import { labelProblems, oneOf, requiredName, within } from "./checks.ts";
import { each, given, number } from "./edit.ts";
import { descending, fieldPathProblems } from "./pod-paths.ts";

type Found = FieldError[];
type Rule = (field: string, source: JsonObject) => Found;

export function volumes(field: string, spec: JsonObject): Found {
  const found: Found = [];
  const names = new Set<string>();
  for (const [i, volume] of each(spec, "volumes").entries()) {
    const path = `${field}[${i}]`;
    found.push(...source(path, volume));
    const name = text(volume["name"]);
    const problems = requiredName(`${path}.name`, name, labelProblems);
    if (problems.length > 0) found.push(...problems);
    else if (names.has(name)) found.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  return found;
}

export const volumeNames = (spec: JsonObject): ReadonlySet<string> =>
  new Set(
    each(spec, "volumes")
      .map((volume) => text(volume["name"]))
      .filter((name) => labelProblems(name).length === 0),
  );

/** Exactly one source, and that one in order. */
function source(field: string, volume: JsonObject): Found {
  const found: Found = [];
  let count = 0;
  for (const name of sourceOrder) {
    const here = given(volume, name);
    if (here === undefined) continue;
    count += 1;
    if (count > 1) found.push(forbiddenField(`${field}.${name}`, "may not specify more than 1 volume type"));
    else found.push(...(rules[name]?.(`${field}.${name}`, here) ?? []));
  }
  if (count === 0) found.push(required(field, "must specify a volume type"));
  return found;
}

/** The order in which upstream looks at them, which decides what is the one too many. */
const sourceOrder = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
];

const modeText = "must be a number between 0 and 0777 (octal), both inclusive";

function mode(field: string, value: number | undefined): Found {
  return value === undefined || (value >= 0 && value <= 0o777) ? [] : [invalidField(field, value, modeText)];
}

const needed = (field: string, from: JsonObject, ...names: string[]): Found =>
  names.filter((name) => text(from[name]) === "").map((name) => required(`${field}.${name}`));

const rules: Readonly<Record<string, Rule>> = {
  emptyDir: (field, here) =>
    (parseQuantity(text(here["sizeLimit"]) || "0")?.nano ?? -1n) < 0n
      ? [forbiddenField(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [],
  hostPath: (field, here) => [
    ...needed(field, here, "path"),
    ...(text(here["path"]).split("/").includes("..")
      ? [invalidField(`${field}.path`, text(here["path"]), "must not contain '..'")]
      : []),
    ...oneOf(`${field}.type`, here["type"] ?? "", [
      "",
      "BlockDevice",
      "CharDevice",
      "Directory",
      "DirectoryOrCreate",
      "File",
      "FileOrCreate",
      "Socket",
    ]),
  ],
  secret: (field, here) => [
    ...needed(field, here, "secretName"),
    ...mode(`${field}.defaultMode`, number(here, "defaultMode")),
    ...items(`${field}.items`, here),
  ],
  configMap: (field, here) => [
    ...needed(field, here, "name"),
    ...mode(`${field}.defaultMode`, number(here, "defaultMode")),
    ...items(`${field}.items`, here),
  ],
  persistentVolumeClaim: (field, here) => needed(field, here, "claimName"),
  nfs: (field, here) => [
    ...needed(field, here, "server", "path"),
    ...(text(here["path"]).startsWith("/")
      ? []
      : [invalidField(`${field}.path`, text(here["path"]), "must be an absolute path")]),
  ],
  csi: (field, here) => needed(field, here, "driver"),
  downwardAPI: (field, here) => [
    ...mode(`${field}.defaultMode`, number(here, "defaultMode")),
    ...each(here, "items").flatMap((item) => downwardFile(field, item)),
  ],
  projected: (field, here) => [
    ...mode(`${field}.defaultMode`, number(here, "defaultMode")),
    ...each(here, "sources").flatMap((part, i) => projection(`${field}.sources[${i}]`, part)),
  ],
  ephemeral: (field, here) =>
    given(here, "volumeClaimTemplate") === undefined ? [required(`${field}.volumeClaimTemplate`)] : [],
};

function items(field: string, here: JsonObject): Found {
  return each(here, "items").flatMap((item, i) => [
    ...needed(`${field}[${i}]`, item, "key", "path"),
    ...descending(`${field}[${i}].path`, text(item["path"])),
    ...mode(`${field}[${i}].mode`, number(item, "mode")),
  ]);
}

const downwardPaths = [
  "metadata.name",
  "metadata.namespace",
  "metadata.labels",
  "metadata.annotations",
  "metadata.uid",
];

function downwardFile(field: string, item: JsonObject): Found {
  const found: Found = needed(field, item, "path");
  found.push(...descending(`${field}.path`, text(item["path"])));
  const reference = given(item, "fieldRef");
  const resource = given(item, "resourceFieldRef");
  if (reference !== undefined) {
    found.push(...fieldPathProblems(`${field}.fieldRef`, reference, downwardPaths));
    if (resource !== undefined)
      found.push(invalidField(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  } else if (resource !== undefined)
    found.push(...needed(`${field}.resourceFieldRef`, resource, "containerName", "resource"));
  else found.push(required(field, "one of fieldRef and resourceFieldRef is required"));
  return [...found, ...mode(`${field}.mode`, number(item, "mode"))];
}

function projection(field: string, part: JsonObject): Found {
  const found: Found = [];
  const config = given(part, "configMap");
  if (config !== undefined)
    found.push(...needed(`${field}.configMap`, config, "name"), ...items(`${field}.configMap.items`, config));
  const secret = given(part, "secret");
  if (secret !== undefined)
    found.push(...needed(`${field}.secret`, secret, "name"), ...items(`${field}.secret.items`, secret));
  for (const item of each(given(part, "downwardAPI"), "items"))
    found.push(...downwardFile(`${field}.downwardAPI`, item));
  const token = given(part, "serviceAccountToken");
  if (token !== undefined) {
    const seconds = number(token, "expirationSeconds") ?? 3600;
    if (seconds < 600)
      found.push(
        invalidField(
          `${field}.serviceAccountToken.expirationSeconds`,
          seconds,
          "may not specify a duration less than 10 minutes",
        ),
      );
    found.push(...within(`${field}.serviceAccountToken.expirationSeconds`, seconds, Number.NEGATIVE_INFINITY, 2 ** 32));
    // Upstream names the volume here, not the source.
    if (text(token["path"]) === "") found.push(required(`${field.replace(/\.sources\[\d+\]$/, "")}.path`));
  }
  return found;
}

/** A token of no account cannot be projected. */
export function unownedTokens(field: string, spec: JsonObject): Found {
  if (text(spec["serviceAccountName"]) !== "") return [];
  return each(spec, "volumes").flatMap((volume, i) =>
    each(given(volume, "projected"), "sources").flatMap((part, j) =>
      given(part, "serviceAccountToken") === undefined
        ? []
        : [
            forbiddenField(
              `${field}[${i}].projected.sources[${j}].serviceAccountToken`,
              "must not be specified when serviceAccountName is not set",
            ),
          ],
    ),
  );
}
