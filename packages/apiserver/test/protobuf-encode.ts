// Writes JSON of built-in kinds as Kubernetes' protobuf: the reverse of `protobuf.ts`.
import { type FieldType, message, type Scalar } from "@telltale/kinds/core";
import { formOf } from "../src/decode/fields.ts";
import { messageName } from "../src/decode/message-name.ts";
import { magic } from "../src/decode/protobuf.ts";
import { isObject, type Json, type JsonObject, stringify, text } from "../src/json.ts";
import { WireWriter } from "./wire-writer.ts";

/** An object in its envelope; undefined when the table does not know its kind. */
export function encodeProtobuf(object: JsonObject): Uint8Array | undefined {
  const apiVersion = text(object["apiVersion"]);
  const kind = text(object["kind"]);
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/", 2) : ["", apiVersion];
  const name = messageName(group, version, kind);
  return name === undefined ? undefined : encodeEnvelope(apiVersion, kind, encodeWire(object, name));
}

function encodeEnvelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const type = new WireWriter();
  type.bytes(1, utf8(apiVersion));
  type.bytes(2, utf8(kind));
  const envelope = new WireWriter();
  envelope.bytes(1, type.finish());
  envelope.bytes(2, raw);
  envelope.bytes(3, utf8(""));
  envelope.bytes(4, utf8(""));
  return Buffer.concat([magic, envelope.finish()]);
}

/** One message without its envelope. */
function encodeWire(object: JsonObject, name: string): Uint8Array {
  const out = new WireWriter();
  for (const field of message(name)?.fields ?? []) {
    if (field.inline && field.type.of === "message") {
      out.bytes(field.number, encodeWire(object, field.type.message));
      continue;
    }
    const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    if (value === undefined || value === null) continue;
    if (field.type.of === "list") {
      for (const item of Array.isArray(value) ? value : []) encodeValue(out, field.number, item, field.type.item);
    } else if (field.type.of === "map") {
      for (const [key, inner] of Object.entries(isObject(value) ? value : {})) {
        const entry = new WireWriter();
        entry.bytes(1, utf8(key));
        encodeValue(entry, 2, inner, field.type.value);
        out.bytes(field.number, entry.finish());
      }
    } else encodeValue(out, field.number, value, field.type);
  }
  return out.finish();
}

function encodeValue(out: WireWriter, number: number, value: Json, type: FieldType): void {
  if (type.of === "message") out.bytes(number, encodeForm(value, type.message));
  else if (type.of === "scalar") encodeScalar(out, number, value, type.scalar);
}

function encodeScalar(out: WireWriter, number: number, value: Json, scalar: Scalar): void {
  if (scalar === "string") out.bytes(number, utf8(text(value)));
  else if (scalar === "bytes") out.bytes(number, Buffer.from(text(value), "base64"));
  else if (scalar === "bool") out.varint(number, value === true ? 1n : 0n);
  else if (scalar === "double") out.double(number, Number(value));
  else out.varint(number, integer(value));
}

function encodeForm(value: Json, name: string): Uint8Array {
  const form = formOf(name);
  if (form === "struct") return encodeWire(isObject(value) ? value : {}, name);
  const out = new WireWriter();
  const schemas = (number: number, from: readonly Json[]): void => {
    for (const one of from) if (isObject(one)) out.bytes(number, encodeWire(one, "apiextensions.JSONSchemaProps"));
  };
  const strings = (number: number, from: Json): void => {
    for (const one of Array.isArray(from) ? from : []) out.bytes(number, utf8(text(one)));
  };
  switch (form) {
    case "time":
    case "micro": {
      const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
      if (Number.isNaN(ms)) break;
      const micros = /\.(\d{6})Z$/.exec(text(value))?.[1] ?? "0";
      out.varint(1, BigInt(Math.floor(ms / 1000)));
      out.varint(2, form === "micro" ? BigInt(micros) * 1000n : 0n);
      break;
    }
    case "quantity":
      out.bytes(1, utf8(String(value)));
      break;
    case "int-or-string":
      out.varint(1, typeof value === "string" ? 1n : 0n);
      out.varint(2, integer(value));
      out.bytes(3, utf8(text(value)));
      break;
    case "raw":
      if (value !== null) out.bytes(1, utf8(stringify(value)));
      break;
    case "or-bool":
      out.varint(1, value === true || isObject(value) ? 1n : 0n);
      schemas(2, [value]);
      break;
    case "or-array":
      if (Array.isArray(value)) schemas(2, value);
      else schemas(1, [value]);
      break;
    case "or-strings":
      schemas(1, [value]);
      strings(2, value);
      break;
    case "strings":
      strings(1, value);
      break;
  }
  return out.finish();
}

const integer = (value: Json): bigint =>
  typeof value === "bigint" ? value : typeof value === "number" && Number.isInteger(value) ? BigInt(value) : 0n;

const encoder = new TextEncoder();
const utf8 = (value: string): Uint8Array => encoder.encode(value);
