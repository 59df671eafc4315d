// What a record object asks for, as DNS has it: type, owner and values in presentation form. What cannot be said to a server is
// refused here, with the field and the reason; it is never escaped into something else (3.5, 12.2). Pure.
import { canonicalJson, sha256Hex } from "@telltale/kinds";
import { type SafeText, text } from "@telltale/status";
import { addressOf } from "../bindcar/address.ts";
import { hostOf, ownerOf, targetOf } from "../bindcar/dns-name.ts";
import { mayOwn, recordValueOf } from "../bindcar/record-value.ts";
import { type DNSRecord, kindOfType, type RecordSpecs, type RecordType, settled } from "../kinds/index.ts";

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
  const { name, ttl } = common(type, record);
  const values = valuesOf[type](record);
  if (!isValues(values)) return { is: "refused", ...values };
  const owner = ownerProblem(type, name);
  if (owner !== undefined) return { is: "refused", field: "spec.name", why: owner };
  if (ttl !== undefined && !isTtl(ttl))
    return { is: "refused", field: "spec.ttl", why: text`is not between 0 and 2147483647` };
  return { is: "data", data: { type, name, ...(ttl !== undefined && { ttl }), values } };
}

/** The name of the record in the zone, absolute and in lower case. Undefined: it would be too long. */
export const fqdnOf = ({ name }: Pick<RecordData, "name">, zone: string): string | undefined => ownerOf(name, zone);

/** What DNS calls the kind: the name of the kind without its last word. */
export function typeOf({ kind }: Pick<DNSRecord, "kind">): RecordType {
  const found = types.find((type) => kindOfType[type].kind === kind);
  if (found === undefined) throw new TypeError(`${kind} is no kind of record`);
  return found;
}

const types = ["A", "AAAA", "TXT", "CNAME", "MX", "NS", "SRV", "CAA"] as const satisfies readonly RecordType[];

/** The same for equal specs, whatever is left out or null in them. */
export function recordHash(record: DNSRecord): string {
  return sha256Hex(canonicalJson(settled(kindOfType[typeOf(record)], record.spec)));
}

/** `192.0.2.1,192.0.2.2`: of addresses only. */
export function addressesOf({ type, values }: RecordData): string | undefined {
  return type === "A" || type === "AAAA" ? values.join(",") : undefined;
}

// The schema of the kind is what the type is made from: `settled` gives what the kind of the type declares.
const specOf = <T extends RecordType>(type: T, record: DNSRecord): RecordSpecs[T] =>
  settled(kindOfType[type], record.spec) as unknown as RecordSpecs[T];

const common = (type: RecordType, record: DNSRecord) => specOf(type, record);

const isTtl = (ttl: number): boolean => Number.isInteger(ttl) && ttl >= 0 && ttl <= 2 ** 31 - 1;

type Values = readonly string[] | Refusal;

const isValues = (values: Values): values is readonly string[] => Array.isArray(values);

const valuesOf: Readonly<Record<RecordType, (record: DNSRecord) => Values>> = {
  A: (record) => addresses(specOf("A", record).ipv4Addresses, "spec.ipv4Addresses", 4),
  AAAA: (record) => addresses(specOf("AAAA", record).ipv6Addresses, "spec.ipv6Addresses", 6),
  TXT: (record) => texts(specOf("TXT", record).text),
  CNAME(record) {
    const { name, target } = specOf("CNAME", record);
    if (name === "@") return { field: "spec.name", why: text`the zone itself cannot be an alias` };
    return one("CNAME", targetOf(target), "spec.target");
  },
  MX(record) {
    const { priority, mailServer } = specOf("MX", record);
    return one("MX", with16(hostOf(mailServer), priority), "spec.mailServer");
  },
  NS: (record) => one("NS", hostOf(specOf("NS", record).nameserver), "spec.nameserver"),
  SRV(record) {
    const { priority, weight, port, target } = specOf("SRV", record);
    const host = target === "." ? target : hostOf(target);
    return one("SRV", with16(host, priority, weight, port), "spec.target");
  },
  CAA(record) {
    const { flags, tag, value } = specOf("CAA", record);
    if (!["issue", "issuewild", "iodef"].includes(tag))
      return { field: "spec.tag", why: text`is not one of issue, issuewild and iodef` };
    const found = value.isWellFormed() ? recordValueOf("CAA", `${flags} ${tag} ${quoted(value)}`) : undefined;
    return found === undefined
      ? { field: "spec.value", why: text`is not printable text of 512 bytes at most` }
      : [found];
  },
};

function addresses(given: readonly string[], field: string, family: 4 | 6): Values {
  const found = new Set<string>();
  for (const [i, it] of given.entries()) {
    const address = addressOf(it);
    if (address?.family !== family) return { field: `${field}[${i}]`, why: text`is not an IPv${family} address` };
    if (found.has(address.text)) return { field: `${field}[${i}]`, why: text`is there twice` };
    found.add(address.text);
  }
  return found.size === 0 ? { field, why: text`has no address` } : [...found].sort();
}

/** One record of several strings, as they are given; one that is too long for DNS is several. */
function texts(given: readonly string[]): Values {
  const field = "spec.text";
  if (given.length === 0) return { field, why: text`has no string` };
  const odd = given.findIndex((it) => !it.isWellFormed() || recordValueOf("TXT", quotedParts(it)) === undefined);
  if (odd >= 0) return { field: `${field}[${odd}]`, why: text`has characters that cannot be printed, or is too long` };
  const value = recordValueOf("TXT", given.map(quotedParts).join(" "));
  return value === undefined ? { field, why: text`is too long for one record` } : [value];
}

const quotedParts = (it: string): string => split(it).map(quoted).join(" ");

const longest = 255;

/** At 255 bytes, and never within a character. */
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

function one(type: RecordType, value: string | undefined, field: string): Values {
  const found = value === undefined ? undefined : recordValueOf(type, value);
  return found === undefined ? { field, why: text`is not a name of a host that ends with a dot` } : [found];
}

const with16 = (host: string | undefined, ...numbers: readonly number[]): string | undefined =>
  host === undefined ? undefined : [...numbers, host].join(" ");

function ownerProblem(type: RecordType, name: string): SafeText | undefined {
  // Any zone does: whether the name is too long is known where the zone is.
  if (ownerOf(name, "a") === undefined) return text`is not a name within a zone`;
  if (!mayOwn(type, name)) return text`has an underscore, which a name of a host may not have`;
  const isService = /^_[^.]+\._[^.]+/.test(name);
  return type === "SRV" && !isService ? text`does not begin with a service and a protocol, as in _sip._tcp` : undefined;
}
