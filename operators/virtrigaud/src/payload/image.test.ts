import { describe, expect, it } from "vitest";
import { image } from "../../test/objects.ts";
import { imagePayload, importedPayload } from "./image.ts";

describe("image_json", () => {
  const there = (id: string, path?: string) => ({
    providerStatus: { box: { available: true, id, ...(path && { path }) } },
  });

  it.each([
    ["libvirt by path", { libvirt: { path: "/a.raw", format: "raw" } }, undefined, { Path: "/a.raw", Format: "raw" }],
    [
      "libvirt prepared",
      { libvirt: { url: "https://x/a" } },
      there("t", "/pool/t"),
      { Path: "/pool/t", URL: "", Format: "qcow2" },
    ],
    ["vsphere by template", { vsphere: { templateName: "u" } }, undefined, { TemplateName: "u", Format: "template" }],
    [
      "vsphere prepared",
      { vsphere: { ovaURL: "https://x/a.ova" } },
      there("t"),
      { TemplateName: "t", URL: "", Format: "template" },
    ],
    [
      "vsphere from a library",
      { vsphere: { contentLibrary: { library: "l", item: "i" } } },
      undefined,
      { TemplateName: "l/i" },
    ],
    ["proxmox by id", { proxmox: { templateID: 9000, templateName: "n" } }, undefined, { TemplateName: "9000" }],
    ["proxmox prepared", { proxmox: {} }, there("9001"), { TemplateName: "9001", Format: "template" }],
    [
      "http as it is",
      { http: { url: "https://x/a", checksum: "c", checksumType: "sha512" } },
      undefined,
      { URL: "https://x/a", Checksum: "c", ChecksumType: "sha512" },
    ],
    ["http prepared", { http: { url: "https://x/a" } }, there("t", "/p"), { Path: "/p", URL: "", TemplateName: "" }],
    ["registry prepared", { registry: { image: "r/i:1" } }, there("t"), { TemplateName: "t", URL: "", Path: "" }],
  ] as const)("%s", (_name, source, status, wanted) => {
    expect(imagePayload(image(source, status), "box")).toMatchObject(wanted);
  });

  it("what another provider has prepared does not count", () => {
    const status = { providerStatus: { other: { available: true, id: "t", path: "/p" } } };
    expect(imagePayload(image({ http: { url: "https://x/a" } }, status), "box").URL).toBe("https://x/a");
  });

  it("an imported disk needs its path, except where libvirt keeps them", () => {
    const disk = { diskID: "d1", format: "qcow2" } as const;
    expect(importedPayload(disk, "libvirt")).toMatchObject({ Path: "/var/lib/libvirt/images/d1.qcow2" });
    expect(importedPayload({ ...disk, path: "/x" }, "proxmox")).toMatchObject({ Path: "/x", ChecksumType: "sha256" });
    expect(importedPayload(disk, "proxmox")).toHaveProperty("problem");
  });
});
