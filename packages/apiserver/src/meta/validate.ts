// What every object's metadata must keep, whatever its kind, with Kubernetes' own paths and words.
// Not here: resourceVersion and uid as preconditions (verbs), managedFields (apply/).
import { at, isObject, type Json, type JsonObject, member, text } from "../json.ts";
import { type FieldError, forbiddenField, invalidField, required, tooLong } from "../status.ts";
import { asPrefix, byteLength, dnsLabel, dnsSubdomain, labelValue, qualifiedName, type Rule } from "./names.ts";

export interface MetaRules {
  /** The rule for names; a DNS subdomain when not told. */
  readonly nameRule?: Rule;
  /** Whether the object lives in a namespace; undefined leaves the namespace unchecked. */
  readonly namespaced?: boolean;
  /** Built-in kinds want finalizers with a domain, custom resources only warn about the others. */
  readonly builtin?: boolean;
  /** Where the metadata stands; `metadata` when not told. */
  readonly path?: string;
}

/** What is wrong with the metadata of a new object. */
export function validateMeta(meta: JsonObject, rules: MetaRules = {}): FieldError[] {
  const path = rules.path ?? "metadata";
  return [
    ...checkName(meta, rules.nameRule ?? dnsSubdomain, path),
    ...(rules.namespaced === undefined ? [] : checkNamespace(text(member(meta, "namespace")), rules.namespaced, path)),
    ...checkGeneration(meta, path),
    ...checkParts(meta, rules),
  ];
}

/** What must not change, and the parts that are checked on every write; of finalizers only whether a built-in kind may have them. */
export function validateMetaUpdate(meta: JsonObject, old: JsonObject, rules: MetaRules = {}): FieldError[] {
  const path = rules.path ?? "metadata";
  const errors: FieldError[] = [];
  if (old["deletionTimestamp"] !== undefined) errors.push(...checkNewFinalizers(meta, old, path));
  if (Number(meta["generation"] ?? 0) < Number(old["generation"] ?? 0)) {
    errors.push(invalidField(`${path}.generation`, meta["generation"] ?? 0, "must not be decremented"));
  }
  for (const name of immutable) {
    if (meta[name] !== old[name])
      errors.push(invalidField(`${path}.${name}`, meta[name] ?? absent(name), "field is immutable"));
  }
  const finalizers = rules.builtin === true ? checkDomains(strings(meta["finalizers"]), `${path}.finalizers`) : [];
  return [...errors, ...checkLists(meta, path), ...finalizers];
}

/** Labels, annotations, owners and finalizers: the parts that can be wrong in any object. */
export const validateMetaParts = (meta: JsonObject): FieldError[] => checkParts(meta, {});

