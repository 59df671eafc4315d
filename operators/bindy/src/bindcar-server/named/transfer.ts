// What a zone holds, read from named by a signed transfer, as values.
import type { RecordType, RRset } from "../../bindcar/contract.ts";
import { recordTypes } from "../../bindcar/contract.ts";
import { recordValueOf } from "../../bindcar/record-value.ts";
import type { Content } from "../nameserver.ts";
import type { Run } from "./run.ts";

export interface TransferOptions {
  readonly run: Run;
  readonly server: string;
  readonly port: number;
  readonly key: string;
}

/** Undefined where named does not hand it out: no such zone, not loaded, or not for us. */
export async function transfer(
  zone: string,
  { run, server, port, key }: TransferOptions,
): Promise<Content | undefined> {
  const place = ["-r", `@${server}`, "-p", String(port), "-k", key];
  const form = ["+noall", "+answer", "+onesoa", "+nosplit", "+noidnin", "+noidnout", "+time=10", "+tries=1"];
  const { stdout } = await run("dig", [...place, ...form, "-t", "AXFR", "-q", `${zone}.`]);
  return contentOf(stdout);
}

/** Pure: what dig prints. Without a SOA it is no zone. */
export function contentOf(text: string): Content | undefined {
  const found = new Map<string, { name: string; type: string; ttl: number; values: string[] }>();
  for (const line of text.split("\n")) {
    const [, owner, ttl, type, data] = /^([^;\s]\S*)\s+(\d+)\s+IN\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (owner === undefined || type === undefined || data === undefined) continue;
    const name = owner.toLowerCase();
    const key = `${name} ${type}`;
    const value = written(type, data.trim());
    const there = found.get(key);
    if (there === undefined) found.set(key, { name, type, ttl: Number(ttl), values: [value] });
    else there.values.push(value);
  }
  const rrsets: readonly RRset[] = [...found.values()];
  const soa = rrsets.find(({ type }) => type === "SOA")?.values[0];
  return soa === undefined ? undefined : { serial: Number(soa.split(" ")[2]), rrsets };
}

/** As we write it ourselves, so that equal data are equal texts. What we do not write stays as it is printed. */
function written(type: string, data: string): string {
  return isOurs(type) ? (recordValueOf(type, data) ?? data) : data;
}

const isOurs = (type: string): type is RecordType | "SOA" => type === "SOA" || recordTypes.some((it) => it === type);
