// IPv4 addresses as numbers, and ranges of them. Written with leading zeros or without, an address is the same one. Pure.
import { isIP } from "node:net";

/** From 0 to 2^32 - 1. */
export type Ipv4 = number;

/** From the first to the last, both included. */
export interface Span {
  readonly first: Ipv4;
  readonly last: Ipv4;
}

/** The address that a text names, however many zeros are in front of its numbers: the schema allows them, and none is octal. */
export function addressIn(text: string): Ipv4 | undefined {
  const plain = text.trim().replace(/\b0+(?=\d)/g, "");
  return isIP(plain) === 4 ? plain.split(".").reduce((sum, part) => sum * 256 + Number(part), 0) : undefined;
}

/** An address as everybody reads it: zeros in front are octal to some, and an error to others. What is none stays as it is. */
export function plainIpv4(text: string): string {
  const address = addressIn(text);
  return address === undefined ? text : formatIpv4(address);
}

export const formatIpv4 = (ip: Ipv4): string => [24, 16, 8, 0].map((bits) => (ip >>> bits) & 255).join(".");

export interface Cidr extends Span {
  readonly address: Ipv4;
  readonly prefix: number;
}

/** `10.0.0.5/24`: the address, and the subnet around it. */
export function parseCidr(text: string): Cidr | undefined {
  const [before = "", after = "", ...more] = text.split("/");
  const address = addressIn(before);
  const prefix = parsePrefix(after);
  if (address === undefined || prefix === undefined || more.length > 0) return undefined;
  return { address, prefix, ...subnetOf(address, prefix) };
}

export function parsePrefix(text: string): number | undefined {
  const prefix = /^\d{1,2}$/.test(text.trim()) ? Number(text) : undefined;
  return prefix !== undefined && prefix <= 32 ? prefix : undefined;
}

export function subnetOf(address: Ipv4, prefix: number): Span {
  const size = 2 ** (32 - prefix);
  const first = address - (address % size);
  return { first, last: first + size - 1 };
}

/** Whether an address is the name of its subnet, or means everybody in it: no machine can have it. */
export function isReserved(address: Ipv4, prefix: number): boolean {
  if (prefix > 30) return false;
  const { first, last } = subnetOf(address, prefix);
  return address === first || address === last;
}

/** Whether a text is a network of either family. */
export function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...more] = text.split("/");
  if (isIP(address) !== 6) return parseCidr(text) !== undefined;
  return more.length === 0 && /^[0-9]{1,3}$/.test(bits) && Number(bits) <= 128;
}
