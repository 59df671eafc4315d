import TypeBox from "typebox";
import { expect, it } from "vitest";
import { Type } from "./type.ts";

const built = (type: typeof Type) => ({
  object: type.Object({ a: type.String({ maxLength: 3 }), b: type.Optional(type.Integer()) }, { description: "x" }),
  empty: type.Object({}),
  allOptional: type.Object({ a: type.Optional(type.Number()) }),
  partial: type.Partial(type.Object({ a: type.Boolean(), b: type.Number() })),
  list: type.Array(type.String(), { maxItems: 2 }),
  map: type.Record(type.String(), type.Integer()),
  union: type.Union([type.Literal("A"), type.Literal(2), type.Literal(true), type.Null()]),
  intersect: type.Intersect([type.Object({ a: type.String() }), type.Object({ b: type.String() })]),
  unsafe: type.Unsafe<number>({ type: "integer", "x-kubernetes-int-or-string": true }),
  unknown: type.Unknown(),
});

it("what is built looks as TypeBox builds it", () => {
  expect(JSON.parse(JSON.stringify(built(Type)))).toEqual(
    JSON.parse(JSON.stringify(built(TypeBox as unknown as typeof Type))),
  );
});

it("members made by one are understood by the other", () => {
  const mixed = { a: TypeBox.Optional(TypeBox.String()), b: Type.String() };
  expect(JSON.stringify(Type.Object(mixed))).toBe(JSON.stringify(TypeBox.Object(mixed)));
});
