// Ranges of addresses in a NetworkPolicy: which lies in which, however they are written. The words are those of Kubernetes. Pure.
import { isIPv4, isIPv6 } from "node:net";

interface Range {
  readonly width: 32 | 128;
  readonly address: bigint;
  /** Of an address of this width. */
  readonly bits: number;
  /** An IPv4 address in the clothes of an IPv6 address: it counts as what it is, with the length as it is written. */
  readonly isMapped: boolean;
}

const mappedPrefix = 0xffffn;

export function rangeOf(cidr: string): Range | undefined {
  const [ip = "", length = ""] = cidr.split("/");
  const bits = Number(length);
  if (isIPv4(ip)) return { width: 32, address: numberOfIPv4(ip), bits, isMapped: false };
  if (!isIPv6(ip) || ip.includes("%")) return undefined;
  const address = numberOfIPv6(ip);
  return address >> 32n === mappedPrefix
    ? { width: 32, address: address & 0xffff_ffffn, bits, isMapped: true }
    : { width: 128, address, bits, isMapped: false };
}

/** Whether the first range lies in the second and is smaller. */
export function isInside(inner: Range, outer: Range): boolean {
  if (inner.width !== outer.width || inner.bits <= outer.bits) return false;
  return networkOf(inner, outer) === networkOf(outer, outer);
}

/** The address without what comes after the prefix of the second range. */
function networkOf({ address, width }: Range, { bits, isMapped }: Range): bigint {
  const rest = BigInt(width - Math.max(0, isMapped ? bits - 96 : bits));
  return (address >> rest) << rest;
}

/** Why a range that can be read is refused all the same. */
export function rangeProblems(cidr: string): string[] {
  const range = rangeOf(cidr);
  if (range === undefined) return [];
  return [
    ...(range.isMapped ? ["must not have an IPv4-mapped IPv6 address"] : []),
    ...(networkOf(range, range) === range.address ? [] : ["must not have bits set beyond the prefix length"]),
  ];
}

/** What is odd about how a range is written that is fine. */
export function rangeWarnings(field: string, cidr: string): string[] {
  const range = rangeOf(cidr);
  if (range === undefined || range.width === 32) return [];
  const canonical = `${written(range.address)}/${range.bits}`;
  if (canonical === cidr) return [];
  return [`${field}: IPv6 CIDR value "${cidr}" should be in RFC 5952 canonical format ("${canonical}")`];
}

/** What is odd about how an address is written that is fine. */
export function addressWarnings(field: string, ip: string): string[] {
  const range = rangeOf(ip);
  if (range === undefined || isIPv4(ip)) return [];
  if (range.isMapped) {
    const plain = writtenIPv4(range.address);
    return [`${field}: non-standard IP address "${ip}" is invalid: use "${plain}"`];
  }
  const canonical = written(range.address);
  if (canonical === ip) return [];
  return [`${field}: IPv6 address "${ip}" should be in RFC 5952 canonical format ("${canonical}")`];
}

const writtenIPv4 = (address: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((address >> shift) & 0xffn)).join(".");

const numberOfIPv4 = (ip: string): bigint => ip.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);

function numberOfIPv6(ip: string): bigint {
  const [head = "", tail] = ip.split("::");
  const words = (part: string): bigint[] =>
    part === ""
      ? []
      : part.split(":").flatMap((word) => {
          if (!word.includes(".")) return [BigInt(`0x${word}`)];
          const last = numberOfIPv4(word);
          return [last >> 16n, last & 0xffffn];
        });
  const [front, back] = [words(head), tail === undefined ? [] : words(tail)];
  const gap = Array.from({ length: tail === undefined ? 0 : 8 - front.length - back.length }, () => 0n);
  return [...front, ...gap, ...back].reduce((sum, word) => sum * 65_536n + word, 0n);
}

/** As RFC 5952 has it: the longest run of zeros, of two words at least, is left out. */
function written(address: bigint): string {
  const words = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((address >> shift) & 0xffffn).toString(16));
  const text = words.join(":");
  const runs = [...text.matchAll(/\b0(?::0)+\b/g)].map(([run]) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "");
  if (longest === "") return text;
  const at = text.search(new RegExp(`\\b${longest}\\b`));
  return `${text.slice(0, at).replace(/:$/, "")}::${text.slice(at + longest.length).replace(/^:/, "")}`;
}
