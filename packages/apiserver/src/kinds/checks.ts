// Checks that the rules of many kinds share, with the words of upstream: names, numbers, ports, labels, addresses.
import { isIPv4, isIPv6 } from "node:net";
import { deepEqual, isQualifiedName } from "@telltale/kinds";
import { isObject, type Json, type JsonObject, put, text } from "../json.ts";
import { type FieldError, invalidField, notSupported, required } from "../status.ts";
import { each, given, list, texts } from "./edit.ts";
import { rangeOf } from "./ip-ranges.ts";

type Found = FieldError[];

const dnsLabelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const wildcardText =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const dns1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const qualifiedCharacters =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const configKeyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const labelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const namePart = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const isSubdomain = (name: string): boolean => name.split(".").every((part) => labelPattern.test(part));
const bytes = (value: string): number => Buffer.byteLength(value);

/** What is wrong with a name, in words; nothing when it is fine. */
export function labelProblems(name: string): string[] {
  const problems = name.length > 63 ? ["must be no more than 63 characters"] : [];
  if (labelPattern.test(name)) return problems;
  return [...problems, isSubdomain(name) ? "must not contain dots" : dnsLabelText];
}

export function subdomainProblems(name: string): string[] {
  const problems = name.length > 253 ? ["must be no more than 253 characters"] : [];
  return isSubdomain(name) ? problems : [...problems, subdomainText];
}

export function wildcardProblems(name: string): string[] {
  const problems = name.length > 253 ? ["must be no more than 253 characters"] : [];
  return name.startsWith("*.") && isSubdomain(name.slice(2)) ? problems : [...problems, wildcardText];
}

export function dns1035Problems(name: string): string[] {
  const problems = name.length > 63 ? ["must be no more than 63 characters"] : [];
  return /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(name) ? problems : [...problems, dns1035Text];
}

