// Label selectors in both forms: the object (`matchLabels`, `matchExpressions`) and the text of `?labelSelector=`.
// What a malformed selector matches is nothing, never everything.

import { isQualifiedName } from "./names.ts";

/** `null` and absent are the same in every field. */
export type LabelSelector = {
  readonly matchLabels?: Labels | null | undefined;
  readonly matchExpressions?: readonly LabelExpression[] | null | undefined;
};

export type LabelExpression = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
};

/** One condition on one label. `Gt` and `Lt` exist in the text form only. */
export type Requirement = { readonly key: string; readonly operator: Operator; readonly values: readonly string[] };

export type Operator = "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt";

type Labels = Readonly<Record<string, string>>;

/** An empty selector matches everything, no selector matches nothing. */
export function matchesSelector(selector: LabelSelector | undefined | null, labels: Labels | undefined): boolean {
  if (selector === undefined || selector === null) return false;
  const requirements = requirementsOf(selector);
  return requirements !== undefined && matchesRequirements(requirements, labels);
}

export function matchesRequirements(requirements: readonly Requirement[], labels: Labels | undefined): boolean {
  return requirements.every((requirement) => matchesOne(requirement, labels ?? {}));
}

/** Reads the text form. The errors are those of the API server, which shows them to the caller. */
export function parseLabelSelector(text: string): { ok: Requirement[] } | { error: string } {
  const tokens = text.match(/[!=]=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
  const requirements: Requirement[] = [];
  let at = 0;
  while (at < tokens.length) {
    const first = tokens[at] ?? "";
    if (first !== "!" && !isWord(first))
      return { error: `found '${first}', expected: !, identifier, or 'end of string'` };
    const read = readRequirement(tokens, at);
    if ("error" in read) return { error: `unable to parse requirement: ${read.error}` };
    requirements.push(read.requirement);
    at = read.next;
    const between = tokens[at];
    if (between === undefined) break;
    if (between !== ",") return { error: `found '${between}', expected: ',' or 'end of string'` };
    at += 1;
    const following = tokens[at] ?? "";
    if (following !== "!" && !isWord(following))
      return { error: `found '${following}', expected: identifier after ','` };
  }
  return { ok: requirements.sort((a, b) => compareText(a.key, b.key)) };
}

/** The text form of a selector, by key; `""` selects everything. */
export function formatSelector(selector: LabelSelector): string {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }) => {
    const list = `(${[...(values ?? [])].sort(compareText).join(",")})`;
    if (operator === "Exists") return { key, text: key };
    if (operator === "DoesNotExist") return { key, text: `!${key}` };
    // An unknown operator stays in the text, where it is an error, rather than widening the selection.
    return {
      key,
      text: `${key} ${operator === "In" || operator === "NotIn" ? operator.toLowerCase() : operator} ${list}`,
    };
  });
  const parts = [...equal, ...expressions].sort((a, b) => compareText(a.key, b.key));
  return parts.map((part) => part.text).join(",");
}

/** The selector as requirements, or undefined when an expression is malformed. */
function requirementsOf(selector: LabelSelector): Requirement[] | undefined {
  const requirements: Requirement[] = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: "In",
    values: [value],
  }));
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const needsValues = operator === "In" || operator === "NotIn";
    if (!needsValues && operator !== "Exists" && operator !== "DoesNotExist") return undefined;
    if (needsValues !== (values ?? []).length > 0) return undefined;
    requirements.push({ key, operator, values: values ?? [] });
  }
  return requirements;
}

function matchesOne({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const left = integer(value);
      const right = integer(values[0]);
      if (left === undefined || right === undefined || values.length !== 1) return false;
      return operator === "Gt" ? left > right : left < right;
    }
    default:
      return false;
  }
}

// --- The text form

type Read = { requirement: Requirement; next: number } | { error: string };

const operators: ReadonlyMap<string, Operator> = new Map([
  ["=", "In"],
  ["==", "In"],
  ["!=", "NotIn"],
  ["in", "In"],
  ["notin", "NotIn"],
  [">", "Gt"],
  ["<", "Lt"],
]);

