// Whether the guest of a copy is as it was asked for, as far as anybody can see (3.9). Pure.
import type { VirtualMachine, VMClone } from "../kinds/index.ts";
import type { Customization } from "../payload/clone.ts";

/** What is asked for, by name. */
export function stepsOf({ spec }: VMClone): readonly string[] {
  const { customization = {} } = spec;
  return names.filter((name) => customization[name] !== undefined);
}

const names = [
  "hostname",
  "domain",
  "timeZone",
  "networks",
  "userData",
  "sysprep",
  "guestCommands",
  "certificates",
  "tags",
] as const satisfies readonly (keyof Customization)[];

/** A provider that does nothing with what it is sent. */
export const ignoresCustomization = (type: string | undefined): boolean => type === "libvirt";

/** Whether the machine reports what was asked for. */
export function isReported({ spec }: VMClone, vm: VirtualMachine | undefined): boolean {
  const { ips = [], provider = {} } = vm?.status ?? {};
  const wanted = (spec.customization?.networks ?? []).flatMap(({ ipAddress }) =>
    ipAddress === undefined ? [] : [ipAddress],
  );
  const [, hostname] = Object.entries(provider).find(([key]) => /^(guest_?)?host_?name$/i.test(key)) ?? [];
  const isNamed =
    spec.customization?.hostname === undefined || hostname === undefined || hostname === spec.customization.hostname;
  return ips.length > 0 && isNamed && wanted.every((ip) => ips.includes(ip));
}
