// Objects inside custom resources (`x-kubernetes-embedded-resource`): what every Kubernetes object must have. Section 12.4.
import { isObject, type Json, type JsonObject, member } from "../json.ts";
import { mixedCaseLabel, pathSegment } from "../meta/names.ts";
import { validateMeta } from "../meta/validate.ts";
import { type FieldError, invalidField, required } from "../status.ts";
import { itemsOf, memberOf, propertyOf, type Schema } from "./schema.ts";

/** What is wrong with embedded resources. The node at `path` counts as one itself when `self` is set. */
export function validateEmbedded(schema: Schema | undefined, value: Json, path = "", self = false): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return value.flatMap((item, i) => validateNode(items, item, `${path}[${i}]`));
  }
  if (!isObject(value)) return [];
  return [
    ...(self ? validateResource(value, path) : []),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const child = memberOf(schema, name);
      const there = propertyOf(schema, name) === undefined ? `${path}[${name}]` : join(path, name);
      return validateNode(child, inner, there);
    }),
  ];
}

function validateNode(schema: Schema | undefined, value: Json, path: string): FieldError[] {
  return validateEmbedded(schema, value, path, schema?.["x-kubernetes-embedded-resource"] === true);
}

function validateResource(object: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of ["apiVersion", "kind"]) {
    if (!Object.hasOwn(object, name)) errors.push(required(join(path, name)));
  }
  const apiVersion = member(object, "apiVersion");
  const kind = member(object, "kind");
  if (apiVersion === "") errors.push(invalidField(join(path, "apiVersion"), "", "must not be empty"));
  else if (typeof apiVersion === "string" && apiVersion.split("/").length > 2) {
    errors.push(invalidField(join(path, "apiVersion"), apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  if (kind === "") errors.push(invalidField(join(path, "kind"), "", "must not be empty"));
  else if (typeof kind === "string") {
    errors.push(...mixedCaseLabel(kind).map((w) => invalidField(join(path, "kind"), kind, w)));
  }
  const meta = member(object, "metadata");
  if (!isObject(meta)) return errors;
  // A name is not asked for; a namespace only has to be one.
  const named = { ...meta, name: meta["name"] ?? "fakename" };
  const namespaced = typeof meta["namespace"] === "string" && meta["namespace"] !== "";
  return [...errors, ...validateMeta(named, { nameRule: pathSegment, namespaced, path: join(path, "metadata") })];
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
