import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { pathSegment } from "./names.ts";
import { metaWarnings, validateMeta, validateMetaUpdate } from "./validate.ts";

// Names, labels, annotations, owners and finalizers on create are compared with recordings in crd/golden.test.ts.
const told = (errors: readonly { field: string; body: string }[]) => errors.map((e) => `${e.field}: ${e.body}`);
const old: JsonObject = {
  name: "a",
  namespace: "n",
  uid: "u",
  creationTimestamp: "2020-01-01T00:00:00Z",
  generation: 2,
};

describe("updates", () => {
  test("U13 what the server sets cannot be changed", () => {
    const next = { ...old, deletionTimestamp: "2001-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 };
    expect(told(validateMetaUpdate(next, old))).toEqual([
      'metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
      "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable",
    ]);
    expect(validateMetaUpdate({ ...old }, old)).toEqual([]);
  });

  test("U22 an object that is being deleted gets no new finalizers", () => {
    const dying = { ...old, deletionTimestamp: "2020-01-02T00:00:00Z", finalizers: ["example.com/f"] };
    const added = { ...dying, finalizers: ["example.com/f", "example.com/g"] };
    expect(told(validateMetaUpdate(added, dying))).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/g"}',
    ]);
    expect(validateMetaUpdate(added, { ...dying, ...added })).toEqual([]);
    expect(validateMetaUpdate({ ...old, finalizers: ["example.com/g"] }, old)).toEqual([]);
  });

  test("a generation goes up only", () => {
    expect(told(validateMetaUpdate({ ...old, generation: 1 }, old))).toEqual([
      "metadata.generation: Invalid value: 1: must not be decremented",
    ]);
  });
});

describe("rules of kinds", () => {
  test("C08 a bad generateName is told for itself and for the name made of it; a dash at its end is fine", () => {
    const fields = validateMeta({ generateName: "Bad_", name: "Bad_abcde" }).map((e) => e.field);
    expect(fields).toEqual(["metadata.generateName", "metadata.name"]);
    expect(validateMeta({ generateName: "a-", name: "a-abcde" })).toEqual([]);
  });

  test("a cluster-scoped object has no namespace, a namespaced one needs a good one", () => {
    expect(told(validateMeta({ name: "a", namespace: "n" }, { namespaced: false }))).toEqual([
      "metadata.namespace: Forbidden: not allowed on this type",
    ]);
    expect(told(validateMeta({ name: "a" }, { namespaced: true }))).toEqual(["metadata.namespace: Required value"]);
    expect(validateMeta({ name: "a", namespace: "A" }, { namespaced: true })).toHaveLength(1);
  });

  test("a path segment is anything but dots, slashes and percent signs", () => {
    const rule = { nameRule: pathSegment };
    expect(validateMeta({ name: "system:Node x" }, rule)).toEqual([]);
    expect(told(validateMeta({ name: ".." }, rule))).toEqual(["metadata.name: Invalid value: \"..\": may not be '..'"]);
    expect(told(validateMeta({ name: "a/b%" }, rule))).toEqual([
      "metadata.name: Invalid value: \"a/b%\": may not contain '/'",
      "metadata.name: Invalid value: \"a/b%\": may not contain '%'",
    ]);
  });

  test("a prefix of 300 bytes is told in bytes", () => {
    const [error] = validateMeta({ name: "a", labels: { [`${"a".repeat(300)}/x`]: "1" } });
    expect(error?.body).toMatch(/prefix part must be no more than 253 bytes$/);
  });

  test("a name of a million characters is refused without effort", () => {
    expect(validateMeta({ name: `${"a-".repeat(500_000)}!` })).toHaveLength(2);
  });
});

test("C26 only plain finalizers that are new are warned about", () => {
  const next = { finalizers: ["a", "kubernetes", "x.y/z", "b"] };
  expect(metaWarnings(next, { finalizers: ["b"] })).toEqual([
    'metadata.finalizers: "a": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
  ]);
});
