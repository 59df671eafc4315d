// Reads the type table into messages and fields: what the protobuf codec, strategic merge, apply and `CoreType` look things up in.
// The notation is explained in `type-table.ts`.
import { typeTable } from "./type-table.ts";

export type Scalar = "string" | "int32" | "int64" | "bool" | "bytes" | "double" | "uint32" | "uint64";

export type FieldType =
  | { readonly of: "scalar"; readonly scalar: Scalar }
  | { readonly of: "message"; readonly message: string }
  | { readonly of: "list"; readonly item: FieldType }
  | { readonly of: "map"; readonly value: FieldType }; // keys are strings

export interface Field {
  /** The number in protobuf. */
  readonly number: number;
  /** The name in JSON. `-`: the bytes are the JSON of the whole message. An inline member has a name only here. */
  readonly name: string;
  readonly type: FieldType;
  /** Absent and zero are different things. */
  readonly pointer: boolean;
  /** Written to JSON even when it is zero. */
  readonly always: boolean;
  /** Its fields stand in the parent. In protobuf it is a message of its own. */
  readonly inline: boolean;
  /** In protobuf only: the message writes its JSON itself (a time, a quantity, a list that has a name). */
  readonly wireOnly: boolean;
  /** Strategic merge: items are told apart by this field. */
  readonly mergeKey?: string;
  /** Strategic merge: a list of scalars that is united, not replaced. */
  readonly mergeList?: true;
  /** Strategic merge: members that the patch does not list are dropped. */
  readonly retainKeys?: true;
  /** Apply: a list-map with these keys. */
  readonly listMapKeys?: readonly [string, ...string[]];
  /** Apply: a list of different scalars. */
  readonly set?: true;
  /** Apply: replaced as a whole. Lists that are neither list-maps nor sets, and maps and structs whose field says so. */
  readonly atomic?: true;
  readonly default?: string | number | boolean;
}

export interface Message {
  readonly name: string;
  /** Apply replaces it as a whole, wherever it stands. */
  readonly atomic: boolean;
  readonly fields: readonly Field[];
}

/** All messages of the built-in groups. The table is read on the first call, not on import. */
export function messages(): ReadonlyMap<string, Message> {
  parsed ??= parseTypeTable(typeTable);
  return parsed;
}

let parsed: ReadonlyMap<string, Message> | undefined;

/** The message `core.Volume`, or undefined when there is none of that name. */
export function message(name: string): Message | undefined {
  return messages().get(name);
}

