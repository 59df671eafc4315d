// A CustomResourceDefinition as it is written: defaults, what the server sets itself, and everything that makes it invalid.
// Section 12.2.
import { deepEqual } from "@telltale/kinds";
import { at, isObject, type Json, type JsonObject, member, stringify, text } from "../json.ts";
import { dns1035Label, dnsSubdomain } from "../meta/names.ts";
import { validateMeta, validateMetaUpdate } from "../meta/validate.ts";
import { type FieldError, invalidField, notSupported, required } from "../status.ts";
import { approvalAnnotation, approvalOf, isProtectedGroup } from "./approval.ts";
import {
  checkColumns,
  checkConversion,
  checkNames,
  checkSelectableFields,
  checkSubresources,
} from "./definition-parts.ts";
import { isKnownFormat } from "./formats.ts";
import { goJson, internalVersions } from "./internal-form.ts";
import { isEstablished } from "./names.ts";
import { limitDepth, type Schema, schemasIn } from "./schema.ts";
import { type CheckSchemaRules, checkSchema } from "./schema-check.ts";
import { schemaOf, versionsOf } from "./version.ts";

/** The CRD with the names, the conversion and the stored version that a client may leave out. */
export function defaultCrd(crd: JsonObject): JsonObject {
  const spec = objectAt(crd, "spec");
  const names = objectAt(spec, "names");
  const kind = text(names["kind"]);
  const singular = text(names["singular"]) || kind.toLowerCase();
  const listKind = text(names["listKind"]) || (kind === "" ? "" : `${kind}List`);
  const filled: JsonObject = {
    ...names,
    ...(singular === "" ? {} : { singular }),
    ...(listKind === "" ? {} : { listKind }),
  };
  const out = { ...crd, spec: { ...spec, names: filled, conversion: defaultConversion(spec["conversion"]) } };
  return withStoredVersion(out, false);
}

/** What the server sets when a CRD is created: an empty status that knows the storage version. */
export function prepareCrdCreate(crd: JsonObject): JsonObject {
  const { status: _status, ...rest } = crd;
  return withStoredVersion(rest, true);
}

/** What the server sets when a CRD is updated: the old status, grown by a new storage version. */
export function prepareCrdUpdate(crd: JsonObject, old: JsonObject): JsonObject {
  return withStoredVersion({ ...crd, status: objectAt(old, "status") }, true);
}

export interface CrdChecks {
  /** CEL: called with the root schema of each distinct version, when nothing else is wrong with it. */
  readonly checkRules?: CheckSchemaRules;
}

