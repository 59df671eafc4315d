import { expect, test } from "vitest";
import { annotationPatch, labelPatch } from "./annotations.ts";

const object = (annotations?: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "x", ...(annotations && { annotations }) },
});

test("the first annotation of an object takes none away that somebody else put there meanwhile", () => {
  expect(annotationPatch(object(), { "a/b": "1", c: "2" })).toEqual([
    { op: "test", path: "/metadata/annotations", value: null },
    { op: "add", path: "/metadata/annotations", value: { "a/b": "1", c: "2" } },
  ]);
});

test("each annotation changes from what it was read as, and the others are left alone", () => {
  expect(
    annotationPatch(object({ "a/b": "0", old: "x", same: "s" }), { "a/b": "1", old: undefined, same: "s" }),
  ).toEqual([
    { op: "test", path: "/metadata/annotations/a~1b", value: "0" },
    { op: "add", path: "/metadata/annotations/a~1b", value: "1" },
    { op: "test", path: "/metadata/annotations/old", value: "x" },
    { op: "remove", path: "/metadata/annotations/old" },
  ]);
  expect(annotationPatch(object(), { gone: undefined })).toEqual([]);
});

test("labels change in the same way", () => {
  const labelled = { ...object(), metadata: { name: "x", labels: { a: "0" } } };
  expect(labelPatch(labelled, { a: undefined })).toEqual([
    { op: "test", path: "/metadata/labels/a", value: "0" },
    { op: "remove", path: "/metadata/labels/a" },
  ]);
});
