// Decodes a built-in kind against the type table, as Go decodes JSON into a struct. What is wrong is said in Go's words.
import type { FieldType, Scalar } from "@telltale/kinds/core";
import { isObject, type Json, type JsonObject, put } from "../json.ts";
import { StatusError } from "../status.ts";
import { fieldsOf, formOf, shortName } from "./fields.ts";
import { elementType, goType, structType } from "./go-types.ts";
import type { Parsed } from "./json.ts";
import { isNormal, isTexts } from "./normalize.ts";
import { canonicalBase64, canonicalQuantity, canonicalTime, ValueError } from "./values.ts";

export interface Typed {
  readonly object: JsonObject;
  /** Paths of fields that the type does not have, dropped from the object. */
  readonly unknown: string[];
  /** `unknown field "x"` and `duplicate field "y"`, in the order of the document. */
  readonly problems: string[];
}

/** How the document was written, where the parser had to look. */
export type Written = Pick<Parsed, "numbers" | "order" | "repeats">;

export function decodeTyped(
  value: Json,
  messageName: string,
  where: { readonly kind: string; readonly version: string },
  written?: Written,
): Typed {
  try {
    return decodeMessage(value, messageName, written);
  } catch (error) {
    if (error instanceof ValueError) throw cannotBeHandled(where.kind, where.version, where.kind, error.message);
    throw error;
  }
}

/** 400: a body that is no object of the kind. `why` is Go's bare text, which other answers show without the rest. */
export class CannotBeHandled extends StatusError {
  readonly #why: string;

  constructor(kind: string, version: string, as: string, why: string) {
    super(400, "BadRequest", `${kind} in version "${version}" cannot be handled as a ${as}: ${why}`);
    this.#why = why;
  }

  get why(): string {
    return this.#why;
  }
}

export const cannotBeHandled = (kind: string, version: string, as: string, why: string): CannotBeHandled =>
  new CannotBeHandled(kind, version, as, why);

/** The same, throwing a `ValueError` with Go's bare text. */
export function decodeMessage(value: Json, messageName: string, written?: Written): Typed {
  const walk = new Walk(written);
  const decoded = value === null ? {} : walk.message(value, messageName, undefined, structType(messageName));
  const unknown = walk.unknown.map((u) => u.path);
  const found = [
    ...walk.unknown.map((u) => ({ at: u.at, text: `unknown field "${u.path}"` })),
    ...walk.duplicates().map((d) => ({ at: d.at, text: `duplicate field "${d.path}"` })),
  ];
  return {
    object: isObject(decoded) ? decoded : {},
    unknown,
    problems: found.sort((a, b) => a.at - b.at).map((f) => f.text),
  };
}

/** The way to a value. A field of a struct counts in Go's path of errors; keys and indexes do not. */
interface Place {
  readonly up: Place | undefined;
  /** The object or list that holds the value. */
  readonly holder: object;
  readonly step: string | number;
  /** The struct whose field it is; undefined for keys of maps and items of lists. */
  readonly owner?: string;
  readonly through?: string;
}

// Go stops counting at 100; the budget keeps hostile names from making the answer long.
const mostUnknown = 100;
const pathBudget = 1 << 20;
const typeMeta: ReadonlySet<string> = new Set(["apiVersion", "kind"]);
/** Objects that say what they are also where they are part of another: the options of an eviction, a claim template. */
const typedWithin: ReadonlySet<string> = new Set(["meta.DeleteOptions", "core.PersistentVolumeClaim"]);

class Walk {
  readonly unknown: { path: string; at: number }[] = [];
  readonly #written: Written | undefined;
  /** Which names were known in which object: a name that comes twice matters only there. */
  readonly #visited = new Map<object, ReadonlySet<string> | "all">();
  #spent = 0;
  #silent = false;

  constructor(written: Written | undefined) {
    this.#written = written;
  }

