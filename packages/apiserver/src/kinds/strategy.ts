// What the server knows about one built-in kind: flags as data, rules as pure functions. The verbs ask; nothing here reads a
// store or a clock, and no input is changed.
import type { KindRef, ScalePaths } from "@telltale/kinds";
import { at, type Json, type JsonObject, text } from "../json.ts";
import type { FieldError } from "../status.ts";

/** How an object of the kind may be called. `ip`: an IP address in its canonical form. */
export type NameRule = "subdomain" | "label" | "label1035" | "pathSegment" | "ip";

/** What a DELETE without a policy means for dependents. */
export type DefaultPropagation = "Background" | "Orphan" | "unsupported";

export interface Subresource {
  readonly name: string;
  /** The kind of its bodies, with its group and version where they are not those of the parent. */
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

/** Where addresses and ports come from. A refusal is a text that a field error shows. */
export interface Allocator {
  allocateClusterIP(wanted?: string): { readonly ip: string } | { readonly refused: string };
  releaseClusterIP(ip: string): void;
  allocateNodePort(wanted?: number): { readonly port: number } | { readonly refused: string };
  releaseNodePort(port: number): void;
}

export interface Context {
  readonly uid: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** Who writes; a CertificateSigningRequest keeps it. */
  readonly user?: { readonly username: string; readonly uid: string; readonly groups: readonly string[] };
  /** Says something to who writes. */
  readonly warn?: (text: string) => void;
}

/** An endpoint that takes the whole object and writes some of it: `finalize`, `approval`. */
export interface PartStrategy {
  /** The object with what the endpoint may write, the rest as it was. */
  prepare(object: JsonObject, old: JsonObject, context: Context): JsonObject;
  validate?(object: JsonObject, old: JsonObject): FieldError[];
}

export interface Strategy {
  readonly kind: KindRef;
  /** Its message in the type table, `apps.Deployment`; undefined when the table has none and objects are plain JSON. */
  readonly message: string | undefined;
  readonly nameRule: NameRule;
  readonly tracksGeneration: boolean;
  /** A change beside the content that counts for the generation as well. */
  readonly generationFollows?: (object: JsonObject, old: JsonObject) => boolean;
  readonly statusSubresource: boolean;
  readonly scale: ScalePaths | undefined;
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
  readonly returnDeletedObject: boolean;
  readonly defaultPropagation: DefaultPropagation;
  /** Deletion takes time: a Pod. */
  readonly graceful: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /** Rules of single subresources, by name; those without any follow the ones of the object. */
  readonly parts?: Readonly<Record<string, PartStrategy>>;
  /** Whether something beside its finalizers keeps a terminating object. */
  readonly isHeld?: (object: JsonObject) => boolean;
  /** Said once with every request. */
  readonly deprecation?: string;

  /** At decode: what the server fills in. */
  default(object: JsonObject): JsonObject;
  prepareCreate(object: JsonObject, context: Context): JsonObject;
  prepareUpdate(object: JsonObject, old: JsonObject, context: Context): JsonObject;
  /** For `/status`: the old object with what that endpoint may write. */
  prepareStatusUpdate(object: JsonObject, old: JsonObject, context: Context): JsonObject;
  /** Everything but metadata. */
  validate(object: JsonObject): FieldError[];
  /** Everything but metadata, the checks of `validate` included, in the order of upstream. */
  validateUpdate(object: JsonObject, old: JsonObject): FieldError[];
  validateStatusUpdate?(object: JsonObject, old: JsonObject): FieldError[];
  warnings?(object: JsonObject, old?: JsonObject): string[];
  statusWarnings?(object: JsonObject): string[];
  /**
   * After validation, before the store: takes what the object needs and `old` does not have yet. A refusal is an error of the
   * object, and nothing stays taken.
   */
  allocate?(
    object: JsonObject,
    old: JsonObject | undefined,
    context: Allocator,
  ): { object: JsonObject } | { errors: FieldError[] };
  /** Gives back what `before` holds and `after` does not: after a delete, an update, a failed write, a dry run. */
  release?(before: JsonObject, after: JsonObject | undefined, context: Allocator): void;
  selectable(object: JsonObject): Readonly<Record<string, string>>;
  /** Why a field selector cannot name this key, or undefined when it can. */
  fieldSelectorError(key: string): string | undefined;
}

/** What a kind says that differs from the usual. `fields` are selectable beside name and namespace. */
export type Special = Partial<Omit<Strategy, "kind" | "message" | "selectable" | "fieldSelectorError">> & {
  readonly fields?: Fields;
};

export interface Fields {
  /** Label to value. */
  read(object: JsonObject): Readonly<Record<string, string>>;
  readonly names: readonly string[];
  /** Where the message is not `field label not supported: x`. */
  readonly refuse?: (key: string) => string;
}

const standardVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** A strategy from what is special about the kind; the rest is what most kinds do. */
export function strategy(kind: KindRef, message: string | undefined, special: Special = {}): Strategy {
  const { fields, subresources = [], ...rest } = special;
  const statusSubresource = rest.statusSubresource ?? kind.subresources.status;
  const validate = rest.validate ?? (() => []);
  return {
    kind,
    message,
    nameRule: "subdomain",
    tracksGeneration: false,
    scale: undefined,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    returnDeletedObject: false,
    defaultPropagation: "Background",
    graceful: false,
    verbs: standardVerbs,
    default: (object) => object,
    // Where the table has no message nobody else writes the empty status.
    prepareCreate: (object) => {
      if (!statusSubresource) return object;
      return message === undefined ? { ...object, status: {} } : without(object, "status");
    },
    prepareUpdate: (object, old) => (statusSubresource ? keeping(object, old, "status") : object),
    // Labels, annotations and finalizers pass; the rest of the object is the old one.
    prepareStatusUpdate: (object, old) => statusOnly(object, old),
    validateUpdate: (object) => validate(object),
    ...rest,
    statusSubresource,
    validate,
    subresources: statusSubresource
      ? [...subresources, { name: "status", kind: kind.kind, verbs: ["get", "patch", "update"] }]
      : subresources,
    selectable: (object) => ({
      "metadata.name": text(at(object, "metadata", "name")),
      ...(fields !== undefined && kind.scope === "Cluster"
        ? {}
        : { "metadata.namespace": text(at(object, "metadata", "namespace")) }),
      ...fields?.read(object),
    }),
    fieldSelectorError: (key) => refuseField(kind, fields, key),
  };
}

function refuseField(kind: KindRef, fields: Fields | undefined, key: string): string | undefined {
  if (key === "metadata.name") return undefined;
  if (fields === undefined) {
    return key === "metadata.namespace"
      ? undefined
      : `${JSON.stringify(key)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  if (fields.names.includes(key) || (key === "metadata.namespace" && kind.scope === "Namespaced")) return undefined;
  return fields.refuse?.(key) ?? `field label not supported: ${key}`;
}

export function without(object: JsonObject, ...names: string[]): JsonObject {
  const rest = { ...object };
  for (const name of names) delete rest[name];
  return rest;
}

/** The object with one member as it was in `old`. */
export function keeping(object: JsonObject, old: JsonObject, name: string): JsonObject {
  const before = old[name];
  if (before === undefined) return without(object, name);
  return { ...object, [name]: before };
}

/** The old object with status and metadata of the new one. */
export function statusOnly(object: JsonObject, old: JsonObject): JsonObject {
  const changed: JsonObject = { ...old };
  for (const name of ["metadata", "status"]) {
    const value: Json | undefined = object[name];
    if (value === undefined) delete changed[name];
    else changed[name] = value;
  }
  return changed;
}
