// Objects as YAML, for files that people read and kubectl takes. A text that YAML could take for something else is quoted: a
// status is "True", a time is a text.

/** Several objects as one file. */
export const toYaml = (...objects: readonly unknown[]): string =>
  objects.map((object) => `${block(object, "").trimStart()}\n`).join("---\n");

function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `\n${indent}- ${block(item, `${indent}  `).trimStart()}`).join("");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return ` ${scalar(value)}`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return " {}";
  return members.map(([name, member]) => `\n${indent}${key(name)}:${nested(member, indent)}`).join("");
}

/** A list stands as deep as the field that it is of. */
const nested = (value: unknown, indent: string): string => block(value, Array.isArray(value) ? indent : `${indent}  `);

const scalar = (value: unknown): string =>
  typeof value === "string" ? string(value) : (JSON.stringify(value) ?? "null");

const key = (name: string): string => string(name);

/** Control characters may not stand in YAML, not even between quotes; other letters may, but nobody would see all of them. */
const string = (text: string): string =>
  isPlain(text)
    ? text
    : JSON.stringify(text).replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Words of YAML 1.1 and 1.2 that are no texts. */
const words = /^(true|false|yes|no|on|off|null|y|n)$/i;

const isPlain = (text: string): boolean => /^[A-Za-z$]([\w /$.()@,+-]*[\w)/.])?$/.test(text) && !words.test(text);