/** Warnings about the finalizers that this write adds; `old` is absent on create. */
export function metaWarnings(meta: JsonObject, old?: JsonObject): string[] {
  const before = new Set(strings(old?.["finalizers"]));
  return strings(meta["finalizers"])
    .filter((f) => !before.has(f) && !f.includes("/") && !standardFinalizers.has(f))
    .map(
      (f) =>
        `metadata.finalizers: ${JSON.stringify(f)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

/** Labels as they may stand anywhere: in metadata, in templates, in selectors. */
export function validateLabels(labels: Json | undefined, path: string): FieldError[] {
  return entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map((w) => invalidField(path, key, w)),
    ...labelValue(text(value)).map((w) => invalidField(path, value, w)),
  ]);
}

export function validateAnnotations(annotations: Json | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of entries(annotations)) {
    errors.push(...qualifiedName(key.toLowerCase()).map((w) => invalidField(path, key, w)));
    size += byteLength(key) + byteLength(text(value));
  }
  if (size > maxAnnotations) errors.push(tooLong(path, maxAnnotations));
  return errors;
}

const maxAnnotations = 256 * 1024;
const immutable = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;
const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** What a message shows for a member that is gone: Go's zero value. */
function absent(name: (typeof immutable)[number]): Json {
  return name === "name" || name === "namespace" || name === "uid" ? "" : null;
}

function checkName(meta: JsonObject, rule: Rule, path: string): FieldError[] {
  const name = text(meta["name"]);
  const base = text(meta["generateName"]);
  const errors = base === "" ? [] : asPrefix(rule)(base).map((w) => invalidField(`${path}.generateName`, base, w));
  if (name === "") errors.push(required(`${path}.name`, "name or generateName is required"));
  else errors.push(...rule(name).map((w) => invalidField(`${path}.name`, name, w)));
  return errors;
}

function checkNamespace(namespace: string, namespaced: boolean, path: string): FieldError[] {
  const field = `${path}.namespace`;
  if (!namespaced) return namespace === "" ? [] : [forbiddenField(field, "not allowed on this type")];
  return namespace === "" ? [required(field)] : dnsLabel(namespace).map((w) => invalidField(field, namespace, w));
}

function checkGeneration(meta: JsonObject, path: string): FieldError[] {
  const generation = meta["generation"];
  const negative = (typeof generation === "number" || typeof generation === "bigint") && generation < 0;
  return negative ? [invalidField(`${path}.generation`, generation, "must be greater than or equal to 0")] : [];
}

function checkParts(meta: JsonObject, rules: MetaRules): FieldError[] {
  const path = rules.path ?? "metadata";
  const finalizers = strings(meta["finalizers"]);
  return [
    ...checkLists(meta, path),
    ...checkFinalizers(finalizers, `${path}.finalizers`),
    ...(rules.builtin === true ? checkDomains(finalizers, `${path}.finalizers`) : []),
  ];
}

function checkLists(meta: JsonObject, path: string): FieldError[] {
  return [
    ...validateLabels(meta["labels"], `${path}.labels`),
    ...validateAnnotations(meta["annotations"], `${path}.annotations`),
    ...checkOwners(meta["ownerReferences"], `${path}.ownerReferences`),
  ];
}

function checkOwners(owners: Json | undefined, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const all = Array.isArray(owners) ? owners.filter(isObject) : [];
  for (const owner of all) {
    const { group, version } = groupVersion(text(owner["apiVersion"]));
    const kind = text(owner["kind"]);
    if (version === "") {
      errors.push(invalidField(`${path}.apiVersion`, text(owner["apiVersion"]), "version must not be empty"));
    }
    for (const name of ["kind", "name", "uid"]) {
      if (text(owner[name]) === "") errors.push(invalidField(`${path}.${name}`, "", "must not be empty"));
    }
    if (kind === "Event" && group === "" && version === "v1") {
      errors.push(invalidField(path, asOwner(owner), "/v1, Kind=Event is disallowed from being an owner"));
    }
  }
  const controllers = all.filter((owner) => owner["controller"] === true);
  const [first] = controllers;
  for (const other of controllers.slice(1)) {
    const name = (owner: JsonObject | undefined) => `${text(at(owner, "kind"))}/${text(at(owner, "name"))}`;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${name(first)} and ${name(other)}`;
    errors.push(invalidField(path, all.map(asOwner), detail));
  }
  return errors;
}

/** An owner reference with its members in the order in which messages show them. */
function asOwner(owner: JsonObject): JsonObject {
  const shown: JsonObject = { apiVersion: "", kind: "", name: "", uid: "" };
  for (const name of ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"]) {
    const value = owner[name];
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}

function groupVersion(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return { group: "", version: "" };
  const [first = "", second] = parts;
  return second === undefined ? { group: "", version: first } : { group: first, version: second };
}

function checkFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((f) => qualifiedName(f).map((w) => invalidField(path, f, w)));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalidField(path, [...finalizers], detail));
  }
  return errors;
}

/** Built-in kinds want a domain in the name. */
function checkDomains(finalizers: readonly string[], path: string): FieldError[] {
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((f, i) =>
    f.includes("/") || standardFinalizers.has(f) ? [] : [invalidField(`${path}[${i}]`, f, detail)],
  );
}

function checkNewFinalizers(meta: JsonObject, old: JsonObject, path: string): FieldError[] {
  const before = new Set(strings(old["finalizers"]));
  const added = strings(meta["finalizers"]).filter((f) => !before.has(f));
  if (added.length === 0) return [];
  const shown = added.map((f) => JSON.stringify(f)).join(", ");
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`;
  return [forbiddenField(`${path}.finalizers`, detail)];
}

/** The members of an object by name, so that errors come in a fixed order. */
function entries(value: Json | undefined): [string, Json][] {
  return isObject(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
}

function strings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map((v) => text(v)) : [];
}