  duplicates(): readonly { path: string; at: number }[] {
    return (this.#written?.repeats ?? []).filter((d) => {
      const names = this.#visited.get(d.object);
      return names === "all" || names?.has(d.name) === true;
    });
  }

  message(value: Json, name: string, place: Place | undefined, type: string): Json {
    switch (formOf(name)) {
      case "time":
      case "micro":
        if (typeof value !== "string") throw mismatch(value, place, "string");
        return canonicalTime(value, formOf(name) === "micro");
      case "quantity":
        return canonicalQuantity(this.#quantityText(value, place));
      case "int-or-string":
        return typeof value === "string" ? value : this.#integer(value, "int32", place, "int32");
      case "raw":
        return value;
      case "or-bool":
        if (typeof value === "boolean") return value;
        if (!isObject(value)) throw new ValueError("boolean or JSON schema expected");
        return this.#quietly(() => this.#struct(value, schema, place));
      case "or-array":
        if (Array.isArray(value))
          return this.#quietly(() => this.#list(value, { of: "message", message: schema }, place, structType(schema)));
        return isObject(value) ? this.#quietly(() => this.#struct(value, schema, place)) : null;
      case "or-strings":
        if (Array.isArray(value)) return this.#list(value, text, place, "string");
        return isObject(value) ? this.#quietly(() => this.#struct(value, schema, place)) : null;
      case "strings":
        if (!Array.isArray(value)) throw mismatch(value, place, type);
        return this.#list(value, text, place, "string");
      case "struct":
        if (!isObject(value)) throw mismatch(value, place, type);
        return this.#struct(value, name, place);
    }
  }

  #struct(value: JsonObject, name: string, place: Place | undefined): JsonObject {
    if (isNormal(value, name)) return value;
    const fields = fieldsOf(name);
    const out: JsonObject = {};
    const rooted = place === undefined || typedWithin.has(name);
    for (const key of Object.keys(value)) {
      const inner = value[key];
      if (inner === undefined) continue;
      const known = fields.get(key);
      if (known === undefined) {
        if (rooted && typeMeta.has(key)) {
          if (inner !== null)
            put(
              out,
              key,
              this.#scalar(inner, "string", { up: place, holder: value, step: key, owner: name }, "string"),
            );
        } else this.#report(value, key, place);
        continue;
      }
      if (inner === null) continue;
      const here: Place = { up: place, holder: value, step: key, owner: name, through: known.through };
      const decoded = this.#value(inner, known.field.type, here, goType(known));
      if (decoded !== null || known.field.type.of === "message") put(out, key, decoded);
    }
    if (this.#written !== undefined && this.#written.repeats.length > 0)
      this.#visited.set(value, new Set([...fields.keys(), ...(rooted ? typeMeta : [])]));
    return out;
  }

  #value(value: Json, type: FieldType, place: Place, go: string): Json {
    switch (type.of) {
      case "scalar":
        return this.#scalar(value, type.scalar, place, go);
      case "message":
        return this.message(value, type.message, place, go);
      case "list":
        if (!Array.isArray(value)) throw mismatch(value, place, go);
        return this.#list(value, type.item, place, elementType(go, type.item));
      case "map": {
        if (!isObject(value)) throw mismatch(value, place, go);
        if (type.value.of === "scalar" && type.value.scalar === "string" && isTexts(value)) {
          this.#visited.set(value, "all");
          return value;
        }
        const out: JsonObject = {};
        const element = elementType(go, type.value);
        for (const key of Object.keys(value)) {
          const inner = value[key];
          if (inner === undefined) continue;
          put(
            out,
            key,
            inner === null
              ? zero(type.value)
              : this.#value(inner, type.value, { up: place, holder: value, step: key }, element),
          );
        }
        this.#visited.set(value, "all");
        return out;
      }
    }
  }

  #list(value: Json[], item: FieldType, place: Place | undefined, go: string): Json[] {
    return value.map((inner, i) =>
      inner === null ? zero(item) : this.#value(inner, item, { up: place, holder: value, step: i }, go),
    );
  }

  #scalar(value: Json, scalar: Scalar, place: Place, go: string): Json {
    switch (scalar) {
      case "string":
        if (typeof value !== "string") throw mismatch(value, place, go);
        return value;
      case "bool":
        if (typeof value !== "boolean") throw mismatch(value, place, go);
        return value;
      case "bytes":
        if (typeof value !== "string") throw mismatch(value, place, go);
        return canonicalBase64(value);
      case "double":
        if (typeof value === "bigint") return Number(value);
        if (typeof value !== "number") throw mismatch(value, place, go);
        if (!Number.isFinite(value)) throw mismatch(value, place, go, this.#text(value, place));
        return value;
      default:
        return this.#integer(value, scalar, place, go);
    }
  }

  #integer(
    value: Json,
    scalar: Exclude<Scalar, "string" | "bool" | "bytes" | "double">,
    place: Place | undefined,
    go: string,
  ): Json {
    if (typeof value !== "number" && typeof value !== "bigint") throw mismatch(value, place, go);
    const text = this.#text(value, place);
    if (!/^-?\d+$/.test(text) || text.length > 20) throw mismatch(value, place, go, text);
    const exact = BigInt(text);
    const [signed, bits] = integers[scalar];
    if ((signed ? BigInt.asIntN(bits, exact) : BigInt.asUintN(bits, exact)) !== exact)
      throw mismatch(value, place, go, text);
    return value;
  }

  #quantityText(value: Json, place: Place | undefined): string {
    if (typeof value === "string") return value;
    return typeof value === "number" || typeof value === "bigint" ? this.#text(value, place) : "";
  }

  /** A number as it was written. */
  #text(value: number | bigint, place: Place | undefined): string {
    return (place && this.#written?.numbers.get(place.holder)?.get(place.step)) ?? String(value);
  }

  #report(object: JsonObject, key: string, place: Place | undefined): void {
    if (this.#silent || this.unknown.length >= mostUnknown || this.#spent > pathBudget) return;
    const path = pathOf({ up: place, holder: object, step: key });
    this.#spent += path.length;
    this.unknown.push({ path, at: this.#written?.order.get(object)?.get(key) ?? this.unknown.length });
  }

  /** Schemas inside schemas are read by code of their own, which drops what it does not know without a word. */
  #quietly<T>(read: () => T): T {
    const before = this.#silent;
    this.#silent = true;
    try {
      return read();
    } finally {
      this.#silent = before;
    }
  }
}

