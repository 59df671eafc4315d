import type * as coreV1 from "kubernetes-types/core/v1.d.ts";
import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { complainOf } from "../errors.ts";
import { described, Fields, Optional, type Static, type TSchema } from "../schema.ts";
import { checkStructural, type Structural, schemaAt, toStructural } from "../structural.ts";
import { CoreType } from "./core-type.ts";
import * as embedded from "./embedded.ts";
import { messages } from "./type-table-parser.ts";

const complain = complainOf("Test");
const structural = (schema: TSchema): Structural => toStructural(schema, "it", complain);
const typed = (name: string): Structural => structural(CoreType(name));

function at(schema: Structural, path: string): Structural {
  let here: Structural | undefined = schema;
  for (const step of path.split(".")) here = here && (step === "[]" ? here.items : schemaAt(here, [step]));
  if (here === undefined) throw new Error(`nothing at ${path}`);
  return here;
}

function walk(schema: Structural, visit: (node: Structural) => void): void {
  visit(schema);
  for (const child of Object.values(schema.properties ?? {})) walk(child, visit);
  if (schema.items !== undefined) walk(schema.items, visit);
  if (schema.additionalProperties !== undefined) walk(schema.additionalProperties, visit);
}

describe.each(Object.entries(embedded))("%s", (_, make) => {
  it("is structural, as a CRD has to be", () => {
    expect(() => checkStructural(structural(make()), "it", complain)).not.toThrow();
  });

  it("has no descriptions, save the one that is asked for", () => {
    const found: string[] = [];
    walk(structural(make({ description: "asked" })), (node) => {
      if (node.description !== undefined) found.push(node.description);
    });
    expect(found).toEqual(["asked"]);
  });
});

