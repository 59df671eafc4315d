// IP addresses and CIDRs.
import { goQuote } from "../../status.ts";
import { functions, type Overload } from "../function.ts";
import { CelError, Opaque, type Value } from "../values.ts";
import { type Address, formatAddress, parseAddress } from "./address.ts";

class Ip extends Opaque {
  readonly typeName = "net.IP";
  readonly address: Address;
  constructor(address: Address) {
    super();
    this.address = address;
  }
  equals(other: Value): boolean {
    return (
      other instanceof Ip && other.address.bits === this.address.bits && other.address.value === this.address.value
    );
  }
}

class Cidr extends Opaque {
  readonly typeName = "net.CIDR";
  readonly address: Address;
  readonly length: number;
  constructor(address: Address, length: number) {
    super();
    this.address = address;
    this.length = length;
  }
  equals(other: Value): boolean {
    return (
      other instanceof Cidr &&
      other.length === this.length &&
      other.address.bits === this.address.bits &&
      other.address.value === this.address.value
    );
  }
}

function ip(text: string): Ip {
  const address = parseAddress(text);
  if (typeof address === "string")
    throw new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${address}`);
  return new Ip(address);
}

function parseCidr(text: string): Cidr | string {
  const bad = (why: string): string => `netip.ParsePrefix(${goQuote(text)}): ${why}`;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return bad("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if (typeof address === "string") return bad(address);
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(bits)) return bad(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > address.bits) return bad("prefix length out of range");
  return new Cidr(address, Number(bits));
}

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  const step = "network address parse error during conversion from string: ";
  if (typeof parsed === "string") throw new CelError(`${step}${step}${parsed}`);
  return parsed;
}

const network = (address: Address, length: number): bigint => address.value >> BigInt(address.bits - length);
const contains = (c: Cidr, address: Address): boolean =>
  c.address.bits === address.bits && network(c.address, c.length) === network(address, c.length);
const containsCidr = (c: Cidr, other: Cidr): boolean => other.length >= c.length && contains(c, other.address);

function masked(c: Cidr): Cidr {
  const host = BigInt(c.address.bits - c.length);
  return new Cidr({ bits: c.address.bits, value: (c.address.value >> host) << host }, c.length);
}

/** Whether the first `length` bits of an address are these. */
const starts = (a: Address, bits: 32 | 128, prefix: bigint, length: number): boolean =>
  a.bits === bits && a.value >> BigInt(bits - length) === prefix;

const isLoopback = ({ address: a }: Ip): boolean => starts(a, 32, 127n, 8) || starts(a, 128, 1n, 128);
const isUnspecified = ({ address: a }: Ip): boolean => a.value === 0n;
const isLinkLocalMulticast = ({ address: a }: Ip): boolean =>
  starts(a, 32, 0xe00000n, 24) || (starts(a, 128, 0xffn, 8) && ((a.value >> 112n) & 0xfn) === 2n);
const isLinkLocalUnicast = ({ address: a }: Ip): boolean => starts(a, 32, 0xa9fen, 16) || starts(a, 128, 0x3fan, 10);
const isMulticast = ({ address: a }: Ip): boolean => starts(a, 32, 0xen, 4) || starts(a, 128, 0xffn, 8);
const isGlobalUnicast = (i: Ip): boolean =>
  !isUnspecified(i) &&
  !isLoopback(i) &&
  !isMulticast(i) &&
  !isLinkLocalUnicast(i) &&
  !starts(i.address, 32, 0xffffffffn, 32);

export const net: readonly Overload[] = functions({
  "ip(string): net.IP": ip,
  "isIP(string): bool": (text: string) => typeof parseAddress(text) !== "string",
  "ip.isCanonical(string): bool": (text: string) => formatAddress(ip(text).address) === text,
  "net.IP -> family(): int": (i: Ip) => (i.address.bits === 32 ? 4n : 6n),
  "net.IP -> isUnspecified(): bool": isUnspecified,
  "net.IP -> isLoopback(): bool": isLoopback,
  "net.IP -> isLinkLocalMulticast(): bool": isLinkLocalMulticast,
  "net.IP -> isLinkLocalUnicast(): bool": isLinkLocalUnicast,
  "net.IP -> isGlobalUnicast(): bool": isGlobalUnicast,
  "string(net.IP): string": (i: Ip) => formatAddress(i.address),
  "cidr(string): net.CIDR": cidr,
  "isCIDR(string): bool": (text: string) => typeof parseCidr(text) !== "string",
  "net.CIDR -> containsIP(net.IP): bool": (c: Cidr, i: Ip) => contains(c, i.address),
  "net.CIDR -> containsIP(string): bool": (c: Cidr, text: string) => contains(c, ip(text).address),
  "net.CIDR -> containsCIDR(net.CIDR): bool": containsCidr,
  "net.CIDR -> containsCIDR(string): bool": (c: Cidr, text: string) => containsCidr(c, cidr(text)),
  "net.CIDR -> ip(): net.IP": (c: Cidr) => new Ip(c.address),
  "net.CIDR -> masked(): net.CIDR": masked,
  "net.CIDR -> prefixLength(): int": (c: Cidr) => BigInt(c.length),
  "string(net.CIDR): string": (c: Cidr) => `${formatAddress(c.address)}/${c.length}`,
});
