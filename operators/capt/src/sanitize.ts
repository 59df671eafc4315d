// What others wrote (Terraform, its provider, API servers) before it becomes part of a condition, an event or a log line (13.4).
import { cut, type SafeText, sanitize as sanitized, text } from "@telltale/status";

/** One line without credentials and without what changes on each try, in at most 1024 characters. */
export function sanitize(foreign: unknown): SafeText {
  // The whole text is cleaned before it is cut: half a credential would not be known for one.
  const clean = sanitized(withoutBlob(foreign), { max: longest });
  let out: string = clean.replaceAll("[redacted]", "<redacted>");
  for (const [pattern, instead] of replaced) out = out.replace(pattern, instead);
  return text`${cut(out, max)}`;
}

const max = 1024;
const longest = 32_768;

/** The provider adds its whole error output behind these words, packed and in base64. */
const blob = "To see the full error run";

function withoutBlob(foreign: unknown): unknown {
  const said = foreign instanceof Error ? foreign.message : foreign;
  if (typeof said !== "string") return said;
  const at = said.toLowerCase().indexOf(blob.toLowerCase());
  return at < 0 ? said : said.slice(0, at);
}

/** Names of resources, such as vpc-0123456789abcdef0, are no ids of requests: a person needs them. */
const replaced: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b((?:request|host|trace|correlation)[ _-]?id["']?\s{0,8}[:=]\s{0,8}["']?)[^\s,;"')\]}<]+/gi, "$1<id>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/\b0x[0-9a-f]{4,}\b/gi, "<address>"],
  [/:\d{4,5}(?=\s?->)/g, ":<port>"],
  [/[A-Za-z0-9+/]{40,}={0,2}/g, "<redacted>"],
];
