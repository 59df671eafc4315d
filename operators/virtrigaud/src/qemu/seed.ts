// What a guest finds at its first boot: the files of a NoCloud seed, or an Ignition config. No account is ever added to it (L-17).
import type { Machine, Nic } from "./machine.ts";

/** `ignition` where the user data is JSON with an `ignition` member, else cloud-init's. */
export function userDataKind(userData: Uint8Array): Machine["userData"] {
  if (userData.length === 0 || userData[0] !== 0x7b) return "cloud-init";
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(userData));
    return typeof value === "object" && value !== null && "ignition" in value ? "ignition" : "cloud-init";
  } catch {
    return "cloud-init";
  }
}

/** The seed's files by name. */
export function seedFiles(
  machine: Pick<Machine, "id" | "name" | "nics" | "userData">,
  userData: Uint8Array,
  metaData: Uint8Array,
): Readonly<Record<string, Uint8Array>> {
  if (machine.userData === "ignition") return { "user-data": userData };
  const network = networkConfig(machine.nics);
  const bytes = (text: string) => new TextEncoder().encode(text);
  return {
    "user-data": userData.length > 0 ? userData : bytes("#cloud-config\n{}\n"),
    "meta-data": bytes(metaDataText(machine, new TextDecoder().decode(metaData))),
    ...(network === undefined ? {} : { "network-config": bytes(network) }),
  };
}

/** What was given, with an instance id and a host name where it has none. */
function metaDataText(machine: Pick<Machine, "id" | "name">, given: string): string {
  const lines = [
    ...(/^instance-id\s*:/m.test(given) ? [] : [`instance-id: ${machine.id}`]),
    ...(/^local-hostname\s*:/m.test(given) ? [] : [`local-hostname: ${machine.name}`]),
  ];
  return [...lines, given].join("\n").replace(/\n*$/, "\n");
}

/** Version 2, in JSON, which is YAML too: nothing in it has to be quoted. Undefined where no address is given. */
function networkConfig(nics: readonly Nic[]): string | undefined {
  if (!nics.some(({ address }) => address !== undefined)) return undefined;
  const ethernets = nics.map(({ mac, address }, at) => [
    `n${at}`,
    {
      match: { macaddress: mac },
      ...(address === undefined
        ? { dhcp4: true }
        : {
            addresses: [`${address.ip}/${address.prefix}`],
            ...(address.gateway === undefined ? {} : { routes: [{ to: "default", via: address.gateway }] }),
            ...(address.dns.length === 0 ? {} : { nameservers: { addresses: address.dns } }),
          }),
    },
  ]);
  return `${JSON.stringify({ version: 2, ethernets: Object.fromEntries(ethernets) }, undefined, 2)}\n`;
}
