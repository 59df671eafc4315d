// The rules for names, label keys and label values, each with the words in which Kubernetes refuses. A rule answers with what is
// wrong; nothing when the text is fine.

/** What is wrong with a text. */
export type Rule = (text: string) => string[];

const subdomain = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const regexUsed = (source: string): string => `regex used for validation is '${source}')`;
const qualifiedText = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', ${regexUsed(qualified)}`;

const subdomainText = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', ${regexUsed(subdomain)}`;
const labelText = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', ${regexUsed(label)}`;
const label1035Text = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', ${regexUsed(label1035)}`;
const valueText = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', ${regexUsed(`(${qualified})?`)}`;

/** `example.com`: the rule for most names. */
export const dnsSubdomain: Rule = (text) => bounded(text, 253, isSubdomain, subdomainText);
/** `my-name`: namespaces and services. */
export const dnsLabel: Rule = (text) =>
  bounded(text, 63, isLabel, isSubdomain(text) ? "must not contain dots" : labelText);
/** `my-name` that starts with a letter: resources, versions, short names. */
export const dns1035Label: Rule = (text) => bounded(text, 63, (t) => /^[a-z]/.test(t) && isLabel(t), label1035Text);

/** A kind: a DNS-1035 label whose case does not matter. */
export const mixedCaseLabel: Rule = (text) => {
  const wrong = dns1035Label(text.toLowerCase());
  return wrong.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${wrong.join(",")}`];
};

/** What can be a part of a URL: RBAC names, names in embedded objects. */
export const pathSegment: Rule = (text) => {
  if (text === "." || text === "..") return [`may not be '${text}'`];
  return ["/", "%"].filter((c) => text.includes(c)).map((c) => `may not contain '${c}'`);
};

/** A rule for names as it applies to generateName: a dash at the end is what the generated part will follow. */
export const asPrefix =
  (rule: Rule): Rule =>
  (text) =>
    rule(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);

/** `example.com/name`: keys of labels and annotations, finalizers. */
export const qualifiedName: Rule = (text) => {
  const parts = text.split("/");
  const [first = "", second] = parts;
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = second ?? first;
  const wrong: string[] = [];
  if (second !== undefined) {
    if (first === "") wrong.push("prefix part must be non-empty");
    else wrong.push(...dnsSubdomain(first).map((w) => `prefix part ${w.replace(/characters$/, "bytes")}`));
  }
  if (name === "") wrong.push("name part must be non-empty");
  else if (byteLength(name) > 63) wrong.push("name part must be no more than 63 bytes");
  if (!isQualified(name)) wrong.push(`name part ${qualifiedText}`);
  return wrong;
};

export const labelValue: Rule = (text) => {
  const wrong = byteLength(text) > 63 ? ["must be no more than 63 bytes"] : [];
  if (text !== "" && !isQualified(text)) wrong.push(valueText);
  return wrong;
};

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function bounded(text: string, max: number, fits: (text: string) => boolean, otherwise: string): string[] {
  const wrong = byteLength(text) > max ? [`must be no more than ${max} characters`] : [];
  if (!fits(text)) wrong.push(otherwise);
  return wrong;
}

// Written without nested repetition, so that a long bad name costs no more than a long good one.
const isLabel = (text: string): boolean => /^[-a-z0-9]+$/.test(text) && !text.startsWith("-") && !text.endsWith("-");
const isSubdomain = (text: string): boolean => text.split(".").every(isLabel);
const isQualified = (text: string): boolean =>
  /^[-A-Za-z0-9_.]+$/.test(text) && /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text);
