// The formats of strings that Kubernetes enforces. Its readings are looser or stricter than the standards in places, and stay so here.
import { parseGoDuration } from "@telltale/kinds";
import { dnsLabel, dnsSubdomain } from "../meta/names.ts";
import { isCidr, isIp, isMac } from "./addresses.ts";

/** Whether the server knows a format; others are ignored, with a warning when the CRD is written. */
export function isKnownFormat(format: string): boolean {
  return numeric.has(format) || stringFormat(format) !== undefined;
}

/** The check of a string format, with or without its dashes; undefined for formats of numbers and unknown ones. */
export function stringFormat(format: string): ((text: string) => boolean) | undefined {
  return strings.get(format) ?? strings.get(format.replaceAll("-", ""));
}

const numeric: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

const uuid = (version: string, variant: string) =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i");
const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

const strings: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", matches(/^[0-9a-f]{24}$/i)],
  ["uri", isUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", (text) => text.includes(".") && isIp(text)],
  ["ipv6", (text) => text.includes(":") && isIp(text)],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matches(uuid("[0-9a-f]", "[0-9a-f]"))],
  ["uuid3", matches(uuid("3", "[0-9a-f]"))],
  ["uuid4", matches(uuid("4", "[89ab]"))],
  ["uuid5", matches(uuid("5", "[89ab]"))],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", matches(/^\d{3}[- ]\d{2}[- ]\d{4}$/)],
  ["hexcolor", matches(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ["rgbcolor", isRgbColor],
  ["byte", matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime],
  ["date-time", isDateTime],
  ["k8sshortname", (text) => dnsLabel(text).length === 0],
  ["k8slongname", (text) => dnsSubdomain(text).length === 0],
]);

/** What a request line may hold: a URI with a scheme, or a path from the root. */
function isUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return false;
  const scheme = /^[A-Za-z][-A-Za-z0-9+.]*:/.exec(text)?.[0] ?? "";
  const rest = text.slice(scheme.length).replace(/\?.*$/s, "");
  if (text === "*") return true;
  if (!rest.startsWith("/")) return scheme !== "";
  if (scheme === "" || !rest.startsWith("//")) return isEscaped(rest);
  const slash = rest.indexOf("/", 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  return isAuthority(authority) && isEscaped(slash < 0 ? "" : rest.slice(slash));
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const user = authority.slice(0, Math.max(0, authority.length - host.length - 1));
  if (!/^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/.test(user)) return false;
  if (host.startsWith("[")) return /^\[[^\]]*\](:\d*)?$/.test(host);
  const colon = host.lastIndexOf(":");
  if (colon >= 0 && !/^\d*$/.test(host.slice(colon + 1))) return false;
  return /^[-A-Za-z0-9._~!$&'()*+,;=:<>"[\]\u0080-\u{10ffff}]*$/u.test(host);
}

const isEscaped = (path: string): boolean => !/%(?![0-9A-Fa-f]{2})/.test(path);

/** `a@b`, or with a name before it: `A <a@b>`. */
function isEmail(text: string): boolean {
  const angle = /^[^<>]*<([^<>]*)>$/.exec(text.trim());
  const address = angle?.[1] ?? text.trim();
  const at = address.lastIndexOf("@");
  if (at <= 0) return false;
  const [user, domain] = [address.slice(0, at), address.slice(at + 1)];
  const dotAtom = (part: string) =>
    part.split(".").every((a) => /^[-A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}]+$/u.test(a));
  return (dotAtom(user) || /^"[^"\\]*"$/.test(user)) && (dotAtom(domain) || /^\[[^[\]\\]*\]$/.test(domain));
}

/** One label with at most one dash, or several that end in a word of two letters and more. */
function isHostname(text: string): boolean {
  if (text.length > 255 || text.split(".").some((part) => Buffer.byteLength(part) > 63)) return false;
  const labels = text.split(".");
  const last = labels.pop() ?? "";
  if (labels.length === 0) return /^[a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u.test(last);
  const label = /^[a-zA-Z0-9\p{S}\p{L}]([-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
  return labels.every((part) => label.test(part)) && /^[a-zA-Z\p{L}]{2,63}$/u.test(last);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const clock = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time);
  return isDate(date) && clock !== null && Number(clock[1]) <= 23 && Number(clock[2]) <= 59 && Number(clock[3]) <= 59;
}

/** A Go duration, or a text with a number and a unit anywhere in it: `1d`, `P1D`, `2 weeks`. */
function isDuration(text: string): boolean {
  if (parseGoDuration(text) !== undefined) return true;
  for (const [, unit = ""] of text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)) if (isUnit(unit.toLowerCase())) return true;
  return false;
}

const units: ReadonlySet<string> = new Set(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const unitStems = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
const isUnit = (unit: string): boolean => units.has(unit) || unitStems.some((stem) => unit.startsWith(stem));

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, d, i) => total + (i + 1) * (d === "X" ? 10 : Number(d)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, d, i) => total + (i % 2 === 0 ? 1 : 3) * Number(d), 0) % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, "");
  const issuer =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$/;
  if (!issuer.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, d, i) => {
    const doubled = Number(d) * (i % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return parts?.slice(1).every((p) => Number(p) <= 255 && (p === "0" || !p.startsWith("0"))) ?? false;
}
