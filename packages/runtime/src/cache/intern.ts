// Strings that come again and again in the objects of a list are kept once.

/** V8 keeps keys and strings of up to ten characters once by itself. Longer than this they hardly come twice. */
const shortest = 11;
const longest = 256;
const capacity = 20_000;

/** Replaces strings by the first copy of them. What has not come again for a while is forgotten: two generations. */
export function interner(): <T>(value: T) => T {
  let young = new Map<string, string>();
  let old = new Map<string, string>();

  function string(text: string): string {
    if (text.length < shortest || text.length > longest) return text;
    const known = young.get(text);
    if (known !== undefined) return known;
    const copy = old.get(text) ?? text;
    if (young.size >= capacity) {
      old = young;
      young = new Map();
    }
    young.set(copy, copy);
    return copy;
  }

  function visit(value: unknown): unknown {
    if (typeof value === "string") return string(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i += 1) {
        const member: unknown = value[i];
        if (typeof member === "string") value[i] = string(member);
        else if (typeof member === "object") visit(member);
      }
      return value;
    }
    const record = value as Record<string, unknown>;
    for (const name in record) {
      const member = record[name];
      if (name === "uid") continue; // of all strings the one that is never the same
      // Assigned although it is equal: two equal strings are not one.
      if (typeof member === "string") {
        if (member.length >= shortest) record[name] = string(member);
      } else if (typeof member === "object" && member !== null) visit(member);
    }
    return value;
  }

  return visit as <T>(value: T) => T;
}