export function parseTypeTable(text: string): ReadonlyMap<string, Message> {
  const found = new Map<string, Message>();
  for (const [i, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const read = parseMessage(line, i + 1);
    if (found.has(read.name)) refuse(i + 1, line, `${read.name} is there twice`);
    found.set(read.name, read);
  }
  return found;
}

const messageName = /^([a-z][a-z0-9]*\.[A-Z]\w*)(\^a)?$/;

function parseMessage(line: string, at: number): Message {
  const [head = "", ...rest] = line.trim().split(" ");
  const [, name, atomic] = messageName.exec(head) ?? [];
  if (name === undefined) return refuse(at, head, "is no name of a message");
  const fields = rest.map((text) => parseField(text, at));
  for (const key of ["number", "name"] as const) {
    if (new Set(fields.map((f) => f[key])).size < fields.length) refuse(at, name, `has a field ${key} twice`);
  }
  return { name, atomic: atomic !== undefined, fields };
}

const fieldShape =
  /^(?<number>[1-9]\d*)(?<inline>\+?)(?<name>-|[A-Za-z$][\w$-]*):(?<type>[^*!?~^=]+)(?<presence>[*!?]?)(?<patch>(?:~\w*)*)(?<apply>(?:\^(?:\([\w,]+\)|[sa]))?)(?:=(?<default>.+))?$/;

function parseField(text: string, at: number): Field {
  const part = fieldShape.exec(text)?.groups;
  if (part === undefined) return refuse(at, text, "is no field");
  const type = parseType(part["type"] ?? "", text, at);
  const field: Field = {
    number: Number(part["number"]),
    name: part["name"] ?? "",
    type,
    pointer: part["presence"] === "*",
    always: part["presence"] === "!",
    inline: part["inline"] === "+",
    wireOnly: part["presence"] === "?",
    ...patchRule(part["patch"] ?? "", text, at),
    ...applyRule(part["apply"] ?? "", type),
    ...(part["default"] === undefined ? {} : { default: parseDefault(part["default"], type, text, at) }),
  };
  const problem = contradiction(field);
  return problem === undefined ? field : refuse(at, text, problem);
}

const scalars: Readonly<Record<string, Scalar>> = {
  s: "string",
  i: "int32",
  l: "int64",
  b: "bool",
  y: "bytes",
  d: "double",
  u: "uint32",
  U: "uint64",
};

function parseType(text: string, field: string, at: number): FieldType {
  const scalar = scalars[text];
  if (scalar !== undefined) return { of: "scalar", scalar };
  const inner = text.slice(1, -1);
  if (text.startsWith("[") && text.endsWith("]")) return { of: "list", item: parseType(inner, field, at) };
  if (text.startsWith("{") && text.endsWith("}")) return { of: "map", value: parseType(inner, field, at) };
  const name = text.slice(1);
  if (text.startsWith("@") && messageName.test(name) && !name.endsWith("^a")) return { of: "message", message: name };
  return refuse(at, field, `has the unknown type ${text}`);
}

type PatchRule = Pick<Field, "mergeKey" | "mergeList" | "retainKeys">;

function patchRule(text: string, field: string, at: number): PatchRule {
  if (text === "") return {};
  const words = text.slice(1).split("~");
  const keys = words.filter((word) => word !== "R");
  const [key] = keys;
  if (keys.length > 1) return refuse(at, field, "has several merge keys");
  return {
    ...(key === "" ? { mergeList: true } : key === undefined ? {} : { mergeKey: key }),
    ...(words.includes("R") ? { retainKeys: true } : {}),
  };
}

type ApplyRule = Pick<Field, "listMapKeys" | "set" | "atomic">;

function applyRule(text: string, type: FieldType): ApplyRule {
  if (text === "^s") return { set: true };
  if (text === "^a") return { atomic: true };
  const [first, ...more] = text === "" ? [] : text.slice(2, -1).split(",");
  if (first !== undefined) return { listMapKeys: [first, ...more] };
  return type.of === "list" ? { atomic: true } : {};
}

function parseDefault(text: string, type: FieldType, field: string, at: number): string | number | boolean {
  const wanted =
    type.of !== "scalar" ? "" : type.scalar === "string" ? "string" : type.scalar === "bool" ? "boolean" : "number";
  try {
    const value: unknown = JSON.parse(text);
    if (
      (typeof value === "string" || typeof value === "number" || typeof value === "boolean") &&
      typeof value === wanted
    ) {
      return value;
    }
  } catch {}
  return refuse(at, field, `has a default that is not of its type`);
}

/** What the notation can say but no field can be. */
function contradiction(f: Field): string | undefined {
  const list = f.type.of === "list";
  if (f.inline && f.type.of !== "message") return "is inline but no message";
  if (f.name === "-" && !(f.type.of === "scalar" && f.type.scalar === "bytes"))
    return "is the whole message but no bytes";
  if ((f.listMapKeys !== undefined || f.set || f.mergeKey !== undefined || f.mergeList) && !list)
    return "merges items but is no list";
  if (f.atomic && f.type.of === "scalar") return "is a scalar, which is atomic anyway";
  if (f.listMapKeys !== undefined && f.type.of === "list" && f.type.item.of !== "message")
    return "is a list-map of scalars";
  return undefined;
}

function refuse(at: number, what: string, problem: string): never {
  throw new Error(`type table, line ${at}: "${what}" ${problem}; correct the line (the notation is in type-table.ts)`);
}
