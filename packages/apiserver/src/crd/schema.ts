// The schema of a custom resource as a CRD holds it, and the few questions that every walk over it asks.
import { isDeeper, type Json, type JsonObject } from "../json.ts";
import { badRequest } from "../status.ts";

/** A node of `openAPIV3Schema`. What a stored CRD holds is structural; what a request holds may have any of these. */
export interface Schema {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: Json;
  readonly example?: Json;
  readonly externalDocs?: JsonObject;
  readonly nullable?: boolean;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly dependencies?: JsonObject;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly items?: Schema | readonly Schema[];
  readonly additionalItems?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly JsonObject[];
}

/** The schema of a named member, undefined when the name is not declared. */
export function propertyOf(schema: Schema | undefined, name: string): Schema | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the values of a map; `true` and `false` give none. */
export function valuesOf(schema: Schema | undefined): Schema | undefined {
  const values = schema?.additionalProperties;
  return typeof values === "object" ? values : undefined;
}

/** The schema of a member, declared or by `additionalProperties`. */
export function memberOf(schema: Schema | undefined, name: string): Schema | undefined {
  return propertyOf(schema, name) ?? valuesOf(schema);
}

/** The one schema of all items; a tuple gives none. */
export function itemsOf(schema: Schema | undefined): Schema | undefined {
  const items = schema?.items;
  return items === undefined || isTuple(items) ? undefined : items;
}

export function isTuple(items: Schema | readonly Schema[]): items is readonly Schema[] {
  return Array.isArray(items);
}

/** The schemas that stand directly inside a schema. */
export function schemasIn(schema: Schema): Schema[] {
  const { items, additionalProperties: values, not } = schema;
  return [
    ...Object.values(schema.properties ?? {}),
    ...(typeof values === "object" ? [values] : []),
    ...(items === undefined ? [] : isTuple(items) ? items : [items]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(not === undefined ? [] : [not]),
  ];
}

/** The members that make an object a Kubernetes object; schemas never prune them at a root or an embedded resource. */
export const typeMembers: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

// Far above any real object, far below what a stack takes.
const maxDepth = 1000;

/** Refuses values that are nested so deeply that walking them would end the process. */
export function limitDepth(value: unknown): void {
  if (isDeeper(value, maxDepth + 1)) throw badRequest(`exceeded max depth: values may be nested ${maxDepth} deep`);
}
