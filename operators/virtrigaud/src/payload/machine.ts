// The requests that make a machine and change one (4.4), put together from what it refers to. Pure.
import type { SafeText, Secret } from "@telltale/status";
import type { Request } from "../contract/contract.ts";
import type { Placement, Provider, VirtualMachine, VMClass, VMImage, VMNetworkAttachment } from "../kinds/index.ts";
import { classPayload } from "./class.ts";
import { type ImagePayload, imagePayload, importedPayload } from "./image.ts";
import { networksPayload, type PoolData } from "./networks.ts";
import { disksPayload, placementPayload } from "./placement.ts";

/** What a machine is made of. */
export interface Ingredients {
  readonly vm: Pick<VirtualMachine, "metadata" | "spec">;
  /** What it is called on the hypervisor. */
  readonly name: string;
  readonly provider: Provider;
  /** How the namespace of the image names the provider (2.11). */
  readonly providerKey: string;
  readonly vmClass: VMClass;
  readonly image: VMImage | undefined;
  /** Those of the spec's networks, position by position. */
  readonly networks: readonly (VMNetworkAttachment | undefined)[];
  /** Of networks that give out addresses of a pool, position by position. */
  readonly pools?: readonly (PoolData | undefined)[];
  /** From the most to the least telling: what it says itself, what a policy decided, what the provider has for all. */
  readonly placement: readonly (Placement | undefined)[];
}

/** Of the machine, without the key that tells a repetition. Or what is wrong with the spec. */
export function createPayload(
  from: Ingredients,
  content: { readonly userData?: Secret; readonly metaData?: Secret } = {},
): Request<"create"> | { readonly problem: SafeText } {
  const image = imageOf(from);
  if ("problem" in image) return image;
  const { vm, name, provider, networks } = from;
  const placement = placementPayload(...from.placement);
  return {
    name,
    classJson: JSON.stringify(classPayload(from.vmClass.spec, vm.spec.resources)),
    imageJson: JSON.stringify(image),
    networksJson: JSON.stringify(networksPayload(vm, networks, provider, from.pools)),
    disksJson: JSON.stringify(disksPayload(vm.spec.disks)),
    placementJson: placement === null ? "" : JSON.stringify(placement),
    tags: [...(vm.spec.tags ?? [])],
    ...(content.userData && { userData: bytes(content.userData) }),
    ...(content.metaData && { metaData: bytes(content.metaData) }),
  };
}

/**
 * `desired_json`. Without user data, which nothing needs any more and which is secret. Disks are sent only where one of them is to
 * change: one provider takes the first for the machine's own.
 */
export function desiredPayload(from: Ingredients, withDisks: boolean): string {
  const { vm, name, provider, networks } = from;
  // What it was made from does not matter any more; a machine that was adopted has nothing to say there.
  const image = imageOf(from);
  return JSON.stringify({
    Name: name,
    Class: classPayload(from.vmClass.spec, vm.spec.resources),
    Image: "problem" in image ? null : image,
    Networks: networksPayload(vm, networks, provider, from.pools),
    Disks: withDisks ? disksPayload(vm.spec.disks) : null,
    UserData: null,
    MetaData: null,
    Placement: placementPayload(...from.placement),
    Tags: vm.spec.tags ?? [],
  });
}

function imageOf({ vm, image, provider, providerKey }: Ingredients): ImagePayload | { readonly problem: SafeText } {
  const { importedDisk } = vm.spec;
  if (importedDisk !== undefined) return importedPayload(importedDisk, provider.spec.type);
  return imagePayload(image ?? { spec: { source: {} } }, providerKey);
}

const bytes = (content: Secret): Uint8Array => new TextEncoder().encode(content.reveal());
