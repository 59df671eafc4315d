// Names and record data in wire format (RFC 1035, 3.1 and 3.3), from the text that `record-value.ts` writes. Pure.
import type { RecordType } from "../bindcar/contract.ts";

/** Codes of record types (IANA). */
export const typeCodes: Readonly<Record<RecordType | "SOA", number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  CAA: 257,
};

/** Of data that BIND makes itself when it signs: they can be asked for. */
export const signingCodes = { DNSKEY: 48, CDS: 59 } as const;

/** Never compressed: data under TSIG and in updates are written in full. */
export function wireName(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  const parts = labels.map((label) => charString(Buffer.from(label.toLowerCase(), "latin1")));
  return Buffer.concat([...parts, Buffer.from([0])]);
}

export function wireData(type: RecordType | "SOA", value: string): Buffer {
  const words = value.split(" ");
  switch (type) {
    case "A":
      return Buffer.from(value.split(".").map(Number));
    case "AAAA":
      return ipv6Bytes(value);
    case "CNAME":
    case "NS":
    case "PTR":
      return wireName(value);
    case "MX":
      return Buffer.concat([uint16(words[0]), wireName(words[1] ?? "")]);
    case "SRV":
      return Buffer.concat([...words.slice(0, 3).map(uint16), wireName(words[3] ?? "")]);
    case "TXT":
      return Buffer.concat(quotedStrings(value).map(charString));
    case "CAA": {
      const [content = Buffer.alloc(0)] = quotedStrings(value.slice(value.indexOf('"')));
      return Buffer.concat([
        Buffer.from([Number(words[0])]),
        charString(Buffer.from(words[1] ?? "", "latin1")),
        content,
      ]);
    }
    case "SOA":
      return Buffer.concat([wireName(words[0] ?? ""), wireName(words[1] ?? ""), ...words.slice(2).map(uint32)]);
  }
}

const charString = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes]);

function uint16(word: string | undefined): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(Number(word));
  return bytes;
}

function uint32(word: string | undefined): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Number(word));
  return bytes;
}

/** As `address.ts` prints them: `2001:db8::1`, `::ffff:192.0.2.1`. */
function ipv6Bytes(text: string): Buffer {
  const [left = "", right] = text.split("::");
  const head = groupBytes(left);
  const tail = groupBytes(right ?? "");
  return Buffer.concat([head, Buffer.alloc(16 - head.length - tail.length), tail]);
}

function groupBytes(text: string): Buffer {
  const groups = text.split(":").filter((group) => group !== "");
  const bytes = groups.map((group) =>
    group.includes(".") ? Buffer.from(group.split(".").map(Number)) : uint16(`0x${group}`),
  );
  return Buffer.concat(bytes);
}

/** `"a b" "c\"d\195"`: the bytes of each. */
function quotedStrings(text: string): readonly Buffer[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, content = ""]) => {
    const bytes = [...content.matchAll(/\\(\d{3})|\\(.)|([^\\])/gs)].map(([, code, escaped, plain]) =>
      code === undefined ? Buffer.from(escaped ?? plain ?? "", "latin1") : Buffer.from([Number(code)]),
    );
    return Buffer.concat(bytes);
  });
}
