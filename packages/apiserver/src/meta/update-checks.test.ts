import { describe, expect, test } from "vitest";
import { commonUpdateChecks, ownUpdateChecks } from "./update-checks.ts";

const old = { name: "a", namespace: "n", uid: "u" };
const wrong = { ...old, labels: { "a~b": "x" }, finalizers: ["b~d"] };

/** One letter per error: a label, a finalizer, a finalizer's place in its list. */
function found(kind: string, status = false): string {
  const errors = [
    ...commonUpdateChecks(wrong, old),
    ...ownUpdateChecks(kind, status, wrong, old, { namespaced: true }),
  ];
  return errors.map(({ field }) => (field === "metadata.labels" ? "l" : field.endsWith("[0]") ? "0" : "f")).join("");
}

describe("P01 a kind shows an error of the metadata as often as its rules find it", () => {
  test.each([
    ["ConfigMap", "lfll0lf0"],
    ["Deployment", "lfll0"],
    ["Role", "lfllf0l0"],
    ["LimitRange", "lfllf0"],
    ["PersistentVolume", "lfllf0lf0"],
    ["Lease", "lfll"],
    ["PodDisruptionBudget", "lfl"],
  ])("%s", (kind, pattern) => {
    expect(found(kind)).toBe(pattern);
  });

  test("on the status endpoint the pattern is the usual one, but for CronJobs", () => {
    expect(found("Pod", true)).toBe("lfll0");
    expect(found("CronJob", true)).toBe("lfl");
  });
});

test("nothing is found where nothing is wrong", () => {
  expect(commonUpdateChecks(old, old)).toEqual([]);
  expect(ownUpdateChecks("ConfigMap", false, old, old, { namespaced: true })).toEqual([]);
});
