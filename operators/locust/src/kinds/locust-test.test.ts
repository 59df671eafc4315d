import { toCrd } from "@telltale/kinds";
import { expect, test } from "vitest";
import { LocustTest } from "./locust-test.ts";

test("the CRD has the names, columns and finalizer of the existing operator", () => {
  const crd = toCrd(LocustTest) as unknown as {
    metadata: { name: string };
    spec: { versions: { additionalPrinterColumns: { name: string }[] }[] };
  };
  expect(crd.metadata.name).toBe("locusttests.locust.io");
  expect(LocustTest.finalizer).toBe("locust.io/cleanup");
  expect(crd.spec.versions[0]?.additionalPrinterColumns.map(({ name }) => name)).toEqual([
    "Phase",
    "Workers",
    "Connected",
    "Users",
    "Progress",
    "Requests",
    "Failures",
    "Image",
    "Age",
  ]);
});
