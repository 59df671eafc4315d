// One served resource, built-in or custom: everything that a verb has to know about it. The verbs themselves know neither
// Deployments nor CRDs.
import type { FieldSet } from "../apply/fieldset.ts";
import type { TypedSchema } from "../apply/schema.ts";
import type { Schema } from "../crd/schema.ts";
import type { PrinterColumn } from "../crd/version.ts";
import type { JsonObject } from "../json.ts";
import type { DefaultPropagation, Subresource } from "../kinds/strategy.ts";
import type { Rule } from "../meta/names.ts";
import type { User } from "../request.ts";
import type { FieldError, GroupResource } from "../status.ts";
import type { StoredRecord } from "../store/record.ts";

export type { Subresource };

export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** What is being written: the object, or one of the parts that have an endpoint of their own. */
export type Part = "" | "status" | "scale" | (string & {});

/** Paths behind `scale`, without their leading dots. */
export interface ScalePart {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector?: readonly string[];
}

export interface Resource extends GroupResource {
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly builtin: boolean;
  readonly verbs: readonly string[];
  /** What discovery says instead, while the resource is going. */
  readonly discoveryVerbs?: readonly string[];
  readonly subresources: readonly Subresource[];
  /** Its message in the type table, where it has one. */
  readonly message: string | undefined;
  readonly graceful: boolean;
  readonly defaultPropagation: DefaultPropagation;
  readonly hasStatus: boolean;
  readonly scale: ScalePart | undefined;
  /** Where its objects are kept. Several versions, and the two kinds of Event, share one place. */
  readonly storage: GroupResource;
  /** The version that is written to the store. */
  readonly storageVersion: string;
  /** Columns of a custom resource; built-in kinds have theirs in `encode`. */
  readonly columns: readonly PrinterColumn[] | undefined;
  /** The structural schema of a custom resource. */
  readonly structural: Schema | undefined;
  readonly nameRule: Rule;
  readonly tracksGeneration: boolean;
  /** Whether something beside its finalizers keeps a terminating object. */
  isHeld?(object: JsonObject): boolean;
  /** More that counts as a change of the spec: a Deployment's annotations. */
  bumps?(object: JsonObject, old: JsonObject): boolean;
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
  readonly returnDeletedObject: boolean;
  readonly deprecation: string | undefined;
  /** Why nothing can be created for now. */
  readonly refuseCreate?: string;
  /** Answers a create without storing anything: reviews. */
  readonly virtual: boolean;
  /** The typed view for apply and managedFields. */
  schema(): TypedSchema;
  /** What an endpoint does not own. */
  reset(part: Part): FieldSet;

  /** A request body as an object of this version, defaulted; what was dropped or given twice is told. */
  decode(
    bytes: Uint8Array,
    contentType: string | undefined,
    validation: FieldValidation,
  ): Promise<{ object: JsonObject; warnings: string[] }>;
  /** The body of an apply: what the client wants to own, neither defaulted nor pruned. */
  decodeApply(bytes: Uint8Array, validation: FieldValidation, warn: (text: string) => void): Promise<JsonObject>;
  /** An object that came out of a patch or a webhook: typed, pruned and defaulted again. Nulls of an apply stay. */
  redecode(
    object: JsonObject,
    validation: FieldValidation,
    keepNulls?: boolean,
  ): { object: JsonObject; unknown: string[] };
  /** A stored object in this version. */
  read(record: StoredRecord): Promise<JsonObject> | JsonObject;
  /** JSON of a stored object in this version, where it can be had without parsing. */
  json(record: StoredRecord): string | undefined;
  /** An object of this version in another one, for apply; undefined where that one is gone. */
  convertTo?(object: JsonObject, apiVersion: string): JsonObject | undefined;
  /** The same, where somebody else has to be asked. */
  fetchAs?(object: JsonObject, apiVersion: string): Promise<JsonObject>;
  schemaOf?(apiVersion: string): TypedSchema | undefined;
  /** What is stored for an object of this version. */
  toStorage(object: JsonObject): Promise<JsonObject> | JsonObject;

  prepareCreate(object: JsonObject, context: WriteContext): JsonObject;
  prepareUpdate(object: JsonObject, old: JsonObject, part: Part, context: WriteContext): JsonObject;
  validate(object: JsonObject, old: JsonObject | undefined, part: Part): Promise<Validation> | Validation;
  selectable(object: JsonObject): Readonly<Record<string, string>>;
  /** Why a field selector cannot be used, or undefined. */
  refuseField(key: string): string | undefined;
  /** Takes what the object needs from what is limited: addresses, ports. A refusal is an error of the object. */
  allocate?(
    object: JsonObject,
    old: JsonObject | undefined,
  ): { readonly object: JsonObject } | { readonly errors: readonly FieldError[] };
  /** Gives back what `before` holds and `after` does not. */
  release?(before: JsonObject, after: JsonObject | undefined): void;
}

export interface WriteContext {
  readonly now: string;
  readonly uid: string;
  readonly dryRun: boolean;
  readonly user: User;
}

export interface Validation {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

export const storageKey = (r: Resource, namespace: string, name: string): string =>
  r.namespaced ? `${storagePrefix(r)}${namespace}/${name}` : `${storagePrefix(r)}${name}`;

export const storagePrefix = (r: Resource): string => `/${r.storage.group}/${r.storage.resource}/`;

/** The keys of a list: all of them, or those of one namespace. */
export const listPrefix = (r: Resource, namespace: string): string =>
  r.namespaced && namespace !== "" ? `${storagePrefix(r)}${namespace}/` : storagePrefix(r);
