import { describe, expect, test } from "vitest";
import { Gadget } from "../test/gadget.ts";
import { column, wide } from "./columns.ts";
import { conditions, positive, yes } from "./conditions.ts";
import { toCrd } from "./crd.ts";
import { defineKind } from "./kind.ts";
import { Fields, Int32, Optional, Text } from "./schema.ts";
import { version } from "./versions.ts";

const naming = { group: "telltale.test", version: "v2", kind: "Widget" };
const small = defineKind({ ...naming, spec: Fields({ size: Int32() }) });
const spoken = defineKind({
  ...naming,
  spec: Fields({ size: Int32() }),
  conditions: conditions({ Ready: positive({ means: "It works", reasons: { Fine: yes("It is fine") } }) }),
});
const v1 = (more: object = {}) =>
  version({
    name: "v1",
    spec: Fields({ bigness: Int32() }),
    toHub: (o) => ({ ...o, spec: { size: o.spec?.bigness ?? 1 } }),
    fromHub: (o: { metadata: object; apiVersion: string; kind: string }) => ({ ...o, spec: { bigness: 1 } }),
    ...more,
  });
const rulesOf = (schema: object | undefined) =>
  Object.entries(schema ?? {}).find(([key]) => key === "x-kubernetes-validations")?.[1];
const webhook = { service: { namespace: "system", name: "convert", path: "/convert", port: 443 }, caBundle: "Q0E=" };

describe("the CRD of a small kind", () => {
  test("is nothing but what was declared", () => {
    expect(toCrd(small)).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.telltale.test" },
      spec: {
        group: "telltale.test",
        scope: "Namespaced",
        names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
        versions: [
          {
            name: "v2",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                required: ["spec"],
                properties: {
                  apiVersion: { type: "string" },
                  kind: { type: "string" },
                  metadata: { type: "object" },
                  spec: {
                    type: "object",
                    required: ["size"],
                    properties: { size: { type: "integer", format: "int32" } },
                  },
                },
              },
            },
          },
        ],
      },
    });
  });

  test("does not require a spec in which nothing is required", () => {
    const optional = defineKind({ ...naming, spec: Fields({ size: Optional(Int32()) }) });
    expect(toCrd(optional).spec.versions[0]?.schema?.openAPIV3Schema).not.toHaveProperty("required");
  });
});

describe("the CRD", () => {
  const [hub] = toCrd(Gadget).spec.versions;
  const root = hub?.schema?.openAPIV3Schema;

  test("rule 13: has metadata, spec and status at the top, and conditions in the status", () => {
    expect(Object.keys(root?.properties ?? {})).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
    expect(root?.properties?.["status"]?.properties).toHaveProperty("conditions");
  });

  test("rule 32: starts every status at observedGeneration -1", () => {
    expect(root?.properties?.["status"]?.default).toEqual({ observedGeneration: -1 });
  });

  test("rule 62: has a status resource of its own where there is a status", () => {
    expect(hub?.subresources).toEqual({ status: {}, scale: Gadget.scale });
    expect(toCrd(spoken).spec.versions[0]?.subresources).toEqual({ status: {} });
    expect(toCrd(small).spec.versions[0]).not.toHaveProperty("subresources");
  });

  test("has names, labels, rules and selectable fields", () => {
    const { metadata, spec } = toCrd(Gadget);
    expect(metadata?.labels).toEqual({ "example.com/bundle": "one" });
    expect(spec.names).toMatchObject({ shortNames: ["gd"], categories: ["telltale"] });
    expect(root).toMatchObject({ description: Gadget.description, "x-kubernetes-validations": Gadget.rules });
    expect(hub).toMatchObject({ selectableFields: Gadget.selectableFields.map((jsonPath) => ({ jsonPath })) });
  });

  test("writes the priority of a column only where it has one", () => {
    const kind = defineKind({
      ...naming,
      spec: Fields({ a: Text() }),
      columns: [column("A", ".spec.a"), wide("B", ".spec.a")],
    });
    expect(toCrd(kind).spec.versions[0]?.additionalPrinterColumns).toEqual([
      { name: "A", jsonPath: ".spec.a", type: "string" },
      { name: "B", jsonPath: ".spec.a", type: "string", priority: 1 },
    ]);
  });

  test("shares nothing that a caller could change in the kind", () => {
    const before = JSON.stringify(toCrd(Gadget));
    const crd = toCrd(Gadget);
    crd.spec.names.shortNames?.push("x");
    crd.spec.versions.pop();
    expect(JSON.stringify(toCrd(Gadget))).toBe(before);
  });
});

describe("a kind of several versions", () => {
  const kind = defineKind({
    ...naming,
    spec: Fields({ size: Int32() }),
    rules: [{ rule: "self.spec.size > 0", message: "it has a size" }],
    versions: [
      v1({
        deprecated: "use v2",
        columns: [column("Big", ".spec.bigness", "integer")],
        rules: [{ rule: "self.spec.bigness > 0", message: "it has a size" }],
      }),
      v1({ name: "v1beta1", served: false, deprecated: true }),
    ],
  });

  test("serves only the stored one where nothing converts", () => {
    const { conversion, versions } = toCrd(kind).spec;
    expect(conversion).toBeUndefined();
    expect(versions.map((v) => [v.name, v.served, v.storage])).toEqual([
      ["v2", true, true],
      ["v1", false, false],
      ["v1beta1", false, false],
    ]);
  });

  test("serves those that it wants to where a webhook converts", () => {
    const { conversion, versions } = toCrd(kind, { conversion: webhook }).spec;
    expect(conversion).toEqual({
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: webhook },
    });
    expect(versions.map((v) => [v.name, v.served])).toEqual([
      ["v2", true],
      ["v1", true],
      ["v1beta1", false],
    ]);
  });

  test("warns in the words that were given, or in the server's", () => {
    const [, first, second] = toCrd(kind).spec.versions;
    expect(first).toMatchObject({ deprecated: true, deprecationWarning: "use v2" });
    expect(second).toMatchObject({ deprecated: true });
    expect(second).not.toHaveProperty("deprecationWarning");
  });

  test("has the fields, columns and rules of each version in that version", () => {
    const [hub, first, second] = toCrd(kind).spec.versions.map((v) => ({
      fields: Object.keys(v.schema?.openAPIV3Schema?.properties?.["spec"]?.properties ?? {}),
      columns: (v.additionalPrinterColumns ?? []).map(({ name }) => name),
      rules: rulesOf(v.schema?.openAPIV3Schema),
    }));
    expect(hub).toMatchObject({ fields: ["size"], columns: [], rules: [{ rule: "self.spec.size > 0" }] });
    expect(first).toMatchObject({ fields: ["bigness"], columns: ["Big"], rules: [{ rule: "self.spec.bigness > 0" }] });
    expect(second).toEqual({ fields: ["bigness"], columns: [], rules: undefined });
  });

  test("needs no webhook with a single version", () => {
    expect(toCrd(small, { conversion: webhook }).spec.conversion).toBeUndefined();
  });
});
