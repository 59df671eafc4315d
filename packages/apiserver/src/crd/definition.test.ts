import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { StatusError } from "../status.ts";
import { crdWarnings, defaultCrd, prepareCrdCreate, prepareCrdUpdate, validateCrd } from "./definition.ts";
import type { Schema } from "./schema.ts";

const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
const version = (schema: Schema, more: JsonObject = {}): JsonObject => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema as unknown as Json },
  ...more,
});
const withSpec = (properties: Record<string, Schema>): Schema => ({
  type: "object",
  properties: { spec: { type: "object", properties } },
});
const crd = (spec: JsonObject, meta: JsonObject = {}): JsonObject =>
  prepareCrdCreate(
    defaultCrd({
      metadata: { name: "widgets.g.example.com", ...meta },
      spec: { group: "g.example.com", names, scope: "Namespaced", ...spec },
    }),
  );
const told = (object: JsonObject, old?: JsonObject) => validateCrd(object, old).map((e) => `${e.field}: ${e.body}`);
const root = "spec.validation.openAPIV3Schema";
const ofSchema = (schema: Schema, more: JsonObject = {}) => told(crd({ versions: [version(schema, more)] }));
const ofField = (schema: Schema) =>
  ofSchema(withSpec({ a: schema })).map((t) => t.replace(`${root}.properties[spec].properties[a]`, "a"));

// Each answer was asked of a v1.36 server.
describe("schemas", () => {
  test.each<[Schema, string[]]>([
    [{}, ["a.type: Required value: must not be empty for specified object fields"]],
    [{ type: "array" }, ["a.items: Required value: must be specified"]],
    [{ type: "array", items: {} }, ["a.items.type: Required value: must not be empty for specified array items"]],
    [{ type: "integer", "x-kubernetes-int-or-string": true }, []],
    [
      { type: "object", "x-kubernetes-preserve-unknown-fields": false },
      ["a.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
    ],
    [
      { "x-kubernetes-embedded-resource": true },
      [
        "a.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
        "a.type: Required value: must be object if x-kubernetes-embedded-resource is true",
      ],
    ],
    [
      { type: "string", "x-kubernetes-map-type": "atomic" },
      ['a.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified'],
    ],
    [{ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }, []],
    [
      {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { minimum: 1 }],
      },
      [],
    ],
    [
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] },
      [
        "a.anyOf[0].type: Forbidden: must be empty to be structural",
        "a.anyOf[1].type: Forbidden: must be empty to be structural",
      ],
    ],
    [
      { type: "object", oneOf: [{ additionalProperties: { minLength: 1 } }] },
      ["a.oneOf[0].additionalProperties: Forbidden: must be undefined to be structural"],
    ],
    [{ type: "object", $schema: "x" }, [`${root}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`]],
    [
      { type: "array", items: { type: "string", nullable: true }, "x-kubernetes-list-type": "set" },
      ["a.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set"],
    ],
    [
      { type: "string", pattern: "(?=a)" },
      [
        'a.pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ],
    ],
    [
      { type: "array", items: { type: "integer" }, default: [1, "x"] },
      ['a.default.[1]: Invalid value: "string": [1] in body must be of type integer: "string"'],
    ],
    [
      { type: "object", additionalProperties: { type: "integer" }, default: { k: "v" } },
      ['a.default.k: Invalid value: "string": .k in body must be of type integer: "string"'],
    ],
    [
      { type: "object", properties: { x: { type: "string" } }, default: { x: null } },
      ['a.default.x: Invalid value: "null": x in body must be of type string: "null"'],
    ],
    [
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { metadata: { type: "object", properties: { name: { type: "string", default: "a/b" } } } },
      },
      [
        'a.properties[metadata].properties[name].default: Invalid value: "a/b": must result in valid metadata: metadata.name: Invalid value: "a/b": may not contain \'/\'',
      ],
    ],
  ])("%j", (schema, errors) => {
    expect(ofField(schema)).toEqual(errors);
  });

  test("the root is an object without additionalProperties", () => {
    expect(ofSchema({ properties: {} })).toEqual([`${root}.type: Required value: must not be empty at the root`]);
    expect(ofSchema({ type: "string" })).toEqual([`${root}.type: Invalid value: "string": must be object at the root`]);
    expect(ofSchema({ type: "object", additionalProperties: { type: "string" } })).toEqual([
      `${root}.additionalProperties: Forbidden: must not be used at the root`,
    ]);
  });

  test("errors of versions that differ name the version", () => {
    const versions = [version(withSpec({ a: {} })), version(withSpec({ b: {} }), { name: "v2", storage: false })];
    const detail = "Required value: must not be empty for specified object fields";
    expect(told(crd({ versions }))).toEqual([
      `spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].type: ${detail}`,
      `spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[b].type: ${detail}`,
    ]);
  });

  test("rules are compiled when the rest of the schema stands", () => {
    const asked: string[] = [];
    const checkRules = (_: Schema, path: string) => {
      asked.push(path);
      return [{ type: "FieldValueInvalid" as const, field: path, body: "no" }];
    };
    expect(validateCrd(crd({ versions: [version(withSpec({ a: {} }))] }), undefined, { checkRules })).toHaveLength(1);
    expect(asked).toEqual([]);
    expect(validateCrd(crd({ versions: [version(withSpec({}))] }), undefined, { checkRules })).toMatchObject([
      { body: "no" },
    ]);
    expect(asked).toEqual([root]);
  });

  test("a schema of 10,000 levels is refused, not walked", () => {
    let deep: Schema = { type: "string" };
    for (let i = 0; i < 10_000; i++) deep = { type: "object", properties: { a: deep } };
    expect(() => ofField(deep)).toThrow(StatusError);
  });
});

