// What happens to the body of a custom resource: read into shape, then validated. Section 12.3, in the order of the server.

import { cannotBeHandled } from "../decode/typed.ts";
import { isObject, type JsonObject, member, text } from "../json.ts";
import { validateMeta, validateMetaUpdate } from "../meta/validate.ts";
import { type FieldError, invalidField } from "../status.ts";
import { type Coerced, coerceEmbedded, coerceRoot } from "./coerce.ts";
import { fillDefaults } from "./defaults.ts";
import { validateEmbedded } from "./embedded.ts";
import { validateLists } from "./lists.ts";
import { prune } from "./prune.ts";
import { validateScaleSpec, validateScaleStatus } from "./scale.ts";
import { limitDepth } from "./schema.ts";
import { validateValue } from "./validate.ts";
import type { CompiledVersion } from "./version.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface ReadBody {
  readonly object: JsonObject;
  /** Paths of what was dropped, as warnings and strict errors name them; empty when nobody asked. */
  readonly unknown: string[];
}

/** A request body in the shape of its version: metadata coerced, unknown fields and bad nulls gone, defaults filled in. */
export function readBody(
  compiled: CompiledVersion,
  object: JsonObject,
  options: { readonly fieldValidation?: FieldValidation; readonly keepNulls?: boolean } = {},
): ReadBody {
  limitDepth(object);
  const rooted = orRefuse(compiled, coerceRoot(object));
  const pruned = prune(compiled.schema, rooted.value, true);
  const inner = orRefuse(compiled, coerceEmbedded(compiled.schema, asObject(pruned.value)));
  const unknown = options.fieldValidation === "Ignore" ? [] : [...rooted.unknown, ...pruned.dropped, ...inner.unknown];
  return { object: asObject(fillDefaults(compiled.schema, inner.value, options.keepNulls)), unknown };
}

/** A stored object as the schema of today reads it. What does not fit is dropped or kept, never refused. */
export function fromStorage(compiled: CompiledVersion, object: JsonObject): JsonObject {
  const rooted = coerceRoot(object, true);
  const pruned = prune(compiled.schema, "value" in rooted ? rooted.value : object, true);
  const inner = coerceEmbedded(compiled.schema, asObject(pruned.value), true);
  return asObject(fillDefaults(compiled.schema, "value" in inner ? inner.value : pruned.value));
}

export interface Verdict {
  readonly errors: FieldError[];
  readonly warnings: string[];
}

/** The CEL rules of a version, plugged in by the caller. `old` is absent on create. */
export type CheckRules = (object: JsonObject, old: JsonObject | undefined) => Verdict;

export interface ValidateHooks {
  readonly rules?: CheckRules;
}

export function validateCreate(compiled: CompiledVersion, object: JsonObject, hooks: ValidateHooks = {}): Verdict {
  return verdict(compiled, hooks, object, undefined, () => [
    ...validateMeta(metaOf(object), { namespaced: compiled.namespaced }),
    ...validateValue(compiled.schema, object),
    ...validateParts(compiled, object),
    ...validateLists(compiled.schema, object),
  ]);
}

/** Unchanged parts pass, whatever today's schema says of them. The common metadata checks of every update come on top of these. */
export function validateUpdate(
  compiled: CompiledVersion,
  object: JsonObject,
  old: JsonObject,
  hooks: ValidateHooks = {},
): Verdict {
  return verdict(compiled, hooks, object, old, () => [
    ...validateMetaUpdate(metaOf(object), metaOf(old)),
    ...validateValue(compiled.schema, object, { old: { value: old } }),
    ...validateParts(compiled, object),
    ...newDuplicates(compiled, object, old),
  ]);
}

/** Of the schema only `status` counts; rules and lists are those of the whole object. */
export function validateStatusUpdate(
  compiled: CompiledVersion,
  object: JsonObject,
  old: JsonObject,
  hooks: ValidateHooks = {},
): Verdict {
  const schema = compiled.schema.properties?.["status"];
  const status = member(object, "status");
  const before = member(old, "status");
  const ratchet = before === undefined ? {} : { old: { value: before } };
  return verdict(compiled, hooks, object, old, () => [
    ...validateMetaUpdate(metaOf(object), metaOf(old)),
    ...(schema === undefined || status === undefined
      ? []
      : validateValue(schema, status, { prefix: "status", ...ratchet })),
    ...validateScaleStatus(compiled.scale, object),
    ...newDuplicates(compiled, object, old),
  ]);
}

/** What is checked the same way at a create and at an update. */
function validateParts({ schema, scale }: CompiledVersion, object: JsonObject): FieldError[] {
  return [
    ...validateScaleSpec(scale, object),
    ...validateScaleStatus(scale, object),
    ...validateEmbedded(schema, object),
  ];
}

/** Errors that leave rules without ground to stand on. */
const blocking: ReadonlySet<FieldError["type"]> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const unchecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** First whether it is of this kind at all, then what the schema says, then the rules. */
function verdict(
  compiled: CompiledVersion,
  hooks: ValidateHooks,
  object: JsonObject,
  old: JsonObject | undefined,
  check: () => FieldError[],
): Verdict {
  const wrongKind = checkKind(compiled, object);
  if (wrongKind.length > 0) return { errors: wrongKind, warnings: [] };
  const errors = check();
  if (!compiled.hasRules) return { errors, warnings: [] };
  if (errors.some((e) => blocking.has(e.type))) {
    return { errors: [...errors, invalidField("", null, unchecked)], warnings: [] };
  }
  const { errors: broken, warnings } = hooks.rules?.(object, old) ?? { errors: [], warnings: [] };
  return { errors: [...errors, ...broken], warnings };
}

/** Duplicates that the old object had already are nobody's fault now. */
function newDuplicates({ schema }: CompiledVersion, object: JsonObject, old: JsonObject): FieldError[] {
  return validateLists(schema, old).length > 0 ? [] : validateLists(schema, object);
}

function checkKind(compiled: CompiledVersion, object: JsonObject): FieldError[] {
  const [kind, apiVersion] = [text(object["kind"]), text(object["apiVersion"])];
  return [
    ...(kind === compiled.kind ? [] : [invalidField("kind", kind, `must be ${compiled.kind}`)]),
    ...(apiVersion === compiled.apiVersion
      ? []
      : [invalidField("apiVersion", apiVersion, `must be ${compiled.apiVersion}`)]),
  ];
}

function orRefuse(compiled: CompiledVersion, coerced: Coerced): Extract<Coerced, { value: JsonObject }> {
  if ("value" in coerced) return coerced;
  const { kind, version } = compiled;
  throw cannotBeHandled(kind, version, kind, coerced.refused);
}

function metaOf(object: JsonObject): JsonObject {
  return asObject(member(object, "metadata"));
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
