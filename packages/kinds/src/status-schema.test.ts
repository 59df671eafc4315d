import { describe, expect, test } from "vitest";
import { type ConditionShape, conditions, derived, family, positive, yes } from "./conditions.ts";
import { complainOf } from "./errors.ts";
import { misfit } from "./misfit.ts";
import { phases } from "./phases.ts";
import { Fields, Int32, Text } from "./schema.ts";
import { reasonPattern, statusSchema, typePattern, unobserved } from "./status-schema.ts";
import type { Structural } from "./structural.ts";

const reasons = { Fine: yes("It is fine") };
const types = {
  Ready: derived({ means: "It works", from: ["Built"], ok: { reason: "Fine", message: "" }, reasons }),
  Built: positive({ means: "It is built", reasons }),
  Pod: family({ means: "One pod", reasons }),
};
const complain = complainOf("Widget");
const of = (shape: ConditionShape = "metav1", options = {}) =>
  statusSchema(undefined, conditions(types, { shape, ...options }), undefined, complain);
const list = (s: Structural): Structural => s.properties?.["conditions"] ?? {};
const item = (s: Structural): Record<string, Structural> => list(s).items?.properties ?? {};
const entry = {
  type: "Ready",
  status: "True",
  reason: "Fine",
  message: "",
  lastTransitionTime: "2026-01-19T22:00:00Z",
};
const refusal = (more: object) => misfit(of(), { conditions: [{ ...entry, ...more }] }, "status");

test("what the tests below start from fits", () => {
  expect(refusal({})).toBeUndefined();
});

describe("rule 1: a condition type", () => {
  test.each(["Ready", "Pod-0", "example.com/Ready", "a.b-c.d/E_f.g"])("%s fits", (type) => {
    expect(refusal({ type })).toBeUndefined();
  });
  test.each(["", "not a type", "/Ready", "Example.com/Ready", "Ready-", "a/b/C", `A${"x".repeat(316)}`])(
    "%j does not",
    (type) => {
      expect(refusal({ type })).toContain("status.conditions[0].type");
    },
  );
  test("has the pattern of metav1.Condition, and at most 316 characters", () => {
    expect(item(of())["type"]).toEqual({ type: "string", maxLength: 316, pattern: typePattern });
  });
});

test("rule 4: a status is one of three words", () => {
  expect(item(of())["status"]).toEqual({ type: "string", enum: ["True", "False", "Unknown"] });
  expect(refusal({ status: true })).toContain("status.conditions[0].status");
});

describe("rule 5: a reason", () => {
  test.each(["A", "Fine", "a_b,c:d_"])("%s fits", (reason) => {
    expect(refusal({ reason })).toBeUndefined();
  });
  test.each(["", "not so", "1A", "A:", "A".repeat(1025)])("%j does not", (reason) => {
    expect(refusal({ reason })).toContain("status.conditions[0].reason");
  });
  test("is there", () => {
    expect(refusal({ reason: undefined })).toContain("reason is missing");
    expect(item(of())["reason"]).toMatchObject({ minLength: 1, maxLength: 1024, pattern: reasonPattern });
  });
});

test("rule 7: a message may be empty and has at most 32,768 characters", () => {
  expect(refusal({ message: "x".repeat(32_768) })).toBeUndefined();
  expect(refusal({ message: "x".repeat(32_769) })).toContain("longer than 32768");
});

test("rule 9: there is one entry for each type", () => {
  expect(list(of())).toMatchObject({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });
});

test("rule 10: there are at most 32 conditions, or as many as the kind says", () => {
  expect(list(of()).maxItems).toBe(32);
  expect(list(of("metav1", { max: 5 })).maxItems).toBe(5);
});

test("rule 11: generations are 64-bit integers", () => {
  expect(of().properties?.["observedGeneration"]).toMatchObject({ type: "integer", format: "int64" });
  expect(item(of())["observedGeneration"]).toEqual({ type: "integer", format: "int64", minimum: 0 });
});

test("rule 12: a phase is one of the declared words", () => {
  const p = phases({ Pending: ["Done"], Done: [] }, { means: { Pending: "Not yet" } });
  expect(statusSchema(undefined, conditions({}), p, complain).properties?.["phase"]).toEqual({
    type: "string",
    enum: ["Pending", "Done"],
    description: "Where the object stands, in one word.\nPending: Not yet",
  });
});

describe("rule 14: a condition has no fields of our own", () => {
  const standard = ["type", "status", "reason", "message", "lastTransitionTime"];
  test.each<[ConditionShape, string[], string[]]>([
    ["metav1", [...standard, "observedGeneration"], standard],
    ["plain", standard, ["type", "status"]],
    ["capiV1beta1", [...standard, "severity"], ["type", "status", "lastTransitionTime"]],
  ])("in the shape %s it has %j", (shape, fields, required) => {
    expect(Object.keys(item(of(shape)))).toEqual(fields);
    expect(list(of(shape)).items?.required).toEqual(required);
  });
});

test("the old Cluster API shape is an atomic list", () => {
  expect(list(of("capiV1beta1"))).toMatchObject({ "x-kubernetes-list-type": "atomic" });
  expect(list(of("capiV1beta1"))).not.toHaveProperty("x-kubernetes-list-map-keys");
});

test("rule 32: a new object says that nobody has looked at it", () => {
  expect(unobserved).toBe(-1);
  expect(of().default).toEqual({ observedGeneration: -1 });
  expect(misfit(of(), of().default, "status")).toBeUndefined();
});

test("the declared fields stand between, and none is required", () => {
  const fields = Fields({ replicas: Int32(), selector: Text({ maxLength: 9 }) }, { description: "What is the case" });
  const s = statusSchema(fields, conditions(types), phases({ A: [] }), complain);
  expect(Object.keys(s.properties ?? {})).toEqual([
    "phase",
    "observedGeneration",
    "replicas",
    "selector",
    "conditions",
  ]);
  expect(s).not.toHaveProperty("required");
  expect(s.description).toBe("What is the case");
});

test("the list tells what each condition means", () => {
  expect(list(of()).description).toBe(
    "What is the case, one entry for each type.\nReady: It works\nBuilt: It is built\nPod-{index}: One pod",
  );
});

test("a kind without conditions has no list of them", () => {
  expect(statusSchema(undefined, conditions({}), undefined, complain).properties).not.toHaveProperty("conditions");
});

test("the list may be declared to start empty", () => {
  expect(list(of("metav1", { default: [] })).default).toEqual([]);
  expect(list(of())).not.toHaveProperty("default");
});
