// The version of a provider, as its image names it. Pure.

/** The tag, else the beginning of the digest. */
export function versionOf(image: string | undefined): string {
  const [path = "", digest = ""] = (image ?? "").split("@", 2);
  // A port of a registry is before the last slash, a tag after it.
  const [, tag = ""] = (path.split("/").at(-1) ?? "").split(":", 2);
  const [, hex = ""] = digest.split(":", 2);
  return tag || hex.slice(0, 12) || "unknown";
}
