// All schemas of a document: those of its resources, and everything they refer to.
import { message, messages } from "@telltale/kinds/core";
import { isObject, type Json, type JsonObject, put } from "../json.ts";
import type { Resource } from "../registry/resource.ts";
import { isObjectMessage, messageSchema, typeMeta } from "./builtin-schemas.ts";
import { customListSchema, customSchema } from "./custom-schemas.ts";
import { type GroupVersionKind, nameOfRef, refTo, schemaName } from "./names.ts";
import { kindName, type PathEntry, patchSchema } from "./operations.ts";

export function schemasOf(resources: readonly Resource[], paths: readonly PathEntry[]): JsonObject {
  const found = new Map<string, JsonObject>();
  for (const r of resources) addKind(found, r);
  const wanted = new Set<string>();
  for (const schema of found.values()) refsIn(schema, wanted, 0);
  for (const operation of paths.flatMap((p) => p.operations)) {
    if (operation.returns !== undefined) wanted.add(operation.returns);
    if (operation.body !== undefined) wanted.add(operation.body);
  }
  // A set visits what is added while it is walked.
  for (const name of wanted) {
    if (found.has(name)) continue;
    const schema = builtinSchema(name);
    if (schema === undefined) continue;
    found.set(name, schema);
    refsIn(schema, wanted, 0);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function addKind(found: Map<string, JsonObject>, r: Resource): void {
  const gvk: GroupVersionKind = { group: r.group, version: r.version, kind: r.kind };
  const name = kindName(r, gvk);
  const listGvk = { ...gvk, kind: r.listKind };
  const listName = kindName(r, listGvk);
  if (r.builtin) {
    found.set(name, marked(described(builtinSchema(name) ?? unknownKind(), `${r.kind} of ${r.apiVersion}.`), gvk));
    if (r.verbs.includes("list")) found.set(listName, marked(builtinList(name, r.kind), listGvk));
  } else {
    found.set(name, marked(customSchema(r.structural), gvk));
    found.set(listName, marked(customListSchema(name, r.kind, r.resource), listGvk));
  }
}

const described = (schema: JsonObject, description: string): JsonObject => ({ description, ...schema });

const marked = (schema: JsonObject, { group, version, kind }: GroupVersionKind): JsonObject => ({
  ...schema,
  "x-kubernetes-group-version-kind": [{ group, kind, version }],
});

/** A served kind that the type table does not know: anything goes. */
const unknownKind = (): JsonObject => ({
  type: "object",
  properties: { ...typeMeta, metadata: { default: {}, allOf: [{ $ref: refTo(schemaName("meta.ObjectMeta")) }] } },
  "x-kubernetes-preserve-unknown-fields": true,
});

const builtinList = (itemName: string, kind: string): JsonObject => ({
  description: `A list of ${kind}.`,
  type: "object",
  required: ["items"],
  properties: {
    ...typeMeta,
    items: { type: "array", items: { default: {}, allOf: [{ $ref: refTo(itemName) }] } },
    metadata: { default: {}, allOf: [{ $ref: refTo(schemaName("meta.ListMeta")) }] },
  },
});

/** From the name of a schema back to the type table. */
let messageNames: ReadonlyMap<string, string> | undefined;
const built = new Map<string, JsonObject | undefined>();

/** Built-in schemas are the same in every document, so each is made once. */
function builtinSchema(name: string): JsonObject | undefined {
  if (built.has(name)) return built.get(name);
  messageNames ??= new Map([...messages().keys()].map((m) => [schemaName(m), m]));
  const source = messageNames.get(name) ?? (name === patchSchema ? "meta.Patch" : shardInfo(name));
  const schema = source === undefined ? undefined : messageSchema(source);
  const found = source === undefined ? undefined : message(source);
  const own =
    schema !== undefined && found !== undefined && isObjectMessage(found) ? marked(schema, gvkOf(found.name)) : schema;
  built.set(name, own);
  return own;
}

const shardInfo = (name: string): string | undefined =>
  name === schemaName("meta.ShardInfo") ? "meta.ShardInfo" : undefined;

function gvkOf(messageName: string): GroupVersionKind {
  const [prefix = "", kind = ""] = messageName.split(".");
  if (prefix === "core" || prefix === "meta") return { group: "", version: "v1", kind };
  if (prefix === "autoscalingv2") return { group: "autoscaling", version: "v2", kind };
  if (prefix === "rbac") return { group: "rbac.authorization.k8s.io", version: "v1", kind };
  const plain = ["apps", "batch", "autoscaling", "policy"].includes(prefix);
  return { group: plain ? prefix : `${prefix}.k8s.io`, version: "v1", kind };
}

// Schemas are cut long before this; a default or an enum may be as deep as it likes and holds no references.
const deepest = 2000;

function refsIn(value: Json, into: Set<string>, depth: number): void {
  if (depth > deepest) return;
  if (Array.isArray(value)) for (const item of value) refsIn(item, into, depth + 1);
  if (!isObject(value)) return;
  const ref = value["$ref"];
  if (typeof ref === "string") into.add(nameOfRef(ref));
  for (const [name, inner] of Object.entries(value))
    if (name !== "default" && name !== "enum") refsIn(inner, into, depth + 1);
}

/** Replaces the members of an object one by one; `__proto__` is a name like any other. */
export function mapMembers(object: JsonObject, change: (value: Json) => Json): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(object)) put(out, name, change(value));
  return out;
}
