// One version of a custom resource as a served resource: its compiled schema, its rules, and the way to the stored version.
import { deepEqual, evaluate } from "@telltale/kinds";
import { structuralSchema, type TypedSchema } from "../apply/schema.ts";
import { loadCel } from "../cel/parse.ts";
import { checkRules } from "../cel/rule-check.ts";
import { type CompiledRules, compileRules } from "../cel/rules.ts";
import { convertNone } from "../crd/convert.ts";
import {
  fromStorage,
  readBody,
  type Verdict,
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
} from "../crd/pipeline.ts";
import { type CompiledVersion, compileVersion, storageVersion, versionsOf } from "../crd/version.ts";
import { decodeApply } from "../decode/apply-body.ts";
import { decodeBody } from "../decode/body.ts";
import { at, type Json, type JsonObject, text } from "../json.ts";
import { dnsSubdomain } from "../meta/names.ts";
import { metaWarnings } from "../meta/validate.ts";
import type { StoredRecord } from "../store/record.ts";
import { ordered, resetFields } from "./builtin.ts";
import { metadataOf, withMetadata } from "./metadata.ts";
import type { Resource, ScalePart, Subresource } from "./resource.ts";

/** Asks a webhook for objects in another version. */
export type ConvertByWebhook = (
  crd: JsonObject,
  objects: readonly JsonObject[],
  apiVersion: string,
) => Promise<JsonObject[]>;

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const terminatingVerbs = ["delete", "deletecollection", "get", "list", "watch"];

/** The served versions of a definition whose names are accepted. */
export function customResources(crd: JsonObject, convert: ConvertByWebhook): Resource[] {
  return versionsOf(crd).flatMap((v) => {
    const compiled = compileVersion(crd, text(v["name"]));
    return compiled?.served === true ? [customResource(crd, compiled, convert)] : [];
  });
}

