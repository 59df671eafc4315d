// Continue tokens: where the next page of a list begins, and at which revision. A client may send anything in its place.
import { parseJson } from "../decode/json.ts";
import { isObject, type Json } from "../json.ts";
import { badRequest } from "../status.ts";

export interface ContinueToken {
  /** The revision to read at; undefined is the newest. */
  readonly revision: number | bigint | undefined;
  /** Keys behind this one only. */
  readonly after: string;
}

const version = "meta.k8s.io/v1";

export function encodeToken(revision: number, prefix: string, key: string): string {
  const start = `${key.slice(prefix.length)}\u0000`;
  return Buffer.from(JSON.stringify({ v: version, rv: revision, start })).toString("base64url");
}

/** Throws what the real server answers to a token that is not one of its own. */
export function decodeToken(text: string, prefix: string): ContinueToken {
  const { v, rv, start } = fieldsOf(text);
  if (v !== version) throw bad(`server does not recognize this encoded version ${v}`);
  if (BigInt(rv) === 0n) throw bad(`incorrect encoded start resourceVersion (version ${version})`);
  if (start === "") throw bad(`encoded start key empty (version ${version})`);
  const key = start.startsWith("/") ? start.slice(1) : start;
  if (key.split("/").some((part) => part === "." || part === ".." || part === "")) throw bad(start);
  return { revision: rv < 0 ? undefined : rv, after: `${prefix}${before(key)}` };
}

const bad = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);

interface Fields {
  v: string;
  rv: number | bigint;
  start: string;
}

/** The fields as Go reads them into its struct: names in any case, null is no value, the first wrong type is told. */
function fieldsOf(text: string): Fields {
  const illegal = illegalAt(text);
  if (illegal !== undefined) throw bad(`illegal base64 data at input byte ${illegal}`);
  const { value, numbers } = parsed(text);
  const fields: Fields = { v: "", rv: 0, start: "" };
  if (value === null) return fields;
  const into = (given: Json, place: string) => bad(`json: cannot unmarshal ${goType(given)} into Go ${place}`);
  if (!isObject(value)) throw into(value, "value of type storage.continueToken");
  for (const [name, given] of Object.entries(value)) {
    const field = name.toLowerCase();
    if (given === null) continue;
    if (field === "v" || field === "start") {
      if (typeof given !== "string") throw into(given, `struct field continueToken.${field} of type string`);
      fields[field] = given;
    } else if (field === "rv") {
      const place = "struct field continueToken.rv of type int64";
      const written = numbers.get(value)?.get(name); // of a number that is no int64
      if (written !== undefined) throw bad(`json: cannot unmarshal number ${written} into Go ${place}`);
      if (typeof given !== "number" && typeof given !== "bigint") throw into(given, place);
      fields.rv = given;
    }
  }
  return fields;
}

function parsed(text: string): ReturnType<typeof parseJson> {
  try {
    return parseJson(Buffer.from(text, "base64url"));
  } catch (error) {
    throw bad(error instanceof Error ? error.message : String(error));
  }
}

/** Where the text stops being base64 without padding. */
function illegalAt(text: string): number | undefined {
  const at = text.search(/[^\w\r\n-]/);
  if (at >= 0) return at;
  return text.replace(/[\r\n]/g, "").length % 4 === 1 ? text.length - 1 : undefined;
}

function goType(value: Json): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value === "bigint" ? "number" : typeof value;
}

/** A page begins at its start key. The tokens of a list name the first key that can follow the last one. */
function before(key: string): string {
  if (key.endsWith("\u0000")) return key.slice(0, -1);
  return `${key.slice(0, -1)}${String.fromCharCode(key.charCodeAt(key.length - 1) - 1)}\uffff`;
}
