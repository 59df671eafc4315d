// What a record object asks for, as DNS has it: type, owner and values in presentation form. What cannot be said to a server is
// refused with the field and the reason; it is never escaped into something else (3.5, 12.2). Pure.
import { canonicalJson, type KindRef, sha256Hex } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { recordValueOf } from "../bindcar/record-value.ts";
import { type DNSRecord, kindOfType, type RecordSpecs, type RecordType, recordKinds, settled } from "../kinds/index.ts";
import { type Checked, checkRecord } from "../validate/index.ts";

export interface RecordData {
  readonly type: RecordType;
  /** In the zone, as the object says it: `@`, `www`. */
  readonly name: string;
  /** Absent: the zone's. */
  readonly ttl?: number;
  /** Each as BIND prints it, so that equal data are equal texts. */
  readonly values: readonly string[];
}

export interface Refusal {
  readonly field: string;
  readonly why: SafeText;
}

export type Read = { readonly is: "data"; readonly data: RecordData } | ({ readonly is: "refused" } & Refusal);

export function dataOf(record: DNSRecord): Read {
  const type = typeOf(record);
  // The kind of an object says which of the kinds it is of.
  const checked: Checked<RecordSpecs[RecordType]> = checkRecord(type, record as never);
  if (checked.at === "invalid") return { is: "refused", field: checked.path, why: checked.problem };
  const { name, ttl } = checked.spec;
  const given = presented(type, checked.spec);
  const values = given.flatMap((value) => recordValueOf(type, value) ?? []);
  if (values.length < given.length)
    return { is: "refused", field: "spec", why: text`is not what a record of this kind can say` };
  return { is: "data", data: { type, name, ...(ttl !== undefined && { ttl }), values: values.sort() } };
}

/** What DNS calls the kind. */
export function typeOf({ kind }: Pick<DNSRecord, "kind">): RecordType {
  const found = types.find((type) => kindOfType[type].kind === kind);
  if (found === undefined) throw new TypeError(`${kind} is no kind of record`);
  return found;
}

const types = ["A", "AAAA", "TXT", "CNAME", "MX", "NS", "SRV", "CAA"] as const satisfies readonly RecordType[];

/** All of them, as kinds of any record: an object says which it is of. */
export const kinds = recordKinds as unknown as readonly KindRef<DNSRecord>[];

export function kindOf({ kind }: Pick<DNSRecord, "kind">): KindRef<DNSRecord> {
  const found = kinds.find((it) => it.kind === kind);
  if (found === undefined) throw new TypeError(`${kind} is no kind of record`);
  return found;
}

/** The same for equal specs, whatever is left out or null in them. */
export function recordHash(record: DNSRecord): string {
  return sha256Hex(canonicalJson(settled(kindOfType[typeOf(record)], record.spec)));
}

/** `192.0.2.1,192.0.2.2`: of addresses only. */
export function addressesOf({ type, values }: RecordData): string | undefined {
  return type === "A" || type === "AAAA" ? values.join(",") : undefined;
}

function presented<T extends RecordType>(type: T, spec: RecordSpecs[T]): readonly string[] {
  return presenters[type](spec);
}

type Presenters = { readonly [T in RecordType]: (spec: RecordSpecs[T]) => readonly string[] };

const presenters: Presenters = {
  A: ({ ipv4Addresses }) => ipv4Addresses,
  AAAA: ({ ipv6Addresses }) => ipv6Addresses,
  // One record of several strings.
  TXT: ({ text: strings }) => [strings.flatMap(split).map(quoted).join(" ")],
  CNAME: ({ target }) => [target],
  MX: ({ priority, mailServer }) => [`${priority} ${mailServer}`],
  NS: ({ nameserver }) => [nameserver],
  SRV: ({ priority, weight, port, target }) => [`${priority} ${weight} ${port} ${target}`],
  CAA: ({ flags, tag, value }) => [`${flags} ${tag} ${quoted(value)}`],
};

const longest = 255;

/** What is too long for one string of DNS is several: of 255 bytes, and never cut within a character. */
export function split(it: string): readonly string[] {
  const parts: string[] = [];
  let [part, bytes] = ["", 0];
  for (const character of it) {
    const size = Buffer.byteLength(character);
    if (bytes + size > longest) {
      parts.push(part);
      [part, bytes] = ["", 0];
    }
    part += character;
    bytes += size;
  }
  return [...parts, part];
}

const quoted = (it: string): string => `"${it.replaceAll(/["\\]/g, "\\$&")}"`;