describe("CoreType", () => {
  it("gives every message of the table a structural schema", () => {
    for (const name of messages().keys()) checkStructural(typed(name), name, complainOf(name));
  });

  it("fits into a CRD", () => {
    expect(JSON.stringify(embedded.Volume()).length).toBeLessThan(40 * 1024);
    expect(JSON.stringify(embedded.PodTemplateSpec()).length).toBeLessThan(256 * 1024);
  });

  it("keeps the structure of an affinity", () => {
    const affinity = structural(embedded.Affinity());
    const terms = at(affinity, "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    expect(at(terms, "[].matchExpressions.[]")).toEqual({
      type: "object",
      properties: {
        key: { type: "string" },
        operator: { type: "string" },
        values: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
      },
      required: ["key", "operator"],
    });
    const weighted = at(affinity, "podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.[]");
    expect(weighted.required).toEqual(["weight"]);
    expect(at(weighted, "podAffinityTerm").required).toEqual(["topologyKey"]);
    expect(at(weighted, "podAffinityTerm.labelSelector")["x-kubernetes-map-type"]).toBe("atomic");
  });

  it("spreads inline members into their parent", () => {
    const volume = typed("core.Volume");
    expect(volume.required).toEqual(["name"]);
    expect(volume.properties).not.toHaveProperty("volumeSource");
    expect(at(volume, "persistentVolumeClaim").required).toEqual(["claimName"]);
    expect(at(typed("core.Probe"), "httpGet.port")["x-kubernetes-int-or-string"]).toBe(true);
    expect(at(typed("core.EnvVar"), "valueFrom.secretKeyRef")).toMatchObject({
      properties: { name: { type: "string" }, key: { type: "string" } },
      required: ["key"],
      "x-kubernetes-map-type": "atomic",
    });
  });

  it("requires what a user has to give, and no list or struct", () => {
    expect(typed("core.VolumeMount").required).toEqual(["name", "mountPath"]);
    expect(typed("core.HTTPGetAction").required).toEqual(["port"]);
    expect(typed("admissionregistration.MatchCondition").required).toEqual(["name", "expression"]);
    expect(typed("core.PodSpec").required).toBeUndefined();
    expect(typed("core.ProjectedVolumeSource").required).toBeUndefined();
    expect(typed("apps.StatefulSetSpec").required).toBeUndefined();
  });

  it("requires nothing of a status but the keys of its lists", () => {
    const status = typed("core.PodStatus");
    expect(at(status, "containerStatuses.[]").required).toBeUndefined();
    expect(at(status, "conditions")["x-kubernetes-list-map-keys"]).toEqual(["type"]);
    expect(at(status, "conditions.[]").required).toEqual(["type"]);
    expect(typed("core.PodCondition").required).toBeUndefined();
  });

  it("tells the items of a list-map apart by keys that are always there", () => {
    const container = typed("core.Container");
    expect(at(container, "ports")).toMatchObject({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
      items: { required: ["containerPort"], properties: { protocol: { default: "TCP" } } },
    });
    expect(at(container, "env")["x-kubernetes-list-map-keys"]).toEqual(["name"]);
    expect(at(container, "args")["x-kubernetes-list-type"]).toBe("atomic");
  });

  it("makes a list atomic whose key may be absent", () => {
    const secrets = at(typed("core.PodSpec"), "imagePullSecrets");
    expect(secrets["x-kubernetes-list-type"]).toBe("atomic");
    expect(secrets["x-kubernetes-list-map-keys"]).toBeUndefined();
  });

  it("keeps sets and atomic maps", () => {
    expect(at(typed("batch.PodFailurePolicyOnExitCodesRequirement"), "values")["x-kubernetes-list-type"]).toBe("set");
    expect(at(typed("core.ServiceSpec"), "selector")).toEqual({
      type: "object",
      additionalProperties: { type: "string" },
      "x-kubernetes-map-type": "atomic",
    });
  });

  it("knows the scalars and the messages that write their own JSON", () => {
    expect(at(typed("core.ResourceRequirements"), "limits.cpu")).toMatchObject({
      anyOf: [{ type: "integer" }, { type: "string" }],
      "x-kubernetes-int-or-string": true,
    });
    expect(at(typed("core.ServicePort"), "targetPort")["x-kubernetes-int-or-string"]).toBe(true);
    expect(at(typed("core.Taint"), "timeAdded")).toEqual({ type: "string", format: "date-time" });
    expect(at(typed("core.Secret"), "data.any")).toEqual({ type: "string", format: "byte" });
    expect(at(typed("core.Toleration"), "tolerationSeconds")).toEqual({ type: "integer", format: "int64" });
    expect(at(typed("core.ServicePort"), "port")).toEqual({ type: "integer", format: "int32" });
    expect(at(typed("authentication.UserInfo"), "extra.any").items).toEqual({ type: "string" });
    expect(at(typed("apps.ControllerRevision"), "data")["x-kubernetes-preserve-unknown-fields"]).toBe(true);
  });

  it("gives a template a name, labels and annotations, and an embedded object its apiVersion and kind", () => {
    const template = typed("core.PodTemplateSpec");
    expect(Object.keys(template.properties ?? {})).toEqual(["metadata", "spec"]);
    expect(Object.keys(at(template, "metadata").properties ?? {})).toEqual(["name", "labels", "annotations"]);
    const claim = at(typed("apps.StatefulSetSpec"), "volumeClaimTemplates.[]");
    expect(Object.keys(claim.properties ?? {})).toEqual(["apiVersion", "kind", "metadata", "spec", "status"]);
  });

  it("cuts a type that contains itself", () => {
    const props = typed("apiextensions.JSONSchemaProps");
    expect(at(props, "properties.any")).toEqual({ type: "object", "x-kubernetes-preserve-unknown-fields": true });
    expect(at(props, "maxLength")).toEqual({ type: "integer", format: "int64" });
    const validation = typed("apiextensions.CustomResourceValidation");
    expect(at(validation, "openAPIV3Schema")).toEqual(props);
  });

  it("leaves out what is to be omitted, here and below", () => {
    const port = structural(CoreType("core.ServicePort", { omit: ["port", "nodePort"] }));
    expect(Object.keys(port.properties ?? {})).toEqual(["name", "protocol", "targetPort", "appProtocol"]);
    expect(port.required).toBeUndefined();
    const template = structural(embedded.PodTemplateSpec({ omit: ["spec.nodeName"] }));
    expect(at(template, "spec").properties).not.toHaveProperty("nodeName");
    expect(at(structural(embedded.PodTemplateSpec()), "spec").properties).toHaveProperty("nodeName");
  });

  it("keeps unknown fields when asked", () => {
    expect(structural(embedded.Volume({ preserve: true }))["x-kubernetes-preserve-unknown-fields"]).toBe(true);
    expect(structural(embedded.Volume())["x-kubernetes-preserve-unknown-fields"]).toBeUndefined();
  });

  it("names what it cannot find", () => {
    expect(() => CoreType("core.Volum")).toThrow(/core\.Volum: is not in the type table/);
    expect(() => CoreType("core.Volume", { omit: ["nam"] })).toThrow(/nam: is to be omitted but does not exist/);
    expect(() => CoreType("core.PodSpec", { omit: ["containers.image"] })).toThrow(/cannot lead through a list/);
  });

  it("shares what it built, and nobody can change it", () => {
    const parts = (schema: TSchema) => (schema as Structural).properties;
    expect(parts(embedded.Volume())).toBe(parts(embedded.Volume()));
    walk(parts(embedded.PodTemplateSpec())?.["spec"] ?? {}, (node) => {
      expect(Object.isFrozen(node)).toBe(true);
      expect(Object.isFrozen(node.required ?? node["x-kubernetes-list-map-keys"] ?? node)).toBe(true);
    });
  });

  it("can be described and made optional like any schema", () => {
    const spec = Fields({
      data: Optional(described(embedded.Volume({ description: "one" }), "two")),
      pod: embedded.PodTemplateSpec(),
    });
    expect(structural(spec)).toMatchObject({ required: ["pod"], properties: { data: { description: "two" } } });
    expect(embedded.Volume()).not.toHaveProperty("description");
    expectTypeOf<Static<typeof spec>>().toEqualTypeOf<{ data?: coreV1.Volume; pod: coreV1.PodTemplateSpec }>();
  });
});

describe("importing the core types", () => {
  afterEach(() => {
    vi.doUnmock("./type-table.ts");
    vi.resetModules();
  });

  it("does not read the table, asking for a type does", async () => {
    vi.resetModules();
    vi.doMock("./type-table.ts", () => ({ typeTable: "not a table" }));
    const fresh = await import("./index.ts");
    expect(() => fresh.Volume()).toThrow(/type table, line 1/);
  });
});
