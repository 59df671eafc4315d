// `CoreType`: the types of Kubernetes' own API inside the schema of another kind, as the API server accepts them in a CRD.
// Structure only: descriptions would be nine tenths of the bytes, and the rules of the pod's validation stay with the pod.
import type { TUnsafe } from "typebox";
import { type Complain, complainOf } from "../errors.ts";
import { IntOrString, Quantity, Time } from "../schema.ts";
import { type Structural, toStructural } from "../structural.ts";
import { Type } from "../type.ts";
import { type Field, type FieldType, type Message, message, type Scalar } from "./type-table-parser.ts";

export interface CoreTypeOptions {
  readonly description?: string;
  /** Fields to leave out: `["volumeName"]`, or below other fields, `["spec.nodeName"]`. */
  readonly omit?: readonly string[];
  /** Keep fields that the type table does not know. */
  readonly preserve?: boolean;
}

/**
 * `CoreType<core.Volume>("core.Volume")`: the schema of a message of the type table. What the server always writes and a user
 * has to give is required if it is a scalar; templates take a name, labels and annotations as their metadata.
 */
export function CoreType<T>(name: string, options: CoreTypeOptions = {}): TUnsafe<T> {
  const complain = complainOf(`CoreType ${name}`);
  let schema = schemaOf(name, [], complain);
  for (const path of options.omit ?? []) {
    schema = without(schema, path.split("."), () =>
      complain(path, "is to be omitted but does not exist", "correct the path; it cannot lead through a list"),
    );
  }
  // A fresh object around frozen parts: TypeBox copies descriptors, and a frozen one could not be described any more.
  return Type.Unsafe<T>({
    ...schema,
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.preserve === true ? free : {}),
  });
}

const free = { "x-kubernetes-preserve-unknown-fields": true } as const;
const atomicMap = { "x-kubernetes-map-type": "atomic" } as const;
const atomicList = { "x-kubernetes-list-type": "atomic" } as const;

/** By name, frozen to the last node: every kind that embeds a type shares its schema. */
const built = new Map<string, Structural>();

/** `within` holds the messages around this one, to see a type that contains itself. */
function schemaOf(name: string, within: readonly string[], complain: Complain): Structural {
  const known = built.get(name);
  if (known !== undefined) return known;
  // Only JSONSchemaProps contains itself, and it does so directly, so what is built does not depend on where one came in.
  if (within.includes(name)) return { type: "object", ...free };
  const found = message(name);
  if (found === undefined) return complain(name, "is not in the type table", "name a message such as core.Volume");
  const schema = freeze(ownJson(name, complain) ?? objectOf(found, [...within, name], complain));
  built.set(name, schema);
  return schema;
}

/** Messages whose JSON is not the object of their fields. */
function ownJson(name: string, complain: Complain): Structural | undefined {
  switch (name) {
    case "meta.Time":
    case "meta.MicroTime":
      return toStructural(Time(), name, complain);
    case "resource.Quantity":
      return toStructural(Quantity(), name, complain);
    case "intstr.IntOrString":
      return toStructural(IntOrString(), name, complain);
    case "runtime.RawExtension":
    case "meta.FieldsV1":
      return { type: "object", ...free };
    case "apiextensions.JSON":
    case "apiextensions.JSONSchemaPropsOrArray":
    case "apiextensions.JSONSchemaPropsOrBool":
    case "apiextensions.JSONSchemaPropsOrStringArray":
      return { ...free };
    case "meta.ObjectMeta": {
      const words: Structural = { type: "object", additionalProperties: { type: "string" } };
      return { type: "object", properties: { name: { type: "string" }, labels: words, annotations: words } };
    }
    default:
      return name.endsWith(".ExtraValue") ? { type: "array", items: { type: "string" }, ...atomicList } : undefined;
  }
}

/** These have metadata but are no objects of their own, hence neither `apiVersion` nor `kind`. */
const templates = ["core.PodTemplateSpec", "core.PersistentVolumeClaimTemplate", "batch.JobTemplateSpec"];

