// TypeBox's builders, as far as kinds are made of them, with TypeBox's own types and none of its run time: loading that takes
// longer than starting a server. A schema made by TypeBox itself works just as well.
import type TypeBox from "typebox";
import type { TObject, TProperties, TSchema } from "typebox";

type Names =
  | "Object"
  | "String"
  | "Integer"
  | "Number"
  | "Boolean"
  | "Array"
  | "Record"
  | "Unsafe"
  | "Optional"
  | "Partial"
  | "Union"
  | "Literal"
  | "Intersect"
  | "Null"
  | "Unknown";

type Loose = Record<string, unknown>;
type Options = Loose | undefined;

const optional = "~optional";

/** TypeBox tells optional members by a hidden mark. */
function marked(schema: TSchema): TSchema {
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema));
  return Object.defineProperty(copy, optional, { value: true, enumerable: false, configurable: true });
}

const isOptional = (schema: TSchema): boolean => (schema as Loose)[optional] === true;

function object(properties: TProperties, options: Options = {}): TSchema {
  const required = Object.entries(properties).flatMap(([name, schema]) => (isOptional(schema) ? [] : [name]));
  return { type: "object", ...(required.length === 0 ? {} : { required }), properties, ...options };
}

const light = {
  Object: object,
  String: (options: Options = {}) => ({ type: "string", ...options }),
  Integer: (options: Options = {}) => ({ type: "integer", ...options }),
  Number: (options: Options = {}) => ({ type: "number", ...options }),
  Boolean: (options: Options = {}) => ({ type: "boolean", ...options }),
  Array: (items: TSchema, options: Options = {}) => ({ type: "array", items, ...options }),
  Record: (_: TSchema, value: TSchema, options: Options = {}) => ({
    type: "object",
    patternProperties: { "^.*$": value },
    ...options,
  }),
  Unsafe: (schema: TSchema) => ({ ...schema }),
  Optional: marked,
  Partial: ({ properties, required: _, ...options }: TObject) =>
    object(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, marked(schema)])), options),
  Union: (anyOf: readonly TSchema[], options: Options = {}) => ({ anyOf, ...options }),
  Literal: (value: string | number | boolean, options: Options = {}) => ({
    type: typeof value,
    const: value,
    ...options,
  }),
  Intersect: (allOf: readonly TSchema[], options: Options = {}) => ({ allOf, ...options }),
  Null: (options: Options = {}) => ({ type: "null", ...options }),
  Unknown: (options: Options = {}) => ({ ...options }),
};

/** `Type.Object({ … })` and the other builders. */
// What is built has the form that TypeBox gives it; `type.test.ts` compares the two.
export const Type = light as unknown as Pick<typeof TypeBox, Names>;