function customResource(crd: JsonObject, compiled: CompiledVersion, convertByWebhook: ConvertByWebhook): Resource {
  const { group, version, apiVersion } = compiled;
  const accepted = (name: string) => at(crd, "status", "acceptedNames", name);
  const words = (value: Json | undefined) => (Array.isArray(value) ? value.map((w) => text(w)) : []);
  const stored = storageVersion(crd);
  const byWebhook = at(crd, "spec", "conversion", "strategy") === "Webhook";
  const terminating = at(crd, "metadata", "deletionTimestamp") !== undefined;
  const seen = new WeakMap<StoredRecord, { readonly object: JsonObject; readonly plain: boolean }>();

  const convert = async (object: JsonObject, to: CompiledVersion): Promise<JsonObject> => {
    if (object["apiVersion"] === to.apiVersion) return object;
    if (!byWebhook) return convertNone(object, to.apiVersion);
    const [converted] = await convertByWebhook(crd, [object], to.apiVersion);
    return converted ?? object;
  };
  /** A stored object that needs no webhook, as this version's schema of today reads it. */
  const readPlain = (record: StoredRecord): { object: JsonObject; plain: boolean } => {
    const known = seen.get(record);
    if (known !== undefined) return known;
    const raw = record.object();
    const object = ordered(fromStorage(compiled, convertNone(raw, apiVersion)));
    const made = { object, plain: deepEqual(object, raw) };
    seen.set(record, made);
    return made;
  };
  const local = (record: StoredRecord) => !byWebhook || record.object()["apiVersion"] === apiVersion;
  let rules: CompiledRules | undefined;
  const verdict = async (
    check: (hooks: { rules?: (object: JsonObject, old: JsonObject | undefined) => Verdict }) => Verdict,
  ): Promise<Verdict> => {
    if (!compiled.hasRules) return check({});
    await loadCel();
    rules ??= compileRules(compiled.schema as never, "").rules;
    const program = rules;
    return check({ rules: (object, old) => checkRules(program, object, old, { unchangedIsWarning: true }) });
  };

  return {
    group,
    version,
    apiVersion,
    resource: compiled.plural,
    kind: compiled.kind,
    listKind: compiled.listKind,
    singular: text(accepted("singular")),
    shortNames: words(accepted("shortNames")),
    categories: words(accepted("categories")),
    namespaced: compiled.namespaced,
    builtin: false,
    verbs,
    ...(terminating ? { discoveryVerbs: terminatingVerbs } : {}),
    subresources: subresources(compiled),
    message: undefined,
    graceful: false,
    defaultPropagation: "Background",
    hasStatus: compiled.hasStatus,
    scale: scalePart(compiled),
    storage: { group, resource: compiled.plural },
    storageVersion: stored,
    columns: compiled.columns,
    structural: compiled.schema,
    nameRule: dnsSubdomain,
    tracksGeneration: true,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    returnDeletedObject: false,
    deprecation: compiled.deprecation,
    virtual: false,
    ...(terminating ? { refuseCreate: "create not allowed while custom resource definition is terminating" } : {}),
    schema: () => typedSchema(compiled),
    reset: (part) => resetFields(part, compiled.hasStatus),
    async decode(bytes, contentType, fieldValidation) {
      return decodeBody({
        contentType,
        bytes,
        expect: { group, version, kind: compiled.kind, builtin: false },
        fieldValidation,
        prune: (object) => readBody(compiled, object, { fieldValidation }),
      });
    },
    decodeApply,
    redecode: (object, fieldValidation, keepNulls = false) =>
      readBody(compiled, object, { fieldValidation, keepNulls }),
    async read(record) {
      if (local(record)) return withMetadata(readPlain(record).object, { resourceVersion: String(record.revision) });
      const converted = await convert(withMetadata(record.object(), { resourceVersion: undefined }), compiled);
      return withMetadata(ordered(fromStorage(compiled, converted)), { resourceVersion: String(record.revision) });
    },
    json: (record) => (local(record) && readPlain(record).plain ? record.json : undefined),
    async toStorage(object) {
      const target = compileVersion(crd, stored) ?? compiled;
      return ordered(fromStorage(target, await convert(object, target)));
    },
    ...(byWebhook
      ? {
          fetchAs(object: JsonObject, to: string) {
            const target = compileVersion(crd, to.slice(group.length + 1));
            return target === undefined ? Promise.resolve(object) : convert(object, target);
          },
        }
      : { convertTo: convertNone }),
    schemaOf(other) {
      const found = compileVersion(crd, other.slice(group.length + 1));
      return found === undefined || !other.startsWith(`${group}/`) ? undefined : typedSchema(found);
    },
    prepareCreate: (object) =>
      ordered(compiled.hasStatus ? without(object, "status") : object, apiVersion, compiled.kind),
    prepareUpdate(object, old, part) {
      if (part === "status") return statusOnly(object, old);
      return ordered(compiled.hasStatus ? { ...without(object, "status"), ...picked(old, "status") } : object);
    },
    async validate(object, old, part) {
      const { errors, warnings } = await verdict((hooks) =>
        old === undefined
          ? validateCreate(compiled, object, hooks)
          : part === "status"
            ? validateStatusUpdate(compiled, object, old, hooks)
            : validateUpdate(compiled, object, old, hooks),
      );
      const more =
        part === "status" || errors.length > 0
          ? []
          : metaWarnings(metadataOf(object), old === undefined ? undefined : metadataOf(old));
      return { errors, warnings: [...warnings, ...more] };
    },
    selectable: (object) => selectable(compiled, object),
    refuseField(key) {
      if (key === "metadata.name" || (key === "metadata.namespace" && compiled.namespaced)) return undefined;
      return compiled.selectableFields.some((f) => f.jsonPath.slice(1) === key)
        ? undefined
        : `field label not supported: ${key}`;
    },
  };
}

function subresources(v: CompiledVersion): Subresource[] {
  return [
    ...(v.hasStatus ? [{ name: "status", kind: v.kind, verbs: ["get", "patch", "update"] }] : []),
    ...(v.scale === undefined
      ? []
      : [{ name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] }]),
  ];
}

function scalePart(v: CompiledVersion): ScalePart | undefined {
  if (v.scale === undefined) return undefined;
  const steps = (path: string) => path.split(".").filter((p) => p !== "");
  return {
    spec: steps(v.scale.specReplicasPath),
    status: steps(v.scale.statusReplicasPath),
    ...(v.scale.labelSelectorPath === undefined ? {} : { selector: steps(v.scale.labelSelectorPath) }),
  };
}

const schemas = new WeakMap<CompiledVersion, TypedSchema>();

function typedSchema(v: CompiledVersion): TypedSchema {
  const known = schemas.get(v);
  if (known !== undefined) return known;
  const made = structuralSchema(v.schema as never);
  schemas.set(v, made);
  return made;
}

function selectable(v: CompiledVersion, object: JsonObject): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { jsonPath, path } of v.selectableFields) {
    const [found] = evaluate(path, object);
    values[jsonPath.slice(1)] = found === undefined || found === null ? "" : String(found);
  }
  return values;
}

/** Through `/status` nothing changes but the status, and who owns it. */
function statusOnly(object: JsonObject, old: JsonObject): JsonObject {
  const managed = at(object, "metadata", "managedFields");
  return ordered(withMetadata({ ...without(old, "status"), ...picked(object, "status") }, { managedFields: managed }));
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = object;
  return rest;
}

const picked = (object: JsonObject, name: string): JsonObject => {
  const value = object[name];
  return value === undefined ? {} : { [name]: value };
};
