// IPv4 and IPv6 addresses as numbers.
import { goQuote } from "../../status.ts";

export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** The address, or what is wrong with the text. Zones and IPv4 mapped into IPv6 are not addresses here. */
export function parseAddress(text: string): Address | string {
  const bad = (why: string): string => `ParseAddr(${goQuote(text)}): ${why}`;
  if (!/[.:%]/.test(text)) return bad("unable to parse IP");
  if (text.includes("%")) return `IP address ${goQuote(text)} with zone value is not allowed`;
  if (!text.includes(":")) return parseV4(text) ?? bad(whyNotV4(text));
  const value = parseV6(text);
  if (value === undefined) return bad("unexpected character");
  if (value >> 32n === 0xffffn) return `IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`;
  return { bits: 128, value };
}

function parseV4(text: string): Address | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return { bits: 32, value };
}

function whyNotV4(text: string): string {
  const parts = text.split(".");
  if (/[^0-9.]/.test(text)) return "unexpected character";
  if (parts.some((part) => /^0\d/.test(part))) return "IPv4 field has octet with leading zero";
  if (parts.some((part) => Number(part) > 255)) return "IPv4 field has value >255";
  return parts.length > 4 ? "IPv4 address too long" : "IPv4 address too short";
}

function parseV6(text: string): bigint | undefined {
  const embedded = /^(.*:)([^:]*\.[^:]*)$/.exec(text);
  let source = text;
  if (embedded !== null) {
    const v4 = parseV4(embedded[2] ?? "");
    if (v4 === undefined) return undefined;
    source = `${embedded[1]}${(v4.value >> 16n).toString(16)}:${(v4.value & 0xffffn).toString(16)}`;
  }
  const halves = source.split("::");
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  let value = 0n;
  for (const group of [...head, ...new Array<string>(Math.max(0, missing)).fill("0"), ...tail]) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
    value = (value << 16n) | BigInt(`0x${group}`);
  }
  return value;
}

/** The canonical text: lower case, the longest run of zeros (of two or more) left out. */
export function formatAddress({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  let [best, length] = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === "0") end++;
    if (end - i > length) [best, length] = [i, end - i];
  }
  if (best < 0) return groups.join(":");
  return `${groups.slice(0, best).join(":")}::${groups.slice(best + length).join(":")}`;
}
