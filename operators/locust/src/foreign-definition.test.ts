import { toCrd } from "@telltale/kinds";
import type { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { foreignDefinition } from "./foreign-definition.ts";
import { LocustTest } from "./kinds/locust-test.ts";

/** A definition of that name with these fields in the spec of v1. */
function definition(fields: Record<string, object>, name = "locusttests.locust.io"): CustomResourceDefinition {
  const own = toCrd(LocustTest);
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties: fields } } };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  return { ...own, metadata: { name }, spec: { ...own.spec, versions } };
}

test("nothing, our own definition and that of the operator before us can be replaced", () => {
  expect(foreignDefinition(undefined)).toBeUndefined();
  expect(foreignDefinition(toCrd(LocustTest))).toBeUndefined();
  expect(foreignDefinition(definition({ masterCommandSeed: { type: "string" } }))).toBeUndefined();
});

test("the definition of the Locust project's operator is another's, and the message says what to do", () => {
  const message = foreignDefinition(definition({ workers: {}, args: {}, locustfile: {} }));
  expect(message).toContain("locusttests.locust.io belongs to another operator: its v1 has no masterCommandSeed");
  expect(message).toContain("Install this operator in another cluster, or remove the other one");
  expect(foreignDefinition(definition({}))).toBe(message); // a v1 that says nothing of its fields
  expect(foreignDefinition(definition({ constructor: {} }))).toBe(message);
});

test("a definition of another name is nobody's business", () => {
  expect(foreignDefinition(definition({ workers: {} }, "loadtests.locust.io"))).toBeUndefined();
});

test("a definition without v1 is not the other operator's", () => {
  const { spec, ...rest } = toCrd(LocustTest);
  const v2 = spec.versions.filter(({ name }) => name === "v2");
  expect(foreignDefinition({ ...rest, spec: { ...spec, versions: v2 } })).toBeUndefined();
});