describe("the rest of a CRD", () => {
  const versions = [version(withSpec({ a: { type: "string" } }))];
  const webhook = (clientConfig: JsonObject, conversionReviewVersions: Json = ["v1"]) =>
    told(crd({ versions, conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions } } }));
  const client = "spec.conversion.webhookClientConfig";

  test("conversion wants one address, https, and a version that the server speaks", () => {
    expect(told(crd({ versions, conversion: { strategy: "Webhook" } }))).toEqual([
      `${client}: Required value: required when strategy is set to Webhook`,
      "spec.conversion.conversionReviewVersions: Required value",
    ]);
    expect(webhook({}, ["v2"])).toEqual([
      `${client}: Required value: exactly one of url or service is required`,
      'spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
    ]);
    expect(webhook({ url: "http://x" })).toEqual([
      `${client}.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
    ]);
    expect(webhook({ url: "https://u:p@x/?q#f" })).toEqual([
      `${client}.url: Invalid value: "u:p": user information is not permitted in the URL`,
      `${client}.url: Invalid value: "f": fragments are not permitted in the URL`,
      `${client}.url: Invalid value: "q": query parameters are not permitted in the URL`,
    ]);
    expect(webhook({ service: { name: "a", namespace: "b", path: "x", port: 0 } })).toEqual([
      `${client}.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive`,
      `${client}.service.path: Invalid value: "x": must start with a '/'`,
      `${client}.service.path: Invalid value: "x": segment[0] may not be empty`,
    ]);
  });

  test("at most eight selectable fields, no arrays", () => {
    const letters = [..."abcdefghi"];
    const schema = withSpec(Object.fromEntries(letters.map((l) => [l, { type: "string" }])));
    const selectable = (paths: string[]) =>
      ofSchema(schema, { selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
    expect(selectable(letters.map((l) => `.spec.${l}`))).toEqual([
      "spec.selectableFields: Too many: 9: must have at most 8 items",
    ]);
    expect(selectable([".spec[", "."])).toEqual([
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec[": is an invalid path: array notation is not allowed',
      'spec.selectableFields[1].jsonPath: Invalid value: ".": is an invalid path: unexpected end of JSON path',
    ]);
  });

  test("a deprecation warning belongs to a deprecated version", () => {
    expect(ofSchema(withSpec({}), { deprecationWarning: "x" })).toEqual([
      'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
    ]);
  });

  test.each([
    ["unapproved, x", []],
    ["https://x/y", []],
    [
      "bogus",
      [
        'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "bogus": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
  ])("a community group with the approval %j", (annotation, errors) => {
    const annotations = { "api-approved.kubernetes.io": annotation };
    const object = crd({ versions, group: "x.k8s.io" }, { name: "widgets.x.k8s.io", annotations });
    expect(told(object)).toEqual(errors);
    // What stays as it was is not refused.
    expect(told(object, object)).toEqual([]);
  });

  test("formats that the server does not know are warned about when they are new", () => {
    const old = crd({
      versions: [
        version(withSpec({ a: { type: "string", format: "bogus" }, b: { type: "string", format: "datetime" } })),
      ],
    });
    const next = crd({
      versions: [
        version(withSpec({ a: { type: "string", format: "bogus" }, c: { type: "integer", format: "uint32" } })),
      ],
    });
    expect(crdWarnings(old)).toEqual(['unrecognized format "bogus"']);
    expect(crdWarnings(next, old)).toEqual(['unrecognized format "uint32"']);
  });

  test("V36 storedVersions grows with the storage version and keeps versions alive", () => {
    const two = (storage: string) =>
      ["v1", "v2"].map((name) => version(withSpec({}), { name, storage: name === storage }));
    const old = crd({ versions: two("v1") });
    const next = prepareCrdUpdate(crd({ versions: two("v2") }), old);
    expect(next["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
    const removed = prepareCrdUpdate(crd({ versions: [version(withSpec({}), { name: "v2" })] }), next);
    expect(told(removed, next)).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
    expect(defaultCrd({ ...next, status: { storedVersions: [] } })["status"]).toEqual({ storedVersions: ["v2"] });
    expect(defaultCrd({ ...next, status: { storedVersions: ["v9"] } })["status"]).toEqual({ storedVersions: ["v9"] });
  });
});