const schema = "apiextensions.JSONSchemaProps";
const text: FieldType = { of: "scalar", scalar: "string" };

const integers = {
  int32: [true, 32],
  int64: [true, 64],
  uint32: [false, 32],
  uint64: [false, 64],
} as const;

/** What a null is where something has to be: an item of a list, a value of a map. */
function zero(type: FieldType): Json {
  if (type.of === "scalar")
    return type.scalar === "bool" ? false : type.scalar === "string" || type.scalar === "bytes" ? "" : 0;
  if (type.of === "list") return [];
  if (type.of === "map") return {};
  const form = formOf(type.message);
  if (form === "quantity") return "0";
  if (form === "int-or-string") return 0;
  if (form === "strings") return [];
  return form === "struct" ? {} : null;
}

/** `spec.containers[0].image` */
function pathOf(place: Place): string {
  let out = "";
  for (let here: Place | undefined = place; here !== undefined; here = here.up)
    out = typeof here.step === "number" ? `[${here.step}]${out}` : `.${here.step}${out}`;
  return out.slice(1);
}

function mismatch(value: Json, place: Place | undefined, go: string, number?: string): ValueError {
  const what = `json: cannot unmarshal ${goKind(value)}${number === undefined ? "" : ` ${number}`} into Go`;
  const fields: string[] = [];
  let owner: string | undefined;
  for (let here = place; here !== undefined; here = here.up) {
    if (here.owner === undefined) continue;
    owner ??= here.owner;
    fields.unshift(`${here.through ?? ""}${here.step}`);
  }
  if (owner === undefined) return new ValueError(`${what} value of type ${go}`);
  return new ValueError(`${what} struct field ${shortName(owner)}.${fields.join(".")} of type ${go}`);
}

/** Go's word for the kind of a JSON value. */
export function goKind(value: Json): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  return typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "number" : typeof value;
}
