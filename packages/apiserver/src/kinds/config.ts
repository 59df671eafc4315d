// ConfigMaps and Secrets: keys, sizes, types, and what `immutable` means.
import { ConfigMap, Secret } from "@telltale/kinds/builtin";
import { isEmptyMap } from "../decode/normalize.ts";
import { at, type JsonObject, text } from "../json.ts";
import { type FieldError, forbiddenField, invalidField, required, tooLong } from "../status.ts";
import { configKeyProblems, immutable, same, told } from "./checks.ts";
import { filled, fillZero, given } from "./edit.ts";
import { type Strategy, strategy, without } from "./strategy.ts";

type Found = FieldError[];

const most = 1_048_576;

export const configStrategies: readonly Strategy[] = [
  strategy(ConfigMap, "core.ConfigMap", {
    default: dropEmpty,
    validate: validateConfigMap,
    validateUpdate: (object, old) => [...sealed(object, old, ["data", "binaryData"]), ...validateConfigMap(object)],
  }),
  strategy(Secret, "core.Secret", {
    default: (secret) => filled((copy) => fillZero(copy, "type", "Opaque"))(dropEmpty(folded(secret))),
    validate: validateSecret,
    validateUpdate: (object, old) => [
      ...(text(object["type"]) === text(old["type"]) ? [] : [immutable("type", object["type"])]),
      ...sealed(object, old, ["data"]),
      ...validateSecret(object),
    ],
    fields: { names: ["type"], read: (secret) => ({ type: text(secret["type"]) }) },
  }),
];

/** Empty maps are as good as none, and are not kept. */
function dropEmpty(object: JsonObject): JsonObject {
  const empty = ["data", "binaryData"].filter((name) => {
    const here = given(object, name);
    return object[name] === null || (here !== undefined && isEmptyMap(here));
  });
  return empty.length === 0 ? object : without(object, ...empty);
}

/** `stringData` is a way to write `data`, and wins. */
function folded(secret: JsonObject): JsonObject {
  const plain = given(secret, "stringData");
  if (plain === undefined) return without(secret, "stringData");
  const data: JsonObject = { ...given(secret, "data") };
  for (const [key, value] of Object.entries(plain)) data[key] = Buffer.from(text(value)).toString("base64");
  return { ...without(secret, "stringData"), data };
}

function sealed(object: JsonObject, old: JsonObject, names: readonly string[]): Found {
  if (old["immutable"] !== true) return [];
  const fields = [
    ...(object["immutable"] === true ? [] : ["immutable"]),
    ...names.filter((n) => differ(object, old, n)),
  ];
  return fields.map((name) => forbiddenField(name, "field is immutable when `immutable` is set"));
}

const differ = (a: JsonObject, b: JsonObject, name: string): boolean =>
  !same(given(a, name) ?? {}, given(b, name) ?? {});

function validateConfigMap(object: JsonObject): Found {
  const data = given(object, "data") ?? {};
  const binary = given(object, "binaryData") ?? {};
  const found: Found = [];
  let size = 0;
  // Without `Object.entries`, which makes an array for each.
  for (const key of Object.keys(data)) {
    const problems = badKey("data", key);
    if (problems.length > 0) found.push(...problems);
    if (Object.hasOwn(binary, key))
      found.push(invalidField(`data[${key}]`, key, "duplicate of key present in binaryData"));
    size += Buffer.byteLength(text(data[key]));
  }
  for (const key of Object.keys(binary)) {
    found.push(...badKey("binaryData", key));
    size += decodedLength(text(binary[key]));
  }
  // The path is upstream's way to say "the whole".
  return size > most ? [...found, tooLong("[]", most)] : found;
}

/** There may be a hundred thousand: nothing is made for one that is fine. */
function badKey(field: string, key: string): Found {
  const problems = configKeyProblems(key);
  return problems.length === 0 ? none : told(`${field}[${key}]`, key, problems);
}
const none: Found = [];

function validateSecret(secret: JsonObject): Found {
  const data = given(secret, "data") ?? {};
  const found: Found = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    found.push(...badKey("data", key));
    size += decodedLength(text(value));
  }
  if (size > most) found.push(tooLong("data", most));
  return [...found, ...typed(secret, data)];
}

/** What the well-known types of Secrets have to hold. */
function typed(secret: JsonObject, data: JsonObject): Found {
  const missing = (...keys: string[]): Found =>
    keys.filter((k) => !Object.hasOwn(data, k)).map((k) => required(`data[${k}]`));
  switch (text(secret["type"])) {
    case "kubernetes.io/service-account-token": {
      const name = "kubernetes.io/service-account.name";
      return text(at(secret, "metadata", "annotations", name)) === ""
        ? [required(`metadata.annotations[${name}]`)]
        : [];
    }
    case "kubernetes.io/dockerconfigjson":
      return docker(data, ".dockerconfigjson");
    case "kubernetes.io/dockercfg":
      return docker(data, ".dockercfg");
    case "kubernetes.io/basic-auth": {
      const either = Object.hasOwn(data, "username") || Object.hasOwn(data, "password");
      return either ? [] : missing("username", "password");
    }
    case "kubernetes.io/ssh-auth":
      return missing("ssh-privatekey");
    case "kubernetes.io/tls":
      return missing("tls.crt", "tls.key");
    default:
      return [];
  }
}

function docker(data: JsonObject, key: string): Found {
  const value = data[key];
  if (value === undefined) return [required(`data[${key}]`)];
  const content = Buffer.from(text(value), "base64").toString("utf8");
  try {
    JSON.parse(content);
    return [];
  } catch {
    return [invalidField(`data[${key}]`, "<secret contents redacted>", jsonComplaint(content))];
  }
}

/** The first thing that Go's JSON reader would stumble over, as far as it can be told from the first character. */
function jsonComplaint(content: string): string {
  const first = content.trimStart().charAt(0);
  return first === "" || /[[{"\dtfn-]/.test(first)
    ? "unexpected end of JSON input"
    : `invalid character '${first}' looking for beginning of value`;
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, (base64.length / 4) * 3 - padding);
}
