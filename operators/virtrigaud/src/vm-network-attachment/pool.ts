// A pool of addresses, as a ConfigMap describes it: `ranges`, `prefix`, `gateway`, `dns`. Pools may be huge: addresses are never
// listed, only counted through from the lowest.
import type { ConfigMap } from "@telltale/kinds/builtin";
import { cut, type SafeText, text } from "@telltale/status";
import { addressIn, type Ipv4, isReserved, parseCidr, parsePrefix, type Span } from "../ipv4.ts";

export interface Pool {
  /** In order, and none touches another. */
  readonly spans: readonly Span[];
  readonly prefix: number | undefined;
  readonly gateway: Ipv4 | undefined;
}

export type PoolRead =
  | { readonly is: "usable"; readonly pool: Pool }
  | { readonly is: "unusable"; readonly why: SafeText };

/** More parts than this are no description but a list. */
const mostParts = 10_000;

export function readPool({ metadata, data = {} }: ConfigMap): PoolRead {
  const unusable = (why: SafeText): PoolRead => ({
    is: "unusable",
    why: text`ConfigMap ${metadata?.name ?? ""}: ${why}`,
  });
  const { ranges = "", prefix: prefixText, gateway: gatewayText, dns = "" } = data;
  const prefix = given(prefixText, parsePrefix);
  if (prefix === "wrong") return unusable(text`prefix ${shown(prefixText)} is not a number from 0 to 32`);
  const gateway = given(gatewayText, addressIn);
  if (gateway === "wrong") return unusable(text`gateway ${shown(gatewayText)} is not an IPv4 address`);
  const wrongServer = parts(dns).find((server) => addressIn(server) === undefined);
  if (wrongServer !== undefined) return unusable(text`dns ${shown(wrongServer)} is not an IPv4 address`);
  const list = parts(ranges);
  if (list.length === 0) return unusable(text`ranges is empty`);
  if (list.length > mostParts) return unusable(text`ranges has more than ${mostParts} parts`);
  const spans: Span[] = [];
  for (const part of list) {
    const span = spanOf(part, prefix);
    if (span === undefined) return unusable(text`ranges: ${shown(part)} is neither a.b.c.d-a.b.c.e nor a CIDR`);
    if (span.first <= span.last) spans.push(span);
  }
  return { is: "usable", pool: { spans: merged(spans), prefix, gateway } };
}

const parts = (list: string): readonly string[] =>
  list
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

const shown = (part: string | undefined): string => cut(part ?? "", 64);

function given<T>(value: string | undefined, parse: (value: string) => T | undefined): T | undefined | "wrong" {
  if (value === undefined || value.trim() === "") return undefined;
  return parse(value) ?? "wrong";
}

/** A subnet of its own has two addresses that no machine can have, unless the pool says what the real subnet is. */
function spanOf(part: string, prefix: number | undefined): Span | undefined {
  const cidr = parseCidr(part);
  if (cidr !== undefined) {
    const isWhole = prefix === undefined && cidr.prefix <= 30;
    return isWhole ? { first: cidr.first + 1, last: cidr.last - 1 } : { first: cidr.first, last: cidr.last };
  }
  const [from = "", to = "", ...more] = part.split("-");
  const [first, last] = [addressIn(from), addressIn(to)];
  if (first === undefined || last === undefined || first > last || more.length > 0) return undefined;
  return { first, last };
}

function merged(spans: readonly Span[]): readonly Span[] {
  const out: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.first - b.first)) {
    const before = out.at(-1);
    if (before === undefined || span.first > before.last + 1) out.push(span);
    else out[out.length - 1] = { first: before.first, last: Math.max(before.last, span.last) };
  }
  return out;
}

/** Whether a machine can have this address from the pool. */
export const offers = (pool: Pool, ip: Ipv4): boolean =>
  pool.spans.some(({ first, last }) => first <= ip && ip <= last) && isForMachines(pool, ip);

const isForMachines = ({ prefix, gateway }: Pool, ip: Ipv4): boolean =>
  ip !== gateway && !(prefix !== undefined && isReserved(ip, prefix));

/** Gives the lowest address that is free, again and again. What was passed over is not looked at twice. */
export function* lowest(pool: Pool, isTaken: (ip: Ipv4) => boolean): Generator<Ipv4, undefined> {
  for (const { first, last } of pool.spans) {
    for (let ip = first; ip <= last; ip += 1) {
      if (isForMachines(pool, ip) && !isTaken(ip)) yield ip;
    }
  }
  return undefined;
}
