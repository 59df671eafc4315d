// Where an image comes from, and whether a provider has to prepare it first (3.8, "Classification"). Pure.
import { type ImageFormat, type SourceName, sourceNames, type VMImageSpec } from "../kinds/index.ts";

export type Source =
  | { readonly is: "none" }
  | { readonly is: "reference"; readonly id?: string; readonly path?: string } // the provider has it already
  | ({ readonly is: "import" } & Import);

export interface Import {
  readonly from: SourceName;
  /** Fetched by the provider. */
  readonly url?: string;
  readonly checksum?: string;
  readonly format?: ImageFormat;
  readonly hasCredentials: boolean;
}

export function sourceOf({ source }: VMImageSpec): Source {
  const from = sourceNames.find((name) => source?.[name] !== undefined);
  if (from === undefined) return { is: "none" };
  const { libvirt = {}, vsphere = {}, proxmox = {}, http, registry } = source;
  switch (from) {
    case "libvirt": {
      const { path, url, checksum, format } = libvirt;
      if (isGiven(path) && !isGiven(url)) return { is: "reference", path };
      return imported(from, { url, checksum, format });
    }
    case "vsphere": {
      const { templateName, contentLibrary, ovaURL, checksum } = vsphere;
      if (isGiven(ovaURL)) return imported(from, { url: ovaURL, checksum });
      if (isGiven(templateName)) return { is: "reference", id: templateName };
      if (contentLibrary !== undefined) {
        return { is: "reference", id: `${contentLibrary.library}/${contentLibrary.item}` };
      }
      return imported(from, { checksum });
    }
    case "proxmox": {
      const { templateID, templateName, format } = proxmox;
      const id = templateID === undefined ? templateName : String(templateID);
      return isGiven(id) ? { is: "reference", id } : imported(from, { format });
    }
    case "http":
      return imported(from, { url: http?.url, checksum: http?.checksum }, http?.authentication !== undefined);
    case "registry":
      return imported(from, { format: registry?.format }, registry?.pullSecretRef !== undefined);
    case "dataVolume":
      return imported(from, {});
  }
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";

interface Parts {
  readonly url?: string | undefined;
  readonly checksum?: string | undefined;
  readonly format?: ImageFormat | undefined;
}

function imported(from: SourceName, { url, checksum, format }: Parts, hasCredentials = false): Source {
  return {
    is: "import",
    from,
    ...(isGiven(url) ? { url } : {}),
    ...(isGiven(checksum) ? { checksum } : {}),
    ...(format === undefined ? {} : { format }),
    hasCredentials,
  };
}

/** Whether a provider has to prepare it before a machine can be made from it. */
export const needsPreparation = (spec: VMImageSpec): boolean => sourceOf(spec).is !== "reference";
