// Paths of a container in its command, arguments and variables become the real ones: there is no mount namespace. Pure.
// Only whole paths at the edge of a word are seen; what a program puts together or reads from a file is not.

/** Replaces each path that is a key, or begins with one and a slash. The longest key counts. */
export function translator(paths: ReadonlyMap<string, string>): (text: string) => string {
  const keys = [...paths.keys()].filter((key) => key !== "/").sort((a, b) => b.length - a.length);
  if (keys.length === 0) return (text) => text;
  // Before: the beginning, a blank, or what separates words for shells and options. After: no more of the same name.
  const pattern = new RegExp(`(?<![^\\s=:,;|&<>()[\\]{}"'\`@])(?:${keys.map(escaped).join("|")})(?![\\w.+~-])`, "g");
  return (text) => text.replace(pattern, (found) => paths.get(found) ?? found);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