/** Everything that is wrong with a defaulted and prepared CRD. With `old` the rules of an update apply. */
export function validateCrd(crd: JsonObject, old?: JsonObject, checks: CrdChecks = {}): FieldError[] {
  limitDepth(crd);
  const spec = objectAt(crd, "spec");
  const group = text(spec["group"]);
  const meta = objectAt(crd, "metadata");
  const fullName = `${text(at(spec, "names", "plural"))}.${group}`;
  const nameRule = (name: string) => [
    ...dnsSubdomain(name),
    ...(name === fullName ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
  return [
    ...(old === undefined
      ? validateMeta(meta, { nameRule, namespaced: false })
      : validateMetaUpdate(meta, objectAt(old, "metadata"))),
    ...checkSpec(spec, checks),
    ...(old === undefined ? [] : checkImmutable(crd, old)),
    ...checkStoredVersions(crd),
    ...checkApproval(crd, old),
    ...checkPreserve(spec),
  ];
}

/** Warnings about formats that the server does not know; on update only those that are new. */
export function crdWarnings(crd: JsonObject, old?: JsonObject): string[] {
  const before = new Set(old === undefined ? [] : unknownFormats(old));
  return [...new Set(unknownFormats(crd))]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function checkSpec(spec: JsonObject, checks: CrdChecks): FieldError[] {
  const group = text(spec["group"]);
  const scope = text(spec["scope"]);
  const wrongGroup = dnsSubdomain(group);
  const errors: FieldError[] = [];
  if (group === "") errors.push(required("spec.group"));
  else if (wrongGroup.length > 0) errors.push(invalidField("spec.group", group, wrongGroup.join(",")));
  else if (!group.includes("."))
    errors.push(invalidField("spec.group", group, "should be a domain with at least one dot"));
  if (scope === "") errors.push(required("spec.scope"));
  else if (scope !== "Cluster" && scope !== "Namespaced") {
    errors.push(notSupported("spec.scope", scope, ["Cluster", "Namespaced"]));
  }
  const versions = objects(spec["versions"]);
  const shared = sharedParts(versions);
  const parts = (version: JsonObject, path: string, has: (name: string) => boolean) =>
    checkParts(version, path, versions, has, checks);
  for (const [i, version] of versions.entries()) {
    if (schemaOf(version) === undefined) errors.push(required(`spec.versions[${i}].schema.openAPIV3Schema`));
  }
  for (const [i, version] of versions.entries()) {
    const here = `spec.versions[${i}]`;
    const wrong = dns1035Label(text(version["name"]));
    if (wrong.length > 0) errors.push(invalidField(`${here}.name`, text(version["name"]), wrong.join(",")));
    errors.push(...checkDeprecation(version, `${here}.deprecationWarning`));
    errors.push(...parts(version, here, (name) => !shared.has(name)));
  }
  errors.push(...checkVersionSet(spec, versions, shared));
  errors.push(...checkNames(spec["names"], "spec.names"));
  const [first] = versions;
  if (first !== undefined) errors.push(...parts(first, "spec", (name) => shared.has(name)));
  return [...errors, ...checkConversion(spec["conversion"], "spec.conversion")];
}

/** What a version says beside its name; `has` tells which parts are told at this path. */
function checkParts(
  version: JsonObject,
  path: string,
  versions: readonly JsonObject[],
  has: (name: string) => boolean,
  checks: CrdChecks,
): FieldError[] {
  const schema = schemaOf(version);
  // A schema that versions share is checked for all of them, so one status subresource is enough to restrict its root.
  const statusEnabled = (path === "spec" ? versions : [version]).some(
    (v) => at(v, "subresources", "status") !== undefined,
  );
  const schemaPath = path === "spec" ? "spec.validation.openAPIV3Schema" : `${path}.schema.openAPIV3Schema`;
  return [
    ...(schema !== undefined && has("schema") ? checkSchema(schema, schemaPath, { ...checks, statusEnabled }) : []),
    ...(has("subresources") ? checkSubresources(version["subresources"], `${path}.subresources`) : []),
    ...(has("additionalPrinterColumns")
      ? checkColumns(version["additionalPrinterColumns"], `${path}.additionalPrinterColumns`)
      : []),
    ...(schema !== undefined && has("selectableFields")
      ? checkSelectableFields(version["selectableFields"], schema, `${path}.selectableFields`)
      : []),
  ];
}

/** The parts that all versions have in common: the server moves them up, and its messages name them there. */
function sharedParts(versions: readonly JsonObject[]): Set<string> {
  const [first] = versions;
  const names = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];
  return new Set(names.filter((name) => versions.every((v) => deepEqual(member(v, name), member(first, name)))));
}

function checkVersionSet(spec: JsonObject, versions: readonly JsonObject[], shared: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (detail: string) => {
    const shown = goJson(stringify(internalVersions(spec["versions"], shared)));
    errors.push({ type: "FieldValueInvalid", field: "spec.versions", body: `Invalid value: ${shown}: ${detail}` });
  };
  const names = versions.map((v) => text(v["name"]));
  if (new Set(names).size !== names.length) refuse("must contain unique version names");
  if (versions.filter((v) => v["storage"] === true).length !== 1) {
    refuse("must have exactly one version marked as storage version");
  }
  const [first] = names;
  const wrong = first === undefined ? [] : dns1035Label(first);
  if (wrong.length > 0) errors.push(invalidField("spec.version", first, wrong.join(",")));
  return errors;
}

function checkDeprecation(version: JsonObject, path: string): FieldError[] {
  const warning = member(version, "deprecationWarning");
  if (typeof warning !== "string") return [];
  const wrong: string[] = [];
  if (version["deprecated"] !== true) wrong.push("can only be set for deprecated versions");
  if (warning === "") wrong.push("must not be an empty string");
  if (Buffer.byteLength(warning) > 256) wrong.push("must be <= 256 characters long");
  const odd = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(warning);
  if (odd !== null) {
    const index = Buffer.byteLength(warning.slice(0, odd.index));
    wrong.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  // The field is a pointer upstream, so its value shows as JSON.
  const body = (detail: string) => `Invalid value: ${goJson(JSON.stringify(warning))}: ${detail}`;
  return wrong.map((detail) => ({ type: "FieldValueInvalid", field: path, body: body(detail) }));
}

function checkImmutable(crd: JsonObject, old: JsonObject): FieldError[] {
  const always = ["group", "names.plural"];
  const paths = isEstablished(old) ? ["scope", "names.kind", ...always] : always;
  return paths.flatMap((path) => {
    const value = at(crd, "spec", ...path.split("."));
    const same = deepEqual(value, at(old, "spec", ...path.split(".")));
    return same ? [] : [invalidField(`spec.${path}`, value ?? "", "field is immutable")];
  });
}

function checkStoredVersions(crd: JsonObject): FieldError[] {
  const path = "status.storedVersions";
  const stored = storedVersions(crd);
  if (stored.length === 0) return [invalidField(path, null, "must have at least one stored version")];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const version of versionsOf(crd)) {
    const name = text(version["name"]);
    names.add(name);
    if (version["storage"] === true && !stored.includes(name)) {
      errors.push(invalidField(path, stored, `must have the storage version ${name}`));
    }
  }
  for (const [i, v] of stored.entries()) {
    if (names.has(v)) continue;
    const detail = `missing from spec.versions; ${v} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${v} and removes ${v} from status.storedVersions`;
    errors.push(invalidField(`${path}[${i}]`, v, detail));
  }
  return errors;
}

function checkApproval(crd: JsonObject, old: JsonObject | undefined): FieldError[] {
  if (!isProtectedGroup(text(at(crd, "spec", "group")))) return [];
  const annotation = (object: JsonObject) => text(at(object, "metadata", "annotations", approvalAnnotation));
  const { state, reason } = approvalOf(annotation(crd));
  if (old !== undefined && approvalOf(annotation(old)).state === state) return [];
  const path = `metadata.annotations[${approvalAnnotation}]`;
  if (state === "Missing") return [required(path, reason)];
  return state === "Invalid" ? [invalidField(path, annotation(crd), reason)] : [];
}

function checkPreserve(spec: JsonObject): FieldError[] {
  if (spec["preserveUnknownFields"] !== true) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalidField("spec.preserveUnknownFields", true, detail)];
}

// --- Parts of a CRD

/** Adds the storage version to those that data may be stored in; `always` also beside others. */
function withStoredVersion(crd: JsonObject, always: boolean): JsonObject {
  const storage = versionsOf(crd).find((v) => v["storage"] === true);
  const stored = storedVersions(crd);
  const name = text(storage?.["name"]);
  if (storage === undefined || stored.includes(name) || (stored.length > 0 && !always)) return crd;
  return { ...crd, status: { ...objectAt(crd, "status"), storedVersions: [...stored, name] } };
}

function storedVersions(crd: JsonObject): string[] {
  const stored = at(crd, "status", "storedVersions");
  return Array.isArray(stored) ? stored.map((v) => text(v)) : [];
}

function defaultConversion(conversion: Json | undefined): Json {
  if (!isObject(conversion)) return { strategy: "None" };
  const service = at(conversion, "webhook", "clientConfig", "service");
  if (!isObject(service) || service["port"] !== undefined) return conversion;
  const webhook = objectAt(conversion, "webhook");
  const clientConfig = { ...objectAt(webhook, "clientConfig"), service: { ...service, port: 443 } };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}

function unknownFormats(crd: JsonObject): string[] {
  const inSchema = (schema: Schema): string[] => [
    ...(schema.format === undefined || schema.format === "" || isKnownFormat(schema.format) ? [] : [schema.format]),
    ...schemasIn(schema).flatMap(inSchema),
  ];
  return versionsOf(crd).flatMap((version) => inSchema(schemaOf(version) ?? {}));
}

function objectAt(value: Json | undefined, name: string): JsonObject {
  const inner = member(value, name);
  return isObject(inner) ? inner : {};
}

function objects(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
