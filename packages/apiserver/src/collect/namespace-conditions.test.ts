import { expect, test } from "vitest";
import { namespaceConditions } from "./namespace-conditions.ts";

const nothing = { failures: [], remaining: [] };
const configMaps = { group: "", resource: "configmaps" };
const widgets = { group: "example.com", resource: "widgets" };
const held = (...finalizers: string[]) => ({ metadata: { finalizers } });
const messages = (emptying: Parameters<typeof namespaceConditions>[1]) =>
  namespaceConditions({}, emptying, "now")
    .filter((condition) => condition["status"] === "True")
    .map((condition) => [condition["reason"], condition["message"]]);

test("an empty namespace has five conditions that are false", () => {
  const conditions = namespaceConditions({}, nothing, "now");
  expect(conditions.map((c) => [c["status"], c["lastTransitionTime"]])).toEqual(Array(5).fill(["False", "now"]));
});

test("what remains is counted by resource, and finalizers over all resources", () => {
  const remaining = [
    { resource: widgets, objects: [held("b.io/x", "a.io/x"), held("b.io/x")] },
    { resource: configMaps, objects: [held("b.io/x")] },
  ];
  expect(messages({ failures: [], remaining })).toEqual([
    [
      "SomeResourcesRemain",
      "Some resources are remaining: configmaps. has 1 resource instances, widgets.example.com has 2 resource instances",
    ],
    [
      "SomeFinalizersRemain",
      "Some content in the namespace has finalizers remaining: a.io/x in 1 resource instances, b.io/x in 3 resource instances",
    ],
  ]);
});

test("what could not be deleted is told", () => {
  expect(messages({ failures: ["a", "b"], remaining: [] })).toEqual([
    ["ContentDeletionFailed", "Failed to delete all resource types, 2 remaining: a, b"],
  ]);
});

test("a condition that says the same keeps its time, and conditions of others stay", () => {
  const other = { type: "Other", status: "True" };
  const before = { status: { conditions: [other, ...namespaceConditions({}, nothing, "then")] } };
  const after = namespaceConditions(before, { failures: ["a"], remaining: [] }, "now");
  expect(after[0]).toBe(other);
  expect(after.slice(1).map((c) => c["lastTransitionTime"])).toEqual(["then", "then", "now", "then", "then"]);
});
