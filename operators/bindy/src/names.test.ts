import { describe, expect, it } from "vitest";
import { instanceName, managedInstanceLabels, ordinalOf, partLabels, selectorLabels } from "./names.ts";

describe("4 names and labels", () => {
  it("an instance is named by its cluster, role and ordinal, and the ordinal is found again", () => {
    expect(instanceName("production", "secondary", 12)).toBe("production-secondary-12");
    expect(ordinalOf("production-secondary-12", "production", "secondary")).toBe(12);
    for (const name of ["production-primary-1", "production-secondary-", "production-secondary-01", "x-secondary-1"])
      expect(ordinalOf(name, "production", "secondary"), name).toBeUndefined();
  });

  it("a selector has only what never changes", () => {
    expect(selectorLabels("x")).toEqual({ app: "bind9", instance: "x" });
  });

  it("4.2 parts say who manages them", () => {
    expect(partLabels("x", "managed")).toEqual({
      app: "bind9",
      instance: "x",
      "app.kubernetes.io/name": "bind9",
      "app.kubernetes.io/instance": "x",
      "app.kubernetes.io/component": "dns-server",
      "app.kubernetes.io/managed-by": "Bind9Cluster",
      "app.kubernetes.io/part-of": "bindy",
    });
    expect(partLabels("x", "unmanaged")["app.kubernetes.io/managed-by"]).toBe("Bind9Instance");
    expect(managedInstanceLabels("c", "primary")).toEqual({
      "bindy.firestoned.io/managed-by": "Bind9Cluster",
      "bindy.firestoned.io/cluster": "c",
      "bindy.firestoned.io/role": "primary",
      "app.kubernetes.io/part-of": "bindy",
    });
  });
});
