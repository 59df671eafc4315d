// Whether a machine can be made from an image on a provider, and if not, whether that is being seen to (3.1, step 13). Pure.
import type { Provider, VMImage } from "../kinds/index.ts";
import { needsPreparation } from "../vm-image/source.ts";

export type ImageForm = { readonly is: "usable" } | { readonly is: "preparing" } | { readonly is: "missing" }; // and nobody brings it

export function formOn({ spec, status }: VMImage, { status: of }: Provider, key: string): ImageForm {
  if (!needsPreparation(spec)) return { is: "usable" };
  if (status?.providerStatus?.[key]?.available === true) return { is: "usable" };
  // Whether it prepares any, a provider that has just started has not said yet.
  const isAsked = of?.conditions?.some(({ type }) => type === "CapabilitiesReported") ?? false;
  if (!isAsked && of?.reportedCapabilities === undefined) return { is: "preparing" };
  // One that prepares none takes the image as it is described.
  if (of?.reportedCapabilities?.supportsImageImport !== true) return { is: "usable" };
  const onMissing = spec.prepare?.onMissing ?? "Import";
  const isOver = status?.phase === "Failed";
  return onMissing === "Import" && !isOver ? { is: "preparing" } : { is: "missing" };
}
