// A zone as a file. Every name is absolute and every line begins with one: no directive can be made of what somebody sent.
import type { RRset } from "../../bindcar/contract.ts";

export function zoneFileOf(zone: string, rrsets: readonly RRset[]): string {
  const first = rrsets.filter(({ type }) => type === "SOA");
  const rest = rrsets.filter(({ type }) => type !== "SOA");
  const ttl = first[0]?.ttl ?? 3600;
  const lines = [...first, ...rest].flatMap(({ name, type, ttl, values }) =>
    values.map((value) => `${name} ${ttl} IN ${type} ${value}`),
  );
  return `${[`$ORIGIN ${zone}.`, `$TTL ${ttl}`, ...lines].join("\n")}\n`;
}

/** The zone that a file is of. */
export const originOf = (text: string): string | undefined => /^\$ORIGIN (\S+)\.\n/.exec(text)?.[1];
