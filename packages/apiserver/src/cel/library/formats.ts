// `format.dns1123Label().validate(x)`: nothing, or what is wrong with the text.
import { functions, type Overload } from "../function.ts";
import { parseTimestamp } from "../time.ts";
import { List, Opaque, Optional, type Value } from "../values.ts";
import { parseUrl } from "./url.ts";

class NamedFormat extends Opaque {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
  equals(other: Value): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const value = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const used = (regex: string): string => `regex used for validation is '${regex}')`;
const tooLong = (max: number): string => `must be no more than ${max} bytes`;

const labelText = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', ${used(label)}`;
const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', ${used(subdomain)}`;
const label1035Text = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', ${used(label1035)}`;
const valueText = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', ${used(value)}`;
const nameText = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', ${used(qualified)}`;
const qualifiedText = `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualified}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;

type Check = (text: string) => string[];

function shaped(regex: string, text: string, max?: number): Check {
  const whole = new RegExp(`^${regex}$`);
  return (given) => [
    ...(max !== undefined && Buffer.byteLength(given) > max ? [tooLong(max)] : []),
    ...(whole.test(given) ? [] : [text]),
  ];
}

const isSubdomain = shaped(subdomain, subdomainText, 253);
const isLabel = shaped(label, labelText, 63);
const is1035 = shaped(label1035, label1035Text, 63);
/** A prefix of names may end in a dash; the rest of the rule is the same. */
const prefix =
  (check: Check): Check =>
  (text) =>
    check(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);

/** What is wrong with a qualified name, `prefix/name` or `name`. */
export function isQualified(text: string): string[] {
  const parts = text.split("/");
  if (parts.length > 2) return [qualifiedText];
  const [first = "", second] = parts;
  const name = second ?? first;
  const problems =
    second === undefined
      ? []
      : first === ""
        ? ["prefix part must be non-empty"]
        : isSubdomain(first).map((p) => `prefix part ${p}`);
  if (name === "") problems.push("name part must be non-empty");
  if (Buffer.byteLength(name) > 63) problems.push(`name part ${tooLong(63)}`);
  if (!new RegExp(`^${qualified}$`).test(name)) problems.push(nameText);
  return problems;
}

const simple =
  (test: (text: string) => boolean, text: string): Check =>
  (given) =>
    test(given) ? [] : [text];

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const checks: Readonly<Record<string, Check>> = {
  dns1123Label: isLabel,
  dns1123Subdomain: isSubdomain,
  dns1035Label: is1035,
  qualifiedName: isQualified,
  dns1123LabelPrefix: prefix(isLabel),
  dns1123SubdomainPrefix: prefix(isSubdomain),
  dns1035LabelPrefix: prefix(is1035),
  labelValue: shaped(value, valueText, 63),
  uri: (text) => {
    const parts = parseUrl(text);
    return typeof parts === "string" ? [parts] : [];
  },
  uuid: simple(
    (text) => /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/.test(text),
    "does not match the UUID format",
  ),
  byte: simple((text) => base64.test(text), "invalid base64"),
  date: simple(
    (text) => /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined,
    "invalid date",
  ),
  datetime: simple((text) => parseTimestamp(text) !== undefined, "invalid datetime"),
};

function validate(format: NamedFormat, text: string): Optional {
  const problems = checks[format.name]?.(text) ?? [];
  return problems.length === 0 ? Optional.none : new Optional(List.of(problems));
}

const shortcuts = (): Overload[] =>
  Object.keys(checks).flatMap((name) =>
    functions({ [`format.${name}(): kubernetes.NamedFormat`]: () => new NamedFormat(name) }),
  );

export const formats: readonly Overload[] = [
  ...shortcuts(),
  ...functions({
    "format.named(string): optional_type(kubernetes.NamedFormat)": (name: string) =>
      Object.hasOwn(checks, name) ? new Optional(new NamedFormat(name)) : Optional.none,
    "kubernetes.NamedFormat -> validate(string): optional_type(list(string))": validate,
  }),
];
