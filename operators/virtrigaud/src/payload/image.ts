// `image_json` of a machine that is to be made (4.4): what it is made from. A prepared image wins over where it came from. Pure.
import { type SafeText, text } from "@telltale/status";
import { type ImportedDisk, type Provider, type SourceName, sourceNames, type VMImage } from "../kinds/index.ts";

export interface ImagePayload {
  readonly TemplateName: string;
  readonly Path: string;
  readonly URL: string;
  readonly Format: string;
  readonly Checksum: string;
  readonly ChecksumType: string;
}

const empty: ImagePayload = { TemplateName: "", Path: "", URL: "", Format: "", Checksum: "", ChecksumType: "sha256" };

/** From an image, as the provider of this key has it. */
export function imagePayload({ spec, status }: Pick<VMImage, "spec" | "status">, key: string): ImagePayload {
  const from = sourceNames.find((name) => spec.source[name] !== undefined);
  const described = from === undefined ? empty : { ...empty, ...describe(spec, from) };
  const entry = status?.providerStatus?.[key];
  if (from === undefined || entry?.available !== true) return described;
  return { ...described, ...prepared(from, entry.id ?? "", entry.path ?? "", described) };
}

/** Where the image is now that the provider has it. */
function prepared(from: SourceName, id: string, path: string, was: ImagePayload): Partial<ImagePayload> {
  switch (from) {
    case "libvirt":
      return { Path: path === "" ? was.Path : path, URL: "" };
    case "vsphere":
      return { TemplateName: id === "" ? was.TemplateName : id, URL: "" };
    case "proxmox":
      return { TemplateName: id === "" ? was.TemplateName : id };
    default:
      return path === "" ? { TemplateName: id, URL: "" } : { Path: path, URL: "" };
  }
}

function describe(spec: VMImage["spec"], from: SourceName): Partial<ImagePayload> {
  const { libvirt, vsphere, proxmox, http, registry, dataVolume } = spec.source;
  switch (from) {
    case "libvirt": {
      const { path = "", url = "", format = "qcow2" } = libvirt ?? {};
      return { Path: path, URL: url, Format: format, ...checksum(libvirt) };
    }
    case "vsphere": {
      const { templateName, contentLibrary, ovaURL = "" } = vsphere ?? {};
      const inLibrary = contentLibrary === undefined ? "" : `${contentLibrary.library}/${contentLibrary.item}`;
      return { TemplateName: templateName ?? inLibrary, URL: ovaURL, Format: "template", ...checksum(vsphere) };
    }
    case "proxmox": {
      // Its Create takes numbers only.
      const { templateID, templateName = "" } = proxmox ?? {};
      return { TemplateName: templateID === undefined ? templateName : String(templateID), Format: "template" };
    }
    case "http": {
      const { preferredFormat = "qcow2" } = spec.prepare?.storage ?? {};
      return { URL: http?.url ?? "", Format: preferredFormat, ...checksum(http) };
    }
    case "registry":
      return { URL: `docker://${registry?.image ?? ""}`, Format: registry?.format ?? "qcow2" };
    case "dataVolume":
      return { TemplateName: dataVolume?.name ?? "", Format: "raw" };
  }
}

interface Checked {
  readonly checksum?: string;
  readonly checksumType?: string;
}

const checksum = ({ checksum: Checksum = "", checksumType = "sha256" }: Checked = {}) => ({
  Checksum,
  ChecksumType: checksumType,
});

/** From a disk that exists already. Only where libvirt keeps its disks is known without being told. */
export function importedPayload(
  disk: ImportedDisk,
  type: Provider["spec"]["type"],
): ImagePayload | { readonly problem: SafeText } {
  const { diskID, path = "", format = "qcow2" } = disk;
  const at = path !== "" || type !== "libvirt" ? path : `/var/lib/libvirt/images/${diskID}.${format}`;
  if (at === "") return { problem: text`spec.importedDisk.path is needed for a provider of type ${type}` };
  return { ...empty, Path: at, Format: format };
}
