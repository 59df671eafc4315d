// What a provider is asked when it shall prepare an image. Pure.
import { boundedName } from "@telltale/kinds";
import type { Request } from "../contract/contract.ts";
import type { Provider, VMImage } from "../kinds/index.ts";
import type { Credentials } from "./credentials.ts";

export function prepareRequest(image: VMImage, provider: Provider, credentials: Credentials): Request<"imagePrepare"> {
  return {
    imageJson: imageJson(image),
    targetName: targetName(image, provider),
    storageHint: storageHint(image, provider),
    ...(Object.keys(credentials).length === 0 ? {} : { credentials: { ...credentials } }),
  };
}

/** The spec in its own spelling, without what only people read. */
const imageJson = ({ spec: { source, prepare } }: VMImage): string =>
  JSON.stringify({ source, ...(prepare === undefined ? {} : { prepare }) });

/** What hypervisors take for a name. */
const longest = 63;

/**
 * The name of the image on the provider, by which a repetition is known. Images of two namespaces do not share one; and what is forced
 * gets a new one with each change, because a provider takes an existing one for finished.
 */
export function targetName({ metadata, spec }: VMImage, provider: Provider): string {
  const { name = "", namespace = "", generation = 0 } = metadata;
  const own = namespace === provider.metadata.namespace ? name : `${namespace}-${name}`;
  const whole = spec.prepare?.force === true ? `${own}-g${generation}` : own;
  return boundedName(whole.replaceAll(".", "-"), longest, 8);
}

function storageHint({ spec }: VMImage, provider: Provider): string {
  const { libvirt, vsphere } = spec.prepare?.storage ?? {};
  if (provider.spec.type === "libvirt") return libvirt?.storagePool ?? "";
  return provider.spec.type === "vsphere" ? (vsphere?.datastore ?? "") : "";
}
