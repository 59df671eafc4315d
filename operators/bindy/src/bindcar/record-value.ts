// The data of a record: read from presentation form, checked, and written again as BIND prints it. Only what was written here
// reaches a zone file or a script; equal data are equal texts.
import { addressOf } from "./address.ts";
import type { RecordType } from "./contract.ts";
import { absoluteOf, hostOf, targetOf } from "./dns-name.ts";

export function recordValueOf(type: RecordType | "SOA", text: string): string | undefined {
  return text.length > 65_535 ? undefined : readers[type](text);
}

/** MX and SRV may come with their priority apart. */
export function withPriority(type: RecordType, value: string, priority: number | undefined): string {
  return priority !== undefined && (type === "MX" || type === "SRV") ? `${priority} ${value}` : value;
}

/** Whether a name may have this type: addresses and mail need one of a host. */
export function mayOwn(type: string, name: string): boolean {
  return !["A", "AAAA", "MX"].includes(type) || !name.includes("_");
}

const readers: Readonly<Record<RecordType | "SOA", (text: string) => string | undefined>> = {
  A: (text) => (addressOf(text)?.family === 4 ? text : undefined),
  AAAA: (text) => {
    const address = addressOf(text);
    return address?.family === 6 ? address.text : undefined;
  },
  CNAME: targetOf,
  PTR: targetOf,
  NS: hostOf,
  MX: (text) => fields(text, [uint16, hostOf]),
  SRV: (text) => fields(text, [uint16, uint16, uint16, srvTarget]),
  TXT: (text) => {
    const strings = quotedStrings(text);
    return strings === undefined || strings.length > 255 ? undefined : strings.map(quoted).join(" ");
  },
  CAA: (text) => {
    const [, flags = "", tag = "", rest = ""] = /^(\d{1,3}) ([A-Za-z0-9]{1,15}) (".*")$/s.exec(text) ?? [];
    const value = quotedStrings(rest, 512);
    if (value?.length !== 1 || uint(flags, 255) === undefined) return undefined;
    return `${uint(flags, 255)} ${tag.toLowerCase()} ${quoted(value[0] ?? Buffer.alloc(0))}`;
  },
  SOA: (text) => fields(text, [hostOf, mailbox, uint32, int31, int31, int31, int31]),
};

type Field = (word: string) => string | undefined;

function fields(text: string, readers: readonly Field[]): string | undefined {
  const words = text.split(" ");
  if (words.length !== readers.length) return undefined;
  const read = readers.map((field, i) => field(words[i] ?? ""));
  return read.includes(undefined) ? undefined : read.join(" ");
}

function uint(word: string, most: number): string | undefined {
  return /^\d{1,10}$/.test(word) && Number(word) <= most ? String(Number(word)) : undefined;
}

const uint16: Field = (word) => uint(word, 65_535);
const uint32: Field = (word) => uint(word, 2 ** 32 - 1);
const int31: Field = (word) => uint(word, 2 ** 31 - 1);
const srvTarget: Field = (word) => (word === "." ? word : hostOf(word));
/** The first label is a person, and may be more than a host may. */
const mailbox: Field = (word) => (word.startsWith("*") ? undefined : absoluteOf(word));

/** `"a b" "c\"d"`: the bytes of each string, or undefined where it is anything else. */
function quotedStrings(text: string, longest = 255): readonly Buffer[] | undefined {
  const strings: Buffer[] = [];
  let rest = text;
  while (rest !== "") {
    const found = /^"((?:[^"\\]|\\(?:\d{3}|\D))*)"( (?=")|$)/s.exec(rest);
    if (found === null) return undefined;
    const bytes = unescaped(found[1] ?? "");
    if (bytes === undefined || bytes.length > longest || !isUtf8(bytes) || hasControls(bytes)) return undefined;
    strings.push(bytes);
    rest = rest.slice(found[0].length);
  }
  return strings.length === 0 ? undefined : strings;
}

function unescaped(text: string): Buffer | undefined {
  const parts: Buffer[] = [];
  for (const [, number, escaped, plain] of text.matchAll(/\\(\d{3})|\\(\D)|([^\\]+)/gsu)) {
    if (number !== undefined && Number(number) > 255) return undefined;
    parts.push(number === undefined ? Buffer.from(escaped ?? plain ?? "", "utf8") : Buffer.from([Number(number)]));
  }
  return Buffer.concat(parts);
}

/** Control characters of ASCII, and those of Unicode that turn the direction of a line. */
function hasControls(bytes: Buffer): boolean {
  return /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(bytes.toString("utf8"));
}

const isUtf8 = (bytes: Buffer): boolean => Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);

/** As BIND prints it: what is not printable ASCII by its number. */
function quoted(bytes: Buffer): string {
  let out = "";
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c) out += `\\${String.fromCharCode(byte)}`;
    else if (byte < 0x20 || byte > 0x7e) out += `\\${String(byte).padStart(3, "0")}`;
    else out += String.fromCharCode(byte);
  }
  return `"${out}"`;
}
