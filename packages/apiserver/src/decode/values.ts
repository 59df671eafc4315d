// The values that Go reads with code of its own: times, quantities, base64. The texts of refusals are Go's.
import { formatQuantity, parseQuantity } from "@telltale/kinds";
import { isUsualTime } from "../crd/go-time.ts";

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

const secondsLayout = "2006-01-02T15:04:05Z07:00";
const microLayout = "2006-01-02T15:04:05.000000Z07:00";

/** A time as Go writes it back: UTC, in whole seconds or with six digits. */
export function canonicalTime(text: string, micro: boolean): string {
  if (isUsualTime(text, micro ? "micro" : "seconds")) return text;
  const layout = micro ? microLayout : secondsLayout;
  const moment = parseMoment(text, layout, micro);
  const date = new Date(moment.ms).toISOString();
  return micro ? `${date.slice(0, -5)}.${moment.fraction.slice(0, 6).padEnd(6, "0")}Z` : `${date.slice(0, -5)}Z`;
}

interface Moment {
  readonly ms: number;
  readonly fraction: string;
}

/** Go's time.Parse, for the two layouts of the API: piece by piece, so that the refusal names the piece. */
function parseMoment(text: string, layout: string, micro: boolean): Moment {
  let rest = text;
  const take = (shape: RegExp, piece: string): string => {
    const found = shape.exec(rest)?.[0];
    if (found === undefined)
      throw new ValueError(
        `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(piece)}`,
      );
    rest = rest.slice(found.length);
    return found;
  };
  const outOfRange = (what: string): never => {
    throw new ValueError(`parsing time ${quote(text)}: ${what} out of range`);
  };
  const year = Number(take(/^\d{4}/, "2006"));
  take(/^-/, "-");
  const month = Number(take(/^\d\d/, "01"));
  if (month < 1 || month > 12) outOfRange("month");
  take(/^-/, "-");
  const day = Number(take(/^\d\d/, "02"));
  take(/^T/, "T");
  const hour = Number(take(/^\d\d?/, "15"));
  if (hour > 23) outOfRange("hour");
  take(/^:/, ":");
  const minute = Number(take(/^\d\d/, "04"));
  if (minute > 59) outOfRange("minute");
  take(/^:/, ":");
  const second = Number(take(/^\d\d/, "05"));
  if (second > 59) outOfRange("second");
  const fraction = micro ? take(/^[.,]\d{6}/, ".000000").slice(1) : (/^[.,](\d+)/.exec(rest)?.[1] ?? "");
  if (!micro && fraction !== "") rest = rest.slice(fraction.length + 1);
  const zone = take(/^(?:Z|[+-]\d\d:\d\d)/, "Z07:00");
  if (rest !== "") throw new ValueError(`parsing time ${quote(text)}: extra text: ${quote(rest)}`);
  const [zoneHours = 0, zoneMinutes = 0] = zone === "Z" ? [] : [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (zoneHours > 24) outOfRange("time zone offset hour");
  if (zoneMinutes > 60) outOfRange("time zone offset minute");
  if (day < 1 || day > daysIn(year, month)) outOfRange("day");
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const offset = (zoneHours * 60 + zoneMinutes) * 60_000;
  return { ms: date.getTime() + (zone.startsWith("-") ? offset : -offset), fraction };
}

const quote = (text: string): string => JSON.stringify(text);

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
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
