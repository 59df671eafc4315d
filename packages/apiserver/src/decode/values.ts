// The values that Go reads with code of its own: times, quantities, base64. The texts of refusals are Go's.
import { formatQuantity, parseQuantity } from "@telltale/kinds";
import { isUsualTime, parseGoTime } from "../crd/go-time.ts";

/** The value cannot be decoded; the message is Go's, without the words around it. */
export class ValueError extends Error {}

const quantityShape = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/;

/** A quantity in its canonical form. */
export function canonicalQuantity(text: string): string {
  const shape = quantityShape.exec(text);
  // Longer than any exact amount: the canonical form would cost more than the body.
  const parsed = text.length > 1000 ? undefined : parseQuantity(text);
  if (parsed !== undefined) return formatQuantity(parsed);
  const number = shape?.[1] ?? "";
  if (shape === null || !/^[+-]?\d*\.?\d*$/.test(number) || !/\d/.test(number))
    throw new ValueError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  throw new ValueError("unable to parse quantity's suffix");
}

/** A time as Go writes it back: UTC, in whole seconds or with six digits. */
export function canonicalTime(text: string, micro: boolean): string {
  const form = micro ? "micro" : "seconds";
  if (isUsualTime(text, form)) return text;
  const moment = parseGoTime(text, form);
  if ("problem" in moment) throw new ValueError(`parsing time ${JSON.stringify(text)}${moment.problem}`);
  const date = new Date(moment.ms).toISOString();
  return micro ? `${date.slice(0, -5)}.${moment.fraction.slice(0, 6).padEnd(6, "0")}Z` : `${date.slice(0, -5)}Z`;
}

/** Base64 as Go reads it: line ends are skipped, padding is required; written back without the line ends. */
export function canonicalBase64(text: string): string {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return clean(text);
  let group = 0; // how many characters of the current four were read
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? "";
    if (c === "\n" || c === "\r") continue;
    if (/[A-Za-z0-9+/]/.test(c)) {
      group = (group + 1) % 4;
      last = at + 1;
      continue;
    }
    if (c !== "=" || group < 2) throw illegal(at);
    let end = at + 1;
    const skip = (): void => {
      while (text[end] === "\n" || text[end] === "\r") end++;
    };
    skip();
    if (group === 2) {
      if (end >= text.length) throw illegal(text.length);
      if (text[end] !== "=") throw illegal(end);
      end++;
      skip();
    }
    if (end < text.length) throw illegal(end);
    group = 0;
    break;
  }
  if (group !== 0) throw illegal(Math.max(0, last - group));
  return clean(text.replace(/[\r\n]/g, ""));
}

const illegal = (at: number): ValueError => new ValueError(`illegal base64 data at input byte ${at}`);

/** The bits that no byte needs come back as zero. */
const clean = (text: string): string =>
  text.endsWith("=") ? text.slice(0, -4) + Buffer.from(text.slice(-4), "base64").toString("base64") : text;
