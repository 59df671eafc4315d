// Several versions of a kind: the declared one is the hub; each other version has its own schema and two pure functions.
import type { Column } from "./columns.ts";
import { complainOf } from "./errors.ts";
import type { Kind } from "./kind.ts";
import type { KubeObject, ObjectMeta } from "./object.ts";
import type { Rule, Static, TObject, TProperties, TSchema } from "./schema.ts";
import { statusSchema } from "./status-schema.ts";
import { type Structural, toStructural } from "./structural.ts";

/** An object in transit between versions: what it holds besides its metadata is the functions' business. */
export interface VersionedObject<Spec = unknown, Status = unknown> extends KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Spec;
  readonly status?: Status;
}

/** An older or newer version beside the hub. */
export interface Version {
  readonly name: string;
  readonly spec: TSchema;
  /** Left out: the status of the hub. */
  readonly status?: TSchema;
  readonly columns?: readonly Column[];
  /** CEL rules on the whole object, in this version's fields: the hub's are not checked on writes in this version. */
  readonly rules?: readonly Rule[];
  /** Whether the API server offers it. It is offered only when something converts (`toCrd` sees to that). */
  readonly served: boolean;
  /** The warning that a client of this version gets; `true`: the server's own words. */
  readonly deprecated?: string | true;
  toHub(object: VersionedObject): VersionedObject;
  fromHub(object: VersionedObject): VersionedObject;
}

/** One spoke, typed by its schemas. `apiVersion` is set by `convert`, not by the functions. */
export function version<S extends TProperties, HubSpec, HubStatus>(v: {
  name: string;
  spec: TObject<S>;
  status?: TSchema;
  columns?: readonly Column[];
  rules?: readonly Rule[];
  served?: boolean;
  deprecated?: string | true;
  toHub(object: VersionedObject<Static<TObject<S>>, HubStatus>): VersionedObject<HubSpec, HubStatus>;
  fromHub(object: VersionedObject<HubSpec, HubStatus>): VersionedObject<Static<TObject<S>>, HubStatus>;
}): Version {
  return { served: true, ...v } as unknown as Version;
}

/** What objects of one version look like: the hub's schemas, or those of a spoke. */
export function schemaIn(kind: Kind, name: string): Kind["schema"] {
  if (name === kind.version) return kind.schema;
  const v = spoke(kind, name);
  const complain = complainOf(`${kind.kind} ${v.name}`);
  const spec: Structural = toStructural(v.spec, "spec", complain);
  if (v.status === undefined) return { ...kind.schema, spec };
  return { spec, status: statusSchema(v.status, kind.conditions, kind.phases, complain) };
}

interface Versioned {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly versions: readonly Version[];
}

/** The object in another version of its kind. Metadata other than labels and annotations stays as it was. */
export function convert(kind: Versioned, object: VersionedObject, to: string): VersionedObject {
  const from = object.apiVersion.slice(object.apiVersion.indexOf("/") + 1);
  if (from === to) return object;
  const hub = from === kind.version ? object : apply(kind, object, kind.version, spoke(kind, from).toHub);
  return to === kind.version ? hub : apply(kind, hub, to, spoke(kind, to).fromHub);
}

function spoke(kind: Versioned, name: string): Version {
  const found = kind.versions.find((v) => v.name === name);
  if (found !== undefined) return found;
  const known = [kind.version, ...kind.versions.map((v) => v.name)].join(", ");
  throw new RangeError(`${kind.kind}: there is no version "${name}"; known are ${known}`);
}

function apply(
  kind: Versioned,
  object: VersionedObject,
  to: string,
  step: (o: VersionedObject) => VersionedObject,
): VersionedObject {
  const out = step(object);
  const { labels, annotations, ...rest } = object.metadata;
  return {
    ...out,
    apiVersion: `${kind.group}/${to}`,
    kind: kind.kind,
    metadata: {
      ...rest,
      ...(out.metadata.labels === undefined ? {} : { labels: out.metadata.labels }),
      ...(out.metadata.annotations === undefined ? {} : { annotations: out.metadata.annotations }),
    },
  };
}
