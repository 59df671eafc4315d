// Texts that somebody might write to get out of the field that they stand in (12.2).
export const attacks: readonly string[] = [
  "../../etc/passwd",
  "a;b",
  'a"b',
  "a{b}",
  "a b",
  "a\nb",
  "a\0b",
  "$INCLUDE x",
  "$GENERATE 1-9 a A 1.2.3.4",
  'any; }; zone "x" { type primary; file "y"; }; acl z { any',
  "1.2.3.4; }; x { ",
  "-leading",
  ".leading",
  "double..dot",
  "a".repeat(254),
  "*.*.x",
  "bücher",
  "a\u200fb",
];

/** The same with the dot at the end that names in a zone have. */
export const dotted: readonly string[] = attacks.map((attack) => `${attack}.`);
