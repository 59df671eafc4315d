// Whether a machine can be made from an image on a provider, and if not, whether that is being seen to (3.1, step 13). Pure.
import type { Provider, VMImage } from "../kinds/index.ts";
import { flightOf } from "../vm-image/memory.ts";
import { needsPreparation } from "../vm-image/source.ts";

export type ImageForm =
  | { readonly is: "usable" }
  | { readonly is: "preparing" } // the provider was asked to
  | { readonly is: "unknown" } // the provider has not said whether it does
  | { readonly is: "missing" };

export function formOn({ spec, status }: VMImage, { status: of }: Provider, key: string): ImageForm {
  if (!needsPreparation(spec)) return { is: "usable" };
  if (status?.providerStatus?.[key]?.available === true) return { is: "usable" };
  // Whether it prepares any, a provider that has just started has not said yet.
  const isAsked = of?.conditions?.some(({ type }) => type === "CapabilitiesReported") ?? false;
  if (!isAsked && of?.reportedCapabilities === undefined) return { is: "unknown" };
  // One that prepares none takes the image as it is described.
  if (of?.reportedCapabilities?.supportsImageImport !== true) return { is: "usable" };
  return flightOf(status?.prepareTaskRef)?.key === key ? { is: "preparing" } : { is: "missing" };
}
