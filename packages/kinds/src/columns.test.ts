import { expect, test } from "vitest";
import { age, column, conditionColumn, wide } from "./columns.ts";
import { evaluate, parsePath } from "./jsonpath.ts";

test("a column is a text that is always shown", () => {
  expect(column("Phase", ".status.phase")).toEqual({
    name: "Phase",
    jsonPath: ".status.phase",
    type: "string",
    priority: 0,
  });
});

test("a column takes a type, a priority and words", () => {
  expect(column("Size", ".spec.size", "integer", { priority: 2, description: "How large", format: "int32" })).toEqual({
    name: "Size",
    jsonPath: ".spec.size",
    type: "integer",
    priority: 2,
    description: "How large",
    format: "int32",
  });
});

test("a wide column is shown with -o wide", () => {
  expect(wide("Zone", ".status.zone", "string").priority).toBe(1);
});

test("the age is that of the object", () => {
  expect(age()).toMatchObject({ name: "Age", jsonPath: ".metadata.creationTimestamp", type: "date" });
});

test.each([
  ["status", "True"],
  ["reason", "Fine"],
  ["message", "It works"],
] as const)("a condition column shows the %s of its condition", (field, shown) => {
  const path = parsePath(conditionColumn("Ready", "example.com/Ready", field).jsonPath);
  const conditions = [
    { type: "Other", status: "False", reason: "No", message: "no" },
    { type: "example.com/Ready", status: "True", reason: "Fine", message: "It works" },
  ];
  expect("error" in path ? path : evaluate(path, { status: { conditions } })).toEqual([shown]);
});
