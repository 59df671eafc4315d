// The v2 document in the protobuf form that old clients read (gnostic's OpenAPI v2 messages). Only what we write is encoded.
import { isObject, type Json, type JsonObject, stringify } from "../json.ts";

export function encodeV2(document: JsonObject): Uint8Array {
  const m = new Encoder();
  m.text(1, document["swagger"]);
  m.message(2, (i) => {
    i.text(1, field(document, "info", "title"));
    i.text(2, field(document, "info", "version"));
  });
  m.message(8, (paths) => {
    for (const [name, item] of members(document["paths"])) named(paths, 2, name, (value) => pathItem(value, item));
  });
  m.message(9, (definitions) => {
    for (const [name, s] of members(document["definitions"])) named(definitions, 1, name, (value) => schema(value, s));
  });
  return m.bytes();
}

/** Writes fields one after another. Nested messages are written first, as their length comes before them. */
class Encoder {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts, this.#length);
  }

  text(number: number, value: Json | undefined): void {
    if (typeof value === "string") this.#delimited(number, Buffer.from(value));
  }

  flag(number: number, value: Json | undefined): void {
    if (value === true) this.#add(varint(number * 8), varint(1));
  }

  whole(number: number, value: Json | undefined): void {
    if (typeof value === "number") this.#add(varint(number * 8), varint(value));
  }

  double(number: number, value: Json | undefined): void {
    if (typeof value !== "number") return;
    const fixed = Buffer.alloc(8);
    fixed.writeDoubleLE(value);
    this.#add(varint(number * 8 + 1), fixed);
  }

  /** Any value as text; JSON is YAML. */
  any(number: number, value: Json | undefined): void {
    if (value !== undefined) this.message(number, (any) => any.text(2, stringify(value)));
  }

  message(number: number, write: (m: Encoder) => void): void {
    const inner = new Encoder();
    write(inner);
    this.#delimited(number, inner.bytes());
  }

  #delimited(number: number, bytes: Uint8Array): void {
    this.#add(varint(number * 8 + 2), varint(bytes.length), bytes);
  }

  #add(...parts: Uint8Array[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#length += part.length;
    }
  }
}

/** A whole number of at least zero; by division, as lengths may pass 31 bits. */
function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = Math.max(0, Math.trunc(value));
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return Uint8Array.from(out);
}

const field = (value: Json | undefined, ...path: string[]): Json | undefined =>
  path.reduce<Json | undefined>((here, name) => (isObject(here) ? here[name] : undefined), value);

const members = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : []);
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

function named(m: Encoder, number: number, name: string, write: (value: Encoder) => void): void {
  m.message(number, (pair) => {
    pair.text(1, name);
    pair.message(2, write);
  });
}

function extensions(m: Encoder, number: number, value: Json): void {
  for (const [name, inner] of members(value)) {
    if (!name.startsWith("x-")) continue;
    m.message(number, (pair) => {
      pair.text(1, name);
      pair.any(2, inner);
    });
  }
}

const methods: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function pathItem(m: Encoder, item: Json): void {
  for (const [method, number] of Object.entries(methods)) {
    const found = field(item, method);
    if (found !== undefined) m.message(number, (o) => operation(o, found));
  }
  for (const p of list(field(item, "parameters"))) m.message(9, (i) => parameter(i, p));
}

function operation(m: Encoder, o: Json): void {
  m.text(3, field(o, "description"));
  m.text(5, field(o, "operationId"));
  for (const type of list(field(o, "produces"))) m.text(6, type);
  for (const type of list(field(o, "consumes"))) m.text(7, type);
  for (const p of list(field(o, "parameters"))) m.message(8, (i) => parameter(i, p));
  m.message(9, (responses) => {
    for (const [code, response] of members(field(o, "responses"))) {
      named(responses, 1, code, (value) => {
        value.message(1, (r) => {
          r.text(1, field(response, "description"));
          const found = field(response, "schema");
          if (found !== undefined) r.message(2, (item) => item.message(1, (s) => schema(s, found)));
        });
      });
    }
  });
  extensions(m, 13, o);
}

function parameter(item: Encoder, p: Json): void {
  item.message(1, (m) => {
    if (field(p, "in") === "body") {
      m.message(1, (body) => {
        body.text(2, field(p, "name"));
        body.text(3, field(p, "in"));
        body.flag(4, field(p, "required"));
        body.message(5, (s) => schema(s, field(p, "schema") ?? {}));
      });
    } else {
      m.message(2, (other) => other.message(field(p, "in") === "path" ? 4 : 3, (sub) => plainParameter(sub, p)));
    }
  });
}

/** Query and path parameters have the same numbers up to the name; the query's go on one later. */
function plainParameter(m: Encoder, p: Json): void {
  const path = field(p, "in") === "path";
  m.flag(1, field(p, "required"));
  m.text(2, field(p, "in"));
  m.text(3, field(p, "description"));
  m.text(4, field(p, "name"));
  m.text(path ? 5 : 6, field(p, "type"));
  m.flag(path ? 19 : 20, field(p, "uniqueItems"));
}

// Deeper than any schema that is served; see `custom-schemas.ts`.
const deepest = 1000;

function schema(m: Encoder, s: Json, depth = 0): void {
  if (!isObject(s) || depth > deepest) return;
  m.text(1, s["$ref"]);
  m.text(2, s["format"]);
  m.text(3, s["title"]);
  m.text(4, s["description"]);
  m.any(5, s["default"]);
  m.double(6, s["multipleOf"]);
  m.double(7, s["maximum"]);
  m.flag(8, s["exclusiveMaximum"]);
  m.double(9, s["minimum"]);
  m.flag(10, s["exclusiveMinimum"]);
  m.whole(11, s["maxLength"]);
  m.whole(12, s["minLength"]);
  m.text(13, s["pattern"]);
  m.whole(14, s["maxItems"]);
  m.whole(15, s["minItems"]);
  m.whole(17, s["maxProperties"]);
  m.whole(18, s["minProperties"]);
  for (const name of list(s["required"])) m.text(19, name);
  for (const value of list(s["enum"])) m.any(20, value);
  const values = s["additionalProperties"];
  if (isObject(values)) m.message(21, (item) => item.message(1, (inner) => schema(inner, values, depth + 1)));
  else if (values === true) m.message(21, (item) => item.flag(2, true));
  const { type, items } = s;
  if (typeof type === "string") m.message(22, (item) => item.text(1, type));
  if (items !== undefined) m.message(23, (item) => item.message(1, (inner) => schema(inner, items, depth + 1)));
  for (const part of list(s["allOf"])) m.message(24, (inner) => schema(inner, part, depth + 1));
  const properties = members(s["properties"]);
  if (properties.length > 0) {
    m.message(25, (all) => {
      for (const [name, inner] of properties) named(all, 1, name, (value) => schema(value, inner, depth + 1));
    });
  }
  extensions(m, 31, s);
}
