// Which addresses of its networks a machine waits for: those that a network gives out, until its entry is there (3.10). Pure.
import { type SafeText, text } from "@telltale/status";
import type { VirtualMachine, VMNetworkAttachment } from "../kinds/index.ts";

export function awaited(
  vm: VirtualMachine,
  networks: readonly (VMNetworkAttachment | undefined)[],
): SafeText | undefined {
  for (const [i, wanted] of (vm.spec.networks ?? []).entries()) {
    const network = networks[i];
    if (network === undefined || !isGiven(wanted, network) || allocationOf(vm, network) !== undefined) continue;
    return text`VMNetworkAttachment ${network.metadata.name ?? ""} has no address for it yet`;
  }
  return undefined;
}

export const allocationOf = ({ metadata }: VirtualMachine, { status }: VMNetworkAttachment) =>
  status?.ipAllocations?.find(({ vm }) => vm === `${metadata.namespace}/${metadata.name}`);

function isGiven({ ipAddress }: { readonly ipAddress?: string }, { spec }: VMNetworkAttachment): boolean {
  const type = spec.ipAllocation?.type ?? "DHCP";
  return (ipAddress ?? "") !== "" || type === "Pool" || type === "Static";
}
