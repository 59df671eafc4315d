// The parts of a CRD's spec beside its schemas: names, columns, scale paths, selectable fields, conversion. Section 12.2.
import { isObject, type Json, type JsonObject, member, text } from "../json.ts";
import { dns1035Label, dnsSubdomain, mixedCaseLabel } from "../meta/names.ts";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  goQuote,
  invalidField,
  notSupported,
  required,
  tooMany,
} from "../status.ts";
import { memberOf, type Schema } from "./schema.ts";

/** Names of a spec: those that must be there, then what they may look like. */
export function checkNames(names: Json | undefined, path: string): FieldError[] {
  const name = (key: string) => text(member(names, key));
  const errors = ["plural", "singular", "kind", "listKind"]
    .filter((key) => name(key) === "")
    .map((key) => required(`${path}.${key}`));
  const label = (field: string, value: string, rule: (t: string) => string[]) => {
    const wrong = value === "" ? [] : rule(value);
    if (wrong.length > 0) errors.push(invalidField(field, value, wrong.join(",")));
  };
  label(`${path}.plural`, name("plural"), dns1035Label);
  label(`${path}.singular`, name("singular"), dns1035Label);
  label(`${path}.kind`, name("kind"), mixedCaseLabel);
  label(`${path}.listKind`, name("listKind"), mixedCaseLabel);
  const each = (key: string) => {
    const list = member(names, key);
    if (!Array.isArray(list)) return;
    for (const [i, item] of list.entries()) {
      const wrong = dns1035Label(text(item));
      if (wrong.length > 0) errors.push(invalidField(`${path}.${key}[${i}]`, item, wrong.join(",")));
    }
  };
  each("shortNames");
  if (name("kind") !== "" && name("kind") === name("listKind")) {
    errors.push(invalidField(`${path}.listKind`, name("listKind"), "kind and listKind may not be the same"));
  }
  each("categories");
  return errors;
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function checkColumns(columns: Json | undefined, path: string): FieldError[] {
  return objects(columns).flatMap((column, i) => {
    const here = `${path}[${i}]`;
    const type = text(column["type"]);
    const format = text(column["format"]);
    const jsonPath = text(column["jsonPath"]);
    const errors: FieldError[] = [];
    const oneOf = (values: readonly string[]) => `must be one of ${values.join(",")}`;
    if (text(column["name"]) === "") errors.push(required(`${here}.name`));
    if (type === "") errors.push(required(`${here}.type`, oneOf(columnTypes)));
    else if (!columnTypes.includes(type)) errors.push(invalidField(`${here}.type`, type, oneOf(columnTypes)));
    if (format !== "" && !columnFormats.includes(format)) {
      errors.push(invalidField(`${here}.format`, format, oneOf(columnFormats)));
    }
    if (jsonPath === "") errors.push(required(`${here}.JSONPath`));
    else if (!jsonPath.startsWith(".")) errors.push(invalidField(`${here}.JSONPath`, jsonPath, simplePath));
    return errors;
  });
}

const simplePath = "must be a simple json path starting with .";

export function checkSubresources(subresources: Json | undefined, path: string): FieldError[] {
  const scale = member(subresources, "scale");
  if (!isObject(scale)) return [];
  const errors: FieldError[] = [];
  const one = (key: string, roots: readonly string[], where: string) => {
    const value = text(scale[key]);
    const field = `${path}.scale.${key}`;
    if (!value.startsWith(".")) errors.push(invalidField(field, value, simplePath));
    else if (!roots.some((root) => value.startsWith(root))) {
      errors.push(invalidField(field, value, `should be a json path under ${where}`));
    }
  };
  for (const [key, root] of [
    ["specReplicasPath", ".spec"],
    ["statusReplicasPath", ".status"],
  ] as const) {
    if (text(scale[key]) === "") errors.push(required(`${path}.scale.${key}`));
    else one(key, [`${root}.`], root);
  }
  if (text(scale["labelSelectorPath"]) !== "")
    one("labelSelectorPath", [".spec.", ".status."], "either .spec or .status");
  return errors;
}

const maxSelectable = 8;
const selectableTypes = ["string", "boolean", "integer"];

export function checkSelectableFields(fields: Json | undefined, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, field] of objects(fields).entries()) {
    const here = `${path}[${i}].jsonPath`;
    const jsonPath = text(field["jsonPath"]);
    if (jsonPath === "") {
      errors.push(required(here));
      continue;
    }
    const found = followDots(jsonPath, schema);
    if ("why" in found) {
      errors.push(invalidField(here, jsonPath, `is an invalid path: ${found.why}`));
      continue;
    }
    if (/^\.metadata(\.|$)/.test(jsonPath))
      errors.push(invalidField(here, jsonPath, "must not point to fields in metadata"));
    if (!selectableTypes.includes(found.schema.type ?? "") || found.schema["x-kubernetes-int-or-string"] === true) {
      const detail =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(invalidField(here, jsonPath, detail));
    }
    if (seen.has(jsonPath)) errors.push(duplicate(here, jsonPath));
    seen.add(jsonPath);
  }
  if (seen.size > maxSelectable) errors.push(tooMany(path, seen.size, maxSelectable));
  return errors;
}

