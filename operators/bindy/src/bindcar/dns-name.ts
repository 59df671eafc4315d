// Names, as narrow as 12.2 has them. What is no such name is refused and never escaped: it would stand at the beginning of a
// line of a zone file, in a command of rndc or in a script of nsupdate.

/** Without the trailing dot, in lower case. */
export function zoneNameOf(text: string): string | undefined {
  if (text.length > 253 || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text) || addressLike.test(text)) return undefined;
  return text.split(".").every(isLabel) ? text.toLowerCase() : undefined;
}

/** `@`, `*`, `www`, `*.a.b`: absolute in the zone. */
export function ownerOf(text: string, zone: string): string | undefined {
  if (text === "@") return `${zone}.`;
  return text.endsWith(".") ? undefined : absoluteOf(`${text}.${zone}.`);
}

/** With the trailing dot; the first label may be `*`. */
export function absoluteOf(text: string): string | undefined {
  if (text.length > 254 || !text.endsWith(".")) return undefined;
  const labels = text.slice(0, -1).split(".");
  const rest = labels[0] === "*" && labels.length > 1 ? labels.slice(1) : labels;
  return rest.every(isLabel) ? text.toLowerCase() : undefined;
}

/** A name that data points at: no wildcard. */
export function targetOf(text: string): string | undefined {
  return text.startsWith("*") ? undefined : absoluteOf(text);
}

/** What is a host has no underscore: BIND's check-names refuses it. */
export function hostOf(text: string): string | undefined {
  return text.includes("_") ? undefined : targetOf(text);
}

export const isWithin = (name: string, zone: string): boolean => name === `${zone}.` || name.endsWith(`.${zone}.`);

/** Of a TSIG key. */
export function keyNameOf(text: string): string | undefined {
  if (text.length > 253) return undefined;
  return text.split(".").every(isLabel) ? text : undefined;
}

export const policyOf = (text: string): string | undefined =>
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(text) ? text : undefined;

const isLabel = (label: string): boolean => /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label);

const addressLike = /^\d{1,3}(\.\d{1,3}){3}$/;