export function qualifiedProblems(name: string): string[] {
  const parts = name.split("/");
  if (parts.length > 2)
    return [
      `a qualified name ${qualifiedCharacters} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const own = parts.at(-1) ?? "";
  const problems: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    if (prefix === "") problems.push("prefix part must be non-empty");
    else problems.push(...subdomainProblems(prefix).map((p) => `prefix part ${p}`));
  }
  if (own === "") problems.push("name part must be non-empty");
  else if (bytes(own) > 63) problems.push("name part must be no more than 63 bytes");
  if (!namePart.test(own)) problems.push(`name part ${qualifiedCharacters}`);
  return problems;
}

export function labelValueProblems(value: string): string[] {
  const problems = bytes(value) > 63 ? ["must be no more than 63 bytes"] : [];
  return value === "" || namePart.test(value) ? problems : [...problems, labelValueText];
}

export function configKeyProblems(key: string): string[] {
  const problems = key.length > 253 ? ["must be no more than 253 characters"] : [];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) problems.push(configKeyText);
  if (key === ".") problems.push("must not be '.'");
  if (key === "..") problems.push("must not be '..'");
  else if (key.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

export function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  else if (!/[a-z]/.test(name)) problems.push("must contain at least one letter (a-z)");
  if (name.includes("--")) problems.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

export function envNameProblems(name: string): string[] {
  return /^[ -<>-~]+$/.test(name)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** `acme.io/foo` */
export function domainPathProblems(value: string): string[] {
  const slash = value.indexOf("/");
  if (slash <= 0 || slash === value.length - 1) return ['must be a domain-prefixed path (such as "acme.io/foo")'];
  return subdomainProblems(value.slice(0, slash));
}

/** Each problem of a value as an error of its field. */
export const told = (field: string, value: Json | undefined, problems: readonly string[]): Found =>
  problems.map((problem) => invalidField(field, value, problem));

/** A name that has to be there. */
export function requiredName(field: string, value: Json | undefined, problems: (name: string) => string[]): Found {
  const name = text(value);
  return name === "" ? [required(field)] : told(field, name, problems(name));
}

export function nonNegative(field: string, value: Json | undefined): Found {
  return typeof value === "number" && value < 0
    ? [invalidField(field, value, "must be greater than or equal to 0")]
    : [];
}

export function within(field: string, value: Json | undefined, min: number, max: number): Found {
  if (typeof value !== "number" || (value >= min && value <= max)) return [];
  return [invalidField(field, value, `must be between ${min} and ${max}, inclusive`)];
}

export const portNumber = (field: string, value: Json | undefined): Found => within(field, value, 1, 65535);

/** A port by number or by name; a missing one counts as 0. */
export function portOrName(field: string, value: Json | undefined): Found {
  if (typeof value === "string") return told(field, value, portNameProblems(value));
  return portNumber(field, value ?? 0);
}

export function oneOf(field: string, value: Json | undefined, supported: readonly string[]): Found {
  return supported.includes(text(value)) ? [] : [notSupported(field, value ?? "", supported)];
}

/** As `oneOf`, where nothing is fine as well. */
export function optionalOneOf(field: string, value: Json | undefined, supported: readonly string[]): Found {
  return value === undefined || value === null ? [] : oneOf(field, value, supported);
}

export const protocols = ["SCTP", "TCP", "UDP"];

export function ipAddress(field: string, value: Json | undefined): Found {
  const ip = text(value);
  if (!isIPv4(ip) && !isIPv6(ip))
    return [invalidField(field, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  return rangeOf(ip)?.isMapped === true ? [invalidField(field, ip, "must not be an IPv4-mapped IPv6 address")] : [];
}

export function isCidr(value: string): boolean {
  const [ip = "", bits = "", more] = value.split("/");
  if (more !== undefined || !/^(?:0|[1-9]\d{0,2})$/.test(bits)) return false;
  return (isIPv4(ip) && Number(bits) <= 32) || (isIPv6(ip) && !ip.includes("%") && Number(bits) <= 128);
}

export function cidr(field: string, value: Json | undefined): Found {
  return isCidr(text(value))
    ? []
    : [invalidField(field, text(value), "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")];
}

/** Labels as the field `labels` of a template or a selector. */
export function labels(field: string, value: JsonObject | undefined): Found {
  const found: Found = [];
  for (const [key, label] of Object.entries(value ?? {})) {
    found.push(...told(field, key, qualifiedProblems(key)), ...told(field, label, labelValueProblems(text(label))));
  }
  return found;
}

/** A label selector as an object. */
export function labelSelector(field: string, selector: JsonObject | undefined): Found {
  if (selector === undefined) return [];
  const found = labels(`${field}.matchLabels`, given(selector, "matchLabels"));
  for (const [i, expression] of each(selector, "matchExpressions").entries()) {
    found.push(...requirement(`${field}.matchExpressions[${i}]`, expression));
  }
  return found;
}

function requirement(field: string, expression: JsonObject): Found {
  const operator = text(expression["operator"]);
  const values = list(expression, "values");
  const found: Found = [];
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      found.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0)
      found.push({
        type: "FieldValueForbidden",
        field: `${field}.values`,
        body: "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      });
  } else found.push(invalidField(`${field}.operator`, operator, "not a valid selector operator"));
  const key = text(expression["key"]);
  found.push(...told(`${field}.key`, key, qualifiedProblems(key)));
  for (const [i, value] of values.entries())
    found.push(...told(`${field}.values[${i}]`, value, labelValueProblems(text(value))));
  return found;
}

/** Whether a selector can be used at all. */
export function isUsableSelector(selector: JsonObject | undefined): boolean {
  if (labels("", given(selector, "matchLabels")).length > 0) return false;
  return each(selector, "matchExpressions").every(
    (e) =>
      isQualifiedName(text(e["key"])) &&
      ["In", "NotIn", "Exists", "DoesNotExist"].includes(text(e["operator"])) &&
      ["In", "NotIn"].includes(text(e["operator"])) === list(e, "values").length > 0,
  );
}

/** A selector as messages show it: as JSON, without what is empty; none is `null`. */
export function shownSelector(selector: JsonObject | undefined): Json {
  if (selector === undefined) return null;
  const shown: JsonObject = {};
  const matchLabels = texts(selector, "matchLabels");
  if (matchLabels !== undefined) shown["matchLabels"] = sorted(matchLabels);
  const expressions = each(selector, "matchExpressions");
  if (expressions.length > 0)
    shown["matchExpressions"] = expressions.map((e) => ({
      key: text(e["key"]),
      operator: text(e["operator"]),
      ...(list(e, "values").length === 0 ? {} : { values: list(e, "values") }),
    }));
  return shown;
}

/** A map as Go prints it: by key. Without members it is `null`. */
export function shownMap(map: Readonly<Record<string, string>> | undefined): Json {
  return map === undefined || Object.keys(map).length === 0 ? null : sorted(map);
}

function sorted(map: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A count or a percentage, and not below zero. */
export function intOrPercent(field: string, value: Json | undefined): Found {
  if (typeof value === "string" && !/^[0-9]+%$/.test(value)) {
    return [
      invalidField(
        field,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ];
  }
  return typeof value === "string" ? [] : nonNegative(field, value);
}

export function notOverHundred(field: string, value: Json | undefined): Found {
  return typeof value === "string" && /^[0-9]+%$/.test(value) && Number(value.slice(0, -1)) > 100
    ? [invalidField(field, value, "must not be greater than 100%")]
    : [];
}

/** A field error whose value is printed as upstream prints its internal type. */
export function invalidRaw(field: string, shown: string, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, body: `Invalid value: ${shown}: ${detail}` };
}

export const immutable = (field: string, value: Json | undefined): FieldError =>
  invalidField(field, value, "field is immutable");

export const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** Equality as upstream compares: what is empty is as good as absent. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  return deepEqual(solid(a), solid(b));
}

function solid(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => solid(item) ?? null);
  if (!isObject(value)) return value === null ? undefined : value;
  const kept: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = solid(member);
    if (inner !== undefined) put(kept, name, inner);
  }
  return Object.keys(kept).length === 0 ? undefined : kept;
}
