// Addresses and networks as texts: IPv4 as numbers to reckon with, both families where a text only has to be right. Pure.
import { isIP } from "node:net";

/** An IPv4 address as a number. Undefined: it is none. */
export function parseIpv4(written: string): number | undefined {
  if (isIP(written) !== 4) return undefined;
  return written.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

export interface Subnet {
  readonly first: number;
  readonly last: number;
}

/** The network that `192.0.2.10/24` is in. Undefined: it is none. */
export function parseSubnet(written: string): Subnet | undefined {
  const [address = "", bits = "", ...more] = written.split("/");
  const at = parseIpv4(address);
  if (at === undefined || more.length > 0 || !/^[0-9]{1,2}$/.test(bits) || Number(bits) > 32) return undefined;
  const size = 2 ** (32 - Number(bits));
  const first = Math.floor(at / size) * size;
  return { first, last: first + size - 1 };
}

/** Whether a text is a network of either family. */
export function isCidr(written: string): boolean {
  const [address = "", bits = "", ...more] = written.split("/");
  const family = isIP(address);
  return family !== 0 && more.length === 0 && /^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
