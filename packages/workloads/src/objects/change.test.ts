import { expect, it } from "vitest";
import { change } from "./change.ts";

const object = {
  metadata: { name: "it", resourceVersion: "7", labels: { app: "web" }, annotations: { "example.com/a": "1" } },
  ports: null,
  rules: [{ verbs: ["get"] }],
};
const guard = { op: "test", path: "/metadata/resourceVersion", value: "7" };

it("a change is guarded by the version that was read, and says only what differs", () => {
  expect(change(object, { "/metadata/labels": { app: "api" }, "/rules": [{ verbs: ["get"] }] })).toEqual([
    guard,
    { op: "add", path: "/metadata/labels", value: { app: "api" } },
  ]);
});

it("nothing is said where nothing differs", () => {
  expect(change(object, { "/metadata/labels": { app: "web" } })).toEqual([]);
});

it("null, an empty list and an empty map are all nothing", () => {
  expect(change(object, { "/ports": [], "/spec/selector": {}, "/data": undefined })).toEqual([]);
});

it("what shall be nothing is removed", () => {
  expect(change(object, { "/metadata/labels": undefined, "/rules": [] })).toEqual([
    guard,
    { op: "remove", path: "/metadata/labels" },
    { op: "remove", path: "/rules" },
  ]);
});

it("a step of a pointer may hold a slash", () => {
  const path = "/metadata/annotations/example.com~1a";
  expect(change(object, { [path]: "1" })).toEqual([]);
  expect(change(object, { [path]: "2" })).toEqual([guard, { op: "add", path, value: "2" }]);
});