/** The schema that a path of dots leads to. */
function followDots(jsonPath: string, root: Schema): { schema: Schema } | { why: string } {
  let schema = root;
  let rest = jsonPath;
  while (rest !== "") {
    if (rest.startsWith("[")) return { why: "array notation is not allowed" };
    if (!rest.startsWith(".")) return { why: `expected [ or . but got: ${/^[^.[]*/.exec(rest)?.[0]}` };
    if (rest === ".") return { why: "unexpected end of JSON path" };
    const name = /^[^.[]*/.exec(rest.slice(1))?.[0] ?? "";
    const next = memberOf(schema, name);
    if (next === undefined || name === "") return { why: "does not refer to a valid field" };
    schema = next;
    rest = rest.slice(1 + name.length);
  }
  return { schema };
}

export function checkConversion(conversion: Json | undefined, path: string): FieldError[] {
  if (!isObject(conversion)) return [];
  const strategy = text(conversion["strategy"]);
  const clientPath = `${path}.webhookClientConfig`;
  const versionsPath = `${path}.conversionReviewVersions`;
  const webhook = member(conversion, "webhook");
  const client = member(webhook, "clientConfig");
  const versions = member(webhook, "conversionReviewVersions");
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(required(`${path}.strategy`));
  else if (strategy !== "None" && strategy !== "Webhook") {
    errors.push(notSupported(`${path}.strategy`, strategy, ["None", "Webhook"]));
  }
  if (strategy === "Webhook") {
    if (!isObject(client)) errors.push(required(clientPath, "required when strategy is set to Webhook"));
    else errors.push(...checkClient(client, clientPath));
    return [...errors, ...checkReviewVersions(versions, versionsPath)];
  }
  const detail = "should not be set when strategy is not set to Webhook";
  if (client !== undefined) errors.push(forbiddenField(clientPath, detail));
  if (Array.isArray(versions) && versions.length > 0) errors.push(forbiddenField(versionsPath, detail));
  return errors;
}

function checkReviewVersions(versions: Json | undefined, path: string): FieldError[] {
  if (!Array.isArray(versions) || versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, version] of versions.map((v) => text(v)).entries()) {
    if (seen.has(version)) errors.push(invalidField(`${path}[${i}]`, version, "duplicate version"));
    seen.add(version);
    errors.push(...dns1035Label(version).map((w) => invalidField(`${path}[${i}]`, version, w)));
  }
  if (!seen.has("v1") && !seen.has("v1beta1")) {
    errors.push(invalidField(path, versions, "must include at least one of v1, v1beta1"));
  }
  return errors;
}

function checkClient(client: JsonObject, path: string): FieldError[] {
  const url = member(client, "url");
  const service = member(client, "service");
  if ((typeof url === "string") === isObject(service)) {
    return [required(path, "exactly one of url or service is required")];
  }
  return isObject(service) ? checkService(service, `${path}.service`) : checkUrl(text(url), `${path}.url`);
}

const urlForm = "; desired format: https://host[/path]";

function checkUrl(url: string, path: string): FieldError[] {
  const [, scheme = "", authority = "", rest = ""] =
    /^(?:([A-Za-z][-A-Za-z0-9+.]*):)?(?:\/\/([^/?#]*))?(.*)$/s.exec(url) ?? [];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const badEscape = /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(url)?.[0];
  const odd = /[\s^`{|}\\]/.exec(host)?.[0];
  const broken =
    badEscape !== undefined
      ? `invalid URL escape ${goQuote(badEscape)}`
      : odd === undefined
        ? undefined
        : `invalid character ${goQuote(odd)} in host name`;
  if (broken !== undefined) {
    return [required(path, `url must be a valid URL: parse ${goQuote(url)}: ${broken}${urlForm}`)];
  }
  const errors: FieldError[] = [];
  if (scheme !== "https") errors.push(invalidField(path, scheme, `'https' is the only allowed URL scheme${urlForm}`));
  if (host === "") errors.push(invalidField(path, "", `host must be specified${urlForm}`));
  const user = authority.slice(0, Math.max(0, authority.length - host.length - 1));
  if (user !== "") errors.push(invalidField(path, user, "user information is not permitted in the URL"));
  const fragment = /#(.+)$/s.exec(rest)?.[1];
  const query = /\?([^#]+)/.exec(rest)?.[1];
  if (fragment !== undefined) errors.push(invalidField(path, fragment, "fragments are not permitted in the URL"));
  if (query !== undefined) errors.push(invalidField(path, query, "query parameters are not permitted in the URL"));
  return errors;
}

function checkService(service: JsonObject, path: string): FieldError[] {
  const errors = ["name", "namespace"]
    .filter((key) => text(service[key]) === "")
    .map((key) => required(`${path}.${key}`));
  const port = service["port"] ?? 443;
  if (Number(port) < 1 || Number(port) > 65535) {
    errors.push(invalidField(`${path}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  }
  const urlPath = text(service["path"]);
  return [...errors, ...checkUrlPath(urlPath).map((detail) => invalidField(`${path}.path`, urlPath, detail))];
}

function checkUrlPath(path: string): string[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return ["segment[0] may not be empty"];
  const wrong = path.startsWith("/") ? [] : ["must start with a '/'"];
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  for (const [i, segment] of segments.entries()) {
    if (segment === "") wrong.push(`segment[${i}] may not be empty`);
    else wrong.push(...dnsSubdomain(segment).map((w) => `segment[${i}]: ${w}`));
  }
  return wrong;
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map((v) => (isObject(v) ? v : {})) : [];
}
