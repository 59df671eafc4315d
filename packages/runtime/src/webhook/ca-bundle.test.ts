import { describe, expect, it } from "vitest";
import { bundlePatch } from "./ca-bundle.ts";

const metadata = { name: "w", uid: "u-1" };
const guard = { op: "test", path: "/metadata/uid", value: "u-1" };

describe("the patch of a bundle", () => {
  it("touches the webhooks that differ, each guarded by its name", () => {
    const webhooks = [
      { name: "a", clientConfig: {} },
      { name: "b", clientConfig: { caBundle: "NEW" } },
      { name: "c", clientConfig: { caBundle: "OLD" } },
    ];
    expect(bundlePatch("validating", { metadata, webhooks } as object, "NEW")).toEqual([
      guard,
      { op: "test", path: "/webhooks/0/name", value: "a" },
      { op: "add", path: "/webhooks/0/clientConfig/caBundle", value: "NEW" },
      { op: "test", path: "/webhooks/2/name", value: "c" },
      { op: "add", path: "/webhooks/2/clientConfig/caBundle", value: "NEW" },
    ]);
  });

  it("touches a conversion by webhook", () => {
    const crd = (conversion: object) => ({ metadata, spec: { conversion } }) as object;
    const webhook = { clientConfig: { caBundle: "OLD" } };
    expect(bundlePatch("conversion", crd({ strategy: "Webhook", webhook }), "NEW")).toEqual([
      guard,
      { op: "test", path: "/spec/conversion/strategy", value: "Webhook" },
      { op: "add", path: "/spec/conversion/webhook/clientConfig/caBundle", value: "NEW" },
    ]);
    expect(bundlePatch("conversion", crd({ strategy: "Webhook", webhook }), "OLD")).toEqual([]);
    expect(bundlePatch("conversion", crd({ strategy: "None" }), "NEW")).toEqual([]);
  });

  it("is empty where all is as it should be, or nothing is there", () => {
    const webhooks = [{ name: "a", clientConfig: { caBundle: "NEW" } }];
    expect(bundlePatch("mutating", { metadata, webhooks } as object, "NEW")).toEqual([]);
    expect(bundlePatch("mutating", { metadata }, "NEW")).toEqual([]);
  });
});
