// Which addresses the manager connects to where a person named a host (7.4): never itself, never a neighbour that only the
// machine can reach. A host is looked up once, every address is checked, and only what was checked is connected to.
import { BlockList, isIP } from "node:net";
import { type SafeText, text } from "@telltale/status";

/** The addresses of a host. It is asked once. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** With a list, only what is in it. */
export interface AddressPolicy {
  readonly allowed?: BlockList;
}

/** `VIRTRIGAUD_MIGRATION_STORAGE_ALLOWED_HOSTS`: addresses and networks, with commas between them. */
export type Allowed =
  | { readonly is: "list"; readonly policy: AddressPolicy }
  | { readonly is: "wrong"; readonly entry: string }; // the manager stops: who meant to close a door must not find it open

export function parseAllowed(written: string): Allowed {
  const entries = written.split(",").map((entry) => entry.trim());
  if (entries.every((entry) => entry === "")) return { is: "list", policy: {} };
  const allowed = new BlockList();
  for (const entry of entries) if (!add(allowed, entry)) return { is: "wrong", entry };
  return { is: "list", policy: { allowed } };
}

/** What came of looking at a host. */
export type Checked =
  | { readonly is: "allowed"; readonly addresses: readonly [string, ...string[]] } // connect to one of these
  | { readonly is: "denied"; readonly why: SafeText }
  | { readonly is: "unknown"; readonly why: SafeText }; // it has no address, now

export async function checkHost(host: string, policy: AddressPolicy, lookup: Lookup): Promise<Checked> {
  const plain = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(plain) !== 0) return checkAddresses(plain, [plain], policy);
  if (!isHostName(plain)) return { is: "denied", why: text`the host is not a name` };
  let found: readonly string[];
  try {
    found = await lookup(plain);
  } catch {
    return { is: "unknown", why: text`host ${plain} cannot be looked up` };
  }
  return checkAddresses(plain, found, policy);
}

/** The same once the addresses are known: one that is denied denies all. */
export function checkAddresses(host: string, addresses: readonly string[], policy: AddressPolicy): Checked {
  for (const address of addresses) {
    const why = refusal(address, policy);
    if (why !== undefined) return { is: "denied", why: text`host ${host} has the address ${address}, ${why}` };
  }
  const [first, ...others] = addresses;
  if (first === undefined) return { is: "unknown", why: text`host ${host} has no address` };
  return { is: "allowed", addresses: [first, ...others] };
}

/** Why an address is not connected to. */
function refusal(address: string, { allowed }: AddressPolicy): string | undefined {
  const inner = embedded(address);
  if (isIP(inner) === 0) return "which is none";
  for (const [why, list] of denied) if (has(list, inner)) return `which is ${why}`;
  return allowed === undefined || has(allowed, inner) ? undefined : "which is not among the allowed hosts";
}

const networks = (...entries: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const entry of entries) add(list, entry);
  return list;
};

const denied: readonly (readonly [string, BlockList])[] = [
  ["loopback", networks("127.0.0.0/8", "::1")],
  ["unspecified", networks("0.0.0.0/8", "::")],
  ["link-local", networks("169.254.0.0/16", "fe80::/10")],
  ["multicast", networks("224.0.0.0/4", "ff00::/8")],
];

function add(list: BlockList, entry: string): boolean {
  const [address = "", bits, ...more] = entry.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes("%")) return false;
  const type = family === 4 ? "ipv4" : "ipv6";
  if (bits === undefined) {
    list.addAddress(address, type);
    return true;
  }
  if (!/^[0-9]{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(bits), type);
  return true;
}

const has = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");

/** An IPv4 address inside an IPv6 one is where the packets go: mapped, compatible, or through NAT64. */
function embedded(address: string): string {
  const plain = address.replace(/%.*$/, "");
  if (isIP(plain) !== 6) return plain;
  const groups = groupsOf(plain);
  const [high = 0, low = 0] = groups.slice(6);
  const front = groups.slice(0, 6).map((group) => group.toString(16));
  const isInside = ["0:0:0:0:0:ffff", "64:ff9b:0:0:0:0"].includes(front.join(":"));
  const isCompatible = high > 0 && front.every((group) => group === "0"); // ::1 is itself
  return isInside || isCompatible ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : plain;
}

/** The eight groups of an IPv6 address. The URL parser writes every form of one in the same way. */
function groupsOf(address: string): readonly number[] {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const numbers = (part = "") => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** Letters, digits, dots, dashes: what else stands there is meant for somebody else. */
const isHostName = (host: string): boolean =>
  host.length <= 253 && /^[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host);

/** The host of an S3 endpoint, which may have a scheme and a port; without one it is Amazon's. Undefined: it has none. */
export function s3Host(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || endpoint === "") return "s3.amazonaws.com";
  const url = /^[a-z]+:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  return (protocol === "https:" || protocol === "http:") && hostname !== "" ? hostname : undefined;
}
