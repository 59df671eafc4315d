// Kubernetes' protobuf: the envelope, and messages of the type table as the JSON they stand for.
import { type FieldType, message, type Scalar } from "@telltale/kinds/core";
import { isObject, type Json, type JsonObject, put } from "../json.ts";
import { formOf } from "./fields.ts";
import { parseJson } from "./json.ts";
import { messageName } from "./message-name.ts";
import { readFields, WireError, type WireValue } from "./wire.ts";

/** `k8s` and a zero. */
export const magic: Uint8Array = Uint8Array.of(0x6b, 0x38, 0x73, 0);

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Opens the envelope. Throws a `WireError` with the server's text. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new WireError("empty data");
  if (!magic.every((byte, i) => bytes[i] === byte))
    throw new WireError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  if (bytes.length === magic.length) throw new WireError("empty body");
  let apiVersion = "";
  let kind = "";
  let raw: Uint8Array = new Uint8Array();
  for (const { number, value } of readFields(bytes.subarray(magic.length))) {
    if (value.as !== "bytes") continue;
    if (number === 2) raw = value.value;
    if (number !== 1) continue;
    for (const inner of readFields(value.value)) {
      if (inner.number === 1) apiVersion = text(inner.value);
      if (inner.number === 2) kind = text(inner.value);
    }
  }
  return { apiVersion, kind, raw };
}

/** An enveloped object as JSON, with its apiVersion and kind; undefined when the table does not know the kind. */
export function decodeProtobuf(bytes: Uint8Array): JsonObject | undefined {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  const name = messageName(group ?? "", version ?? "", kind);
  return name === undefined ? undefined : { kind, apiVersion, ...decodeWire(raw, name) };
}

// Only schemas hold themselves; a deeper one is an attack on the stack.
const maxDepth = 1000;

/** One message of the table as JSON. What the wire has but the table has not is skipped. */
export function decodeWire(bytes: Uint8Array, name: string, depth = 0): JsonObject {
  if (depth > maxDepth) throw new WireError("proto: nesting too deep");
  const out: JsonObject = {};
  const fields = new Map((message(name)?.fields ?? []).map((field) => [field.number, field]));
  for (const { number, value } of readFields(bytes)) {
    const field = fields.get(number);
    if (field === undefined) continue;
    if (field.inline && field.type.of === "message") {
      for (const [key, inner] of Object.entries(decodeWire(content(value), field.type.message, depth + 1)))
        put(out, key, inner);
      continue;
    }
    const before = Object.hasOwn(out, field.name) ? out[field.name] : undefined;
    if (field.type.of === "list") {
      const list = Array.isArray(before) ? before : [];
      list.push(decodeValue(value, field.type.item, depth) ?? null);
      put(out, field.name, list);
    } else if (field.type.of === "map") {
      const map: JsonObject = isObject(before) ? before : {};
      const [key, inner] = decodeEntry(content(value), field.type.value, depth);
      put(map, key, inner);
      put(out, field.name, map);
    } else {
      const decoded = decodeValue(value, field.type, depth);
      if (decoded !== undefined && (field.pointer || field.always || !isZero(decoded))) put(out, field.name, decoded);
    }
  }
  return out;
}

function decodeEntry(bytes: Uint8Array, type: FieldType, depth: number): [string, Json] {
  let key = "";
  let inner: Json | undefined;
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) key = text(value);
    if (number === 2) inner = decodeValue(value, type, depth);
  }
  return [key, inner ?? decodeValue({ as: "bytes", value: new Uint8Array() }, type, depth) ?? null];
}

function decodeValue(value: WireValue, type: FieldType, depth: number): Json | undefined {
  if (type.of === "scalar") return decodeScalar(value, type.scalar);
  if (type.of !== "message") throw new WireError("proto: a list inside a list");
  return decodeForm(content(value), type.message, depth + 1);
}

/** A message in the form its JSON has; undefined where that is nothing. */
function decodeForm(bytes: Uint8Array, name: string, depth: number): Json | undefined {
  const form = formOf(name);
  if (form === "struct") return decodeWire(bytes, name, depth);
  const parts = new Map<number, WireValue[]>();
  for (const { number, value } of readFields(bytes)) parts.set(number, [...(parts.get(number) ?? []), value]);
  const last = (number: number): WireValue | undefined => parts.get(number)?.at(-1);
  const schemaIn = (number: number): Json[] =>
    (parts.get(number) ?? []).map((value) => decodeWire(content(value), schema, depth));
  switch (form) {
    case "time":
    case "micro": {
      const seconds = integer(last(1));
      const nanos = Number(BigInt.asIntN(32, integer(last(2))));
      return bytes.length === 0 ? undefined : moment(seconds, nanos, form === "micro");
    }
    case "quantity":
      return text(last(1)) || "0";
    case "int-or-string":
      return integer(last(1)) === 0n ? Number(BigInt.asIntN(32, integer(last(2)))) : text(last(3));
    case "raw": {
      const raw = last(1);
      return raw === undefined || content(raw).length === 0 ? undefined : parseJson(content(raw)).value;
    }
    case "or-bool":
      return schemaIn(2).at(-1) ?? integer(last(1)) !== 0n;
    case "or-array":
      return schemaIn(1).at(-1) ?? schemaIn(2);
    case "or-strings":
      return schemaIn(1).at(-1) ?? (parts.get(2) ?? []).map(text);
    case "strings":
      return (parts.get(1) ?? []).map(text);
  }
}

const schema = "apiextensions.JSONSchemaProps";

function decodeScalar(value: WireValue, scalar: Scalar): Json {
  switch (scalar) {
    case "string":
      return text(value);
    case "bytes":
      return Buffer.from(content(value)).toString("base64");
    case "bool":
      return integer(value) !== 0n;
    case "double":
      if (value.as !== "fixed" || value.value.length !== 8) throw wrongType();
      return new DataView(value.value.buffer, value.value.byteOffset, 8).getFloat64(0, true);
    case "int32":
      return Number(BigInt.asIntN(32, integer(value)));
    case "uint32":
      return Number(BigInt.asUintN(32, integer(value)));
    case "int64":
      return narrow(BigInt.asIntN(64, integer(value)));
    case "uint64":
      return narrow(integer(value));
  }
}

const narrow = (value: bigint): Json =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;

const isZero = (value: Json): boolean => value === "" || value === 0 || value === false;

const wrongType = (): WireError => new WireError("proto: wrong wireType");

function content(value: WireValue): Uint8Array {
  if (value.as !== "bytes") throw wrongType();
  return value.value;
}

function integer(value: WireValue | undefined): bigint {
  if (value === undefined) return 0n;
  if (value.as !== "varint") throw wrongType();
  return value.value;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const text = (value: WireValue | undefined): string => (value === undefined ? "" : utf8.decode(content(value)));

const mostMs = 8_640_000_000_000_000n;

function moment(seconds: bigint, nanos: number, micro: boolean): string {
  const ms = BigInt.asIntN(64, seconds) * 1000n;
  if (ms > mostMs || ms < -mostMs) throw new WireError("proto: a time beyond all calendars");
  const whole = new Date(Number(ms)).toISOString().slice(0, -5);
  return micro
    ? `${whole}.${String(Math.floor(Math.abs(nanos) / 1000))
        .padStart(6, "0")
        .slice(0, 6)}Z`
    : `${whole}Z`;
}
