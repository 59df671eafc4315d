// Which images a provider has to prepare first.
import { describe, expect, it } from "vitest";
import type { VMImageSpec } from "../kinds/index.ts";
import { needsPreparation, sourceOf } from "./source.ts";

type Sources = VMImageSpec["source"];

describe("what the provider has already is used as it is", () => {
  const references: readonly (readonly [Sources, object])[] = [
    [{ libvirt: { path: "/images/a.qcow2" } }, { path: "/images/a.qcow2" }],
    [{ vsphere: { templateName: "ubuntu" } }, { id: "ubuntu" }],
    [{ vsphere: { contentLibrary: { library: "lib", item: "ubuntu" } } }, { id: "lib/ubuntu" }],
    [{ proxmox: { templateID: 9000 } }, { id: "9000" }],
    [{ proxmox: { templateName: "ubuntu" } }, { id: "ubuntu" }],
  ];
  it.each(references)("%j", (source, where) => {
    expect(sourceOf({ source })).toEqual({ is: "reference", ...where });
    expect(needsPreparation({ source })).toBe(false);
  });
});

describe("what has to be fetched is prepared", () => {
  const imports: readonly Sources[] = [
    { libvirt: { url: "https://a.example/a.qcow2", path: "/images/a.qcow2" } },
    { libvirt: {} },
    { vsphere: { ovaURL: "https://a.example/a.ova", templateName: "ubuntu" } },
    { vsphere: {} },
    { proxmox: {} },
    { http: { url: "https://a.example/a.qcow2" } },
    { registry: { image: "a.example/a:1" } },
    { dataVolume: { name: "a" } },
    {},
  ];
  it.each(imports)("%j", (source) => expect(needsPreparation({ source })).toBe(true));
});

it("of several sources the first counts, by the order of the definitions", () => {
  const source = { http: { url: "https://a.example/a" }, libvirt: { path: "/a" } };
  expect(sourceOf({ source })).toEqual({ is: "reference", path: "/a" });
});
