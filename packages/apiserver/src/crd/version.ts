// One version of a CRD, made ready for serving. Stored CRDs are never changed in place, so each is read once.
import { type JsonPath, parsePath } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, member, text } from "../json.ts";
import { type Schema, schemasIn } from "./schema.ts";

export interface CompiledVersion {
  readonly group: string;
  readonly version: string;
  /** `example.com/v1` */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly storage: boolean;
  readonly served: boolean;
  /** What is said on every request to a deprecated version. */
  readonly deprecation: string | undefined;
  readonly schema: Schema;
  /** Whether `/status` exists, so that writes are split between it and the main resource. */
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly PrinterColumn[];
  /** Paths as the CRD has them, `.spec.a`, with their reading. */
  readonly selectableFields: readonly { readonly jsonPath: string; readonly path: JsonPath }[];
  /** Whether any CEL rule stands in the schema. */
  readonly hasRules: boolean;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string | undefined;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

/** The version of a valid, stored CRD; undefined when the CRD has none of that name. */
export function compileVersion(crd: JsonObject, name: string): CompiledVersion | undefined {
  let versions = known.get(crd);
  if (versions === undefined) {
    versions = new Map();
    known.set(crd, versions);
  }
  let compiled = versions.get(name);
  if (compiled === undefined) {
    const version = versionsOf(crd).find((v) => text(v["name"]) === name);
    if (version === undefined) return undefined;
    compiled = compile(crd, version);
    versions.set(name, compiled);
  }
  return compiled;
}

export function versionsOf(crd: JsonObject): JsonObject[] {
  const versions = at(crd, "spec", "versions");
  return Array.isArray(versions) ? versions.filter(isObject) : [];
}

/** The name of the version in which objects are stored. */
export function storageVersion(crd: JsonObject): string {
  return text(versionsOf(crd).find((v) => v["storage"] === true)?.["name"]);
}

/** The schema of a version entry; a CRD without one is refused, so the empty schema is only for types. */
export function schemaOf(version: JsonObject): Schema | undefined {
  const schema = at(version, "schema", "openAPIV3Schema");
  // The edge: the type table has checked the members when the CRD was decoded.
  return isObject(schema) ? (schema as unknown as Schema) : undefined;
}

const known = new WeakMap<JsonObject, Map<string, CompiledVersion>>();

function compile(crd: JsonObject, version: JsonObject): CompiledVersion {
  const group = text(at(crd, "spec", "group"));
  const name = text(version["name"]);
  const schema = schemaOf(version) ?? {};
  return {
    group,
    version: name,
    apiVersion: `${group}/${name}`,
    kind: text(at(crd, "spec", "names", "kind")),
    listKind: text(at(crd, "spec", "names", "listKind")),
    plural: text(at(crd, "spec", "names", "plural")),
    namespaced: at(crd, "spec", "scope") === "Namespaced",
    storage: version["storage"] === true,
    served: version["served"] === true,
    deprecation: deprecationOf(crd, version),
    schema,
    hasStatus: isObject(at(version, "subresources", "status")),
    scale: scaleOf(at(version, "subresources", "scale")),
    columns: list(version["additionalPrinterColumns"]).map(columnOf),
    selectableFields: list(version["selectableFields"]).flatMap((field) => {
      const jsonPath = text(field["jsonPath"]);
      const path = parsePath(jsonPath);
      return "error" in path ? [] : [{ jsonPath, path }];
    }),
    hasRules: hasRules(schema),
  };
}

function scaleOf(scale: Json | undefined): ScalePaths | undefined {
  if (!isObject(scale)) return undefined;
  return {
    specReplicasPath: text(scale["specReplicasPath"]),
    statusReplicasPath: text(scale["statusReplicasPath"]),
    labelSelectorPath: text(scale["labelSelectorPath"]) || undefined,
  };
}

function columnOf(column: JsonObject): PrinterColumn {
  return {
    name: text(column["name"]),
    type: text(column["type"]),
    format: text(column["format"]),
    description: text(column["description"]),
    priority: Number(column["priority"] ?? 0),
    jsonPath: text(column["jsonPath"]),
  };
}

function deprecationOf(crd: JsonObject, version: JsonObject): string | undefined {
  if (version["deprecated"] !== true) return undefined;
  const own = member(version, "deprecationWarning");
  if (typeof own === "string") return own;
  const group = text(at(crd, "spec", "group"));
  const kind = text(at(crd, "spec", "names", "kind"));
  const name = text(version["name"]);
  const newer = versionsOf(crd)
    .filter((v) => v["served"] === true && v["deprecated"] !== true)
    .map((v) => text(v["name"]))
    .filter((other) => compareKubeVersions(other, name) > 0)
    .sort(compareKubeVersions)
    .at(-1);
  const instead = newer === undefined ? "" : `; use ${group}/${newer} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${instead}`;
}

/** v2 above v1 above v1beta2 above v1alpha1 above everything else, which goes by the alphabet. */
function compareKubeVersions(a: string, b: string): number {
  const [x, y] = [rank(a), rank(b)];
  if (x === undefined || y === undefined) {
    if (x !== undefined || y !== undefined) return x === undefined ? -1 : 1;
    return a < b ? 1 : a > b ? -1 : 0;
  }
  return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
}

function rank(version: string): [stage: number, major: number, minor: number] | undefined {
  const parts = /^v(\d{1,9})(?:(alpha|beta)(\d{1,9}))?$/.exec(version);
  if (parts === null) return undefined;
  const stage = parts[2] === undefined ? 2 : parts[2] === "beta" ? 1 : 0;
  return [stage, Number(parts[1]), Number(parts[3] ?? 0)];
}

function hasRules(schema: Schema): boolean {
  return (schema["x-kubernetes-validations"]?.length ?? 0) > 0 || schemasIn(schema).some(hasRules);
}

function list(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
