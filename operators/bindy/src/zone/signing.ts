// What a signed zone tells of its keys, for whoever looks after the zone above it. Pure.
import type { RRset } from "../bindcar/contract.ts";
import type { DNSZoneStatus } from "../kinds/index.ts";

/** BIND says by CDS when the parent may have a DS; which key it will be is known before. */
export function signingIn(served: readonly RRset[]): NonNullable<DNSZoneStatus["dnssec"]> {
  const of = (type: string) => served.filter((it) => it.type === type).flatMap(({ values }) => values);
  const keys = of("DNSKEY").flatMap((value) => keyIn(value) ?? []);
  const dsRecords = [...new Set(of("CDS"))].sort().slice(0, most);
  const [tag, algorithm] = dsRecords[0]?.split(" ") ?? [];
  const entry = keys.filter(({ isEntry }) => isEntry).sort((a, b) => a.tag - b.tag)[0];
  const keyTag = tag !== undefined && /^\d+$/.test(tag) ? Number(tag) : entry?.tag;
  const by = algorithm ?? entry?.algorithm;
  return {
    signed: of("DNSKEY").length > 0,
    dsRecords,
    ...(keyTag !== undefined && { keyTag }),
    ...(by !== undefined && { algorithm: by }),
  };
}

const most = 16;

interface Key {
  readonly tag: number;
  readonly algorithm: string;
  /** Whether a DS may name it (RFC 4034, 2.1.1). */
  readonly isEntry: boolean;
}

/** `257 3 13 base64`, which may have spaces within. */
function keyIn(value: string): Key | undefined {
  const [, flags = "", protocol = "", algorithm = "", key = ""] = /^(\d+) (\d+) (\d+) (.+)$/s.exec(value) ?? [];
  if (key === "") return undefined;
  const head = Buffer.from([Number(flags) >> 8, Number(flags) & 0xff, Number(protocol), Number(algorithm)]);
  const tag = keyTagOf(Buffer.concat([head, Buffer.from(key, "base64")]));
  return { tag, algorithm, isEntry: (Number(flags) & 1) === 1 };
}

/** RFC 4034, appendix B. */
function keyTagOf(rdata: Uint8Array): number {
  let sum = 0;
  rdata.forEach((byte, i) => {
    sum += i % 2 === 0 ? byte << 8 : byte;
  });
  return (sum + (sum >> 16)) & 0xffff;
}