function objectOf({ name, atomic, fields }: Message, within: readonly string[], complain: Complain): Structural {
  const properties: Record<string, Structural> = {};
  const required: string[] = [];
  if (!templates.includes(name) && fields.some((f) => isMessage(f.type, "meta.ObjectMeta"))) {
    properties["apiVersion"] = { type: "string" };
    properties["kind"] = { type: "string" };
  }
  for (const field of fields) {
    const schema = fieldOf(field, within, complain);
    if (field.inline) {
      Object.assign(properties, schema.properties);
      required.push(...(schema.required ?? []));
      continue;
    }
    properties[field.name] = schema;
    if (demanded(field) && !reported.test(name) && !filled.has(`${name}.${field.name}`)) required.push(field.name);
  }
  return {
    type: "object",
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(atomic ? atomicMap : {}),
  };
}

/** What a controller reports is written in pieces: nothing in it is required, save the keys of its lists. */
// A MatchCondition is a CEL expression of a webhook, and its user's to give.
const reported = /(Status|(?<!Match)Condition|ContainerState(Waiting|Running|Terminated)?)$/;

/** Always written, but nothing a user has to give: the exceptions, found by comparison with the OpenAPI of a 1.36 server. */
const filled: ReadonlySet<string> = new Set([
  "apps.StatefulSetOrdinals.start",
  "apps.StatefulSetSpec.serviceName",
  "batch.PodFailurePolicyOnPodConditionsPattern.status",
  "core.Event.reportingComponent",
  "core.Event.reportingInstance",
  "core.NodeRuntimeHandler.name",
  "rbac.RoleRef.apiGroup",
  "scheduling.PriorityClass.value",
]);

/** Always written, and a scalar: the zero of a struct or a list is a fine value to leave out, that of a name is not. */
function demanded({ always, type }: Field): boolean {
  return always && (type.of === "scalar" || isMessage(type, "intstr.IntOrString"));
}

function isMessage(type: FieldType, name: string): boolean {
  return type.of === "message" && type.message === name;
}

function fieldOf(field: Field, within: readonly string[], complain: Complain): Structural {
  const schema = typeOf(field.type, within, complain);
  return {
    ...schema,
    ...(field.type.of === "list" ? listRule(field, schema) : field.atomic ? atomicMap : {}),
    ...(field.default === undefined ? {} : { default: field.default }),
  };
}

function typeOf(type: FieldType, within: readonly string[], complain: Complain): Structural {
  switch (type.of) {
    case "scalar":
      return { ...scalars[type.scalar] };
    case "message":
      return schemaOf(type.message, within, complain);
    case "list":
      return { type: "array", items: typeOf(type.item, within, complain) };
    case "map":
      return { type: "object", additionalProperties: typeOf(type.value, within, complain) };
  }
}

const scalars: Readonly<Record<Scalar, Structural>> = {
  string: { type: "string" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  bool: { type: "boolean" },
  bytes: { type: "string", format: "byte" },
  double: { type: "number", format: "double" },
  uint32: { type: "integer", format: "int64", minimum: 0, maximum: 4_294_967_295 },
  uint64: { type: "integer", format: "int64", minimum: 0 },
};

/** A CRD has to have every key of a list-map required or defaulted. Built-in types are not held to that: then it is atomic. */
function listRule({ set, listMapKeys, type }: Field, { items }: Structural): Structural {
  if (set) return { "x-kubernetes-list-type": "set" };
  if (listMapKeys === undefined || items === undefined || type.of !== "list" || type.item.of !== "message")
    return atomicList;
  const fields = message(type.item.message)?.fields ?? [];
  const open = listMapKeys.filter(
    (key) => items.properties?.[key]?.default === undefined && !items.required?.includes(key),
  );
  if (!open.every((key) => fields.some((f) => f.name === key && demanded(f)))) return atomicList;
  return {
    ...(open.length === 0 ? {} : { items: { ...items, required: [...(items.required ?? []), ...open] } }),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": [...listMapKeys],
  };
}

/** A copy without the field at a path; what the path does not touch is shared. */
function without(schema: Structural, [head = "", ...rest]: readonly string[], missing: () => never): Structural {
  const { required = [], properties, ...others } = schema;
  const { [head]: child, ...siblings } = properties ?? {};
  if (child === undefined) return missing();
  if (rest.length > 0) return { ...schema, properties: { ...properties, [head]: without(child, rest, missing) } };
  const demands = required.filter((name) => name !== head);
  return { ...others, properties: siblings, ...(demands.length === 0 ? {} : { required: demands }) };
}

function freeze<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) if (typeof child === "object" && child !== null) freeze(child);
  return Object.freeze(value);
}
