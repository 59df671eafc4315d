// Data in answers, as the text that Bindcar would write of them: only of the types that a zone is asked for. Pure.
import type { RRset } from "../bindcar/contract.ts";
import { type Reply, type ReplyRecord, readName } from "./message.ts";
import { signingCodes, typeCodes } from "./rdata.ts";

type Type = "SOA" | "NS" | keyof typeof signingCodes;

/** Undefined: there is none in the answer. */
export function rrsetIn(message: Buffer, { answers }: Reply, name: string, type: Type): RRset | undefined {
  const code = { ...typeCodes, ...signingCodes }[type];
  const found = answers.filter((it) => it.type === code && it.name === name);
  const [first] = found;
  if (first === undefined) return undefined;
  return { name, type, ttl: first.ttl, values: found.map((it) => valueIn(message, it, type)) };
}

function valueIn(message: Buffer, { data, dataStart }: ReplyRecord, type: Type): string {
  switch (type) {
    case "NS":
      return readName(message, dataStart).name;
    case "SOA": {
      const primary = readName(message, dataStart);
      const mailbox = readName(message, primary.end);
      const numbers = [0, 4, 8, 12, 16].map((at) => message.readUInt32BE(mailbox.end + at));
      return [primary.name, mailbox.name, ...numbers].join(" ");
    }
    case "DNSKEY":
      return `${data.readUInt16BE(0)} ${data[2]} ${data[3]} ${data.subarray(4).toString("base64")}`;
    case "CDS":
      return `${data.readUInt16BE(0)} ${data[2]} ${data[3]} ${data.subarray(4).toString("hex").toUpperCase()}`;
  }
}