function readRequirement(tokens: readonly string[], start: number): Read {
  const negated = tokens[start] === "!";
  const at = negated ? start + 1 : start;
  const key = tokens[at] ?? "";
  if (!isWord(key)) return { error: `found '${key}', expected: identifier` };
  if (!isQualifiedName(key)) return { error: `<nil>: Invalid value: ${JSON.stringify(key)}: ${badKey(key)}` };
  const sign = tokens[at + 1];
  if (negated) return { requirement: { key, operator: "DoesNotExist", values: [] }, next: at + 1 };
  if (sign === undefined || sign === ",") return { requirement: { key, operator: "Exists", values: [] }, next: at + 1 };
  const operator = operators.get(sign);
  if (operator === undefined) return { error: `found '${sign}', expected: in, notin, =, ==, !=, gt, lt` };
  const list = sign === "in" || sign === "notin" ? readList(tokens, at + 2) : readValue(tokens, at + 2);
  if ("error" in list) return list;
  const wrong = badValue(key, operator, list.values);
  return wrong === undefined
    ? { requirement: { key, operator, values: list.values }, next: list.next }
    : { error: wrong };
}

type ReadValues = { values: string[]; next: number } | { error: string };

/** The value after `=` and the like; nothing there is the empty value. */
function readValue(tokens: readonly string[], at: number): ReadValues {
  const value = tokens[at];
  if (value === undefined || value === ",") return { values: [""], next: at };
  if (!isWord(value)) return { error: `found '${value}', expected: identifier` };
  return { values: [value], next: at + 1 };
}

/** `(a,b)`. A place left empty is the empty value: `()` and `(,a)` hold one. */
function readList(tokens: readonly string[], start: number): ReadValues {
  const open = tokens[start] ?? "";
  if (open !== "(") return { error: `found '${open}' expected: '('` };
  const values = new Set<string>();
  let at = start + 1;
  for (;;) {
    const value = tokens[at] ?? "";
    if (isWord(value)) at += 1;
    else if (value !== "," && value !== ")") return { error: `found '${value}', expected: ',', ')' or identifier` };
    values.add(isWord(value) ? value : "");
    const end = tokens[at] ?? "";
    if (end === ")") return { values: [...values].sort(compareText), next: at + 1 };
    if (end !== ",") return { error: `found '${end}', expected: ',' or ')'` };
    at += 1;
  }
}

/** What is wrong with the values: nothing, one thing, or a list of things in brackets. */
function badValue(key: string, operator: Operator, values: readonly string[]): string | undefined {
  const problems: string[] = [];
  for (const [at, value] of values.entries()) {
    const invalid = `Invalid value: ${JSON.stringify(value)}:`;
    if ((operator === "Gt" || operator === "Lt") && integer(value) === undefined) {
      problems.push(`values[${at}]: ${invalid} for 'Gt', 'Lt' operators, the value must be an integer`);
    }
    if (!isLabelValue(value)) problems.push(`values[${at}][${key}]: ${invalid} ${badLabelText(value)}`);
  }
  return problems.length > 1 ? `[${problems.join(", ")}]` : problems[0];
}

/** Too long, of the wrong characters, or both. */
function badLabelText(value: string): string {
  const long = Buffer.byteLength(value) > 63 ? ["must be no more than 63 bytes"] : [];
  const wrong = isLabelValue(value.slice(0, 63)) && isLabelValue(value.slice(-63)) ? [] : [badLabelValue];
  return [...long, ...wrong].join("; ");
}

function badKey(key: string): string {
  const characters =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  const slashes = key.split("/").length - 1;
  return slashes > 1
    ? `a valid label key ${characters} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
    : `name part ${characters}`;
}

const badLabelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function isLabelValue(text: string): boolean {
  return text === "" || (!text.includes("/") && isQualifiedName(text));
}

function isWord(token: string): boolean {
  return /^[^\s=!(),<>]/.test(token);
}

/** A whole number of 64 bits, as Go reads one. */
function integer(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
