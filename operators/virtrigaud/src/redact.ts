// What others said, before it becomes part of a condition, an event, a metric or a log line (7.5). Pure.
import { cut, type SafeText, sanitize, text } from "@telltale/status";

/** One line without secrets and without what changes on each try, in at most 1024 characters. */
export function redact(said: unknown): SafeText {
  // The whole text is cleaned before it is cut: half a secret would not be known for one.
  let out: string = withoutUserData(said instanceof Error ? said.message : said);
  out = sanitize(out, { max: most, stable: true });
  for (const [pattern, instead] of replaced) out = out.replace(pattern, instead);
  return text`${cut(
    out.replace(blobs, (run) => (isBlob(run) ? gone : run)),
    longest,
  )}`;
}

/** Whether a name says that its value is nobody's business. Such keys never get into `status.provider`. */
export const isSecretName = (name: string): boolean => /pass|token|secret|key|credential/i.test(name);

/** Scheme, host and path of a URL: no account, no query that somebody signed. Undefined: it is no URL. */
export function bareUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

const longest = 1024;
const most = 32_768;
const gone = "[redacted]";

/** User data is whole files: from where it begins, nothing is shown. */
const userData =
  /#cloud-config|#cloud-boothook|Content-Type: multipart\/mixed|["']?\b(?:user|meta|vendor)[_-]?data["']?\s{0,8}[:=](?=\s{0,8}\S{20})|["']?\b(?:user|meta)[_-]?data["']?\s{0,8}[:=]\s{0,8}["'|>#]|["']ignition["']\s{0,8}:/i;

function withoutUserData(said: unknown): string {
  const whole = wordsOf(said);
  const at = whole.search(userData);
  return at < 0 ? whole : `${whole.slice(0, at)}${gone}`;
}

function wordsOf(said: unknown): string {
  if (typeof said === "string") return said;
  try {
    return String(said);
  } catch {
    return "an error that says nothing"; // it has no toString, or one that throws
  }
}

const replaced: readonly [RegExp, string][] = [
  [/\b(?:ssh-[a-z0-9-]{1,32}|ecdsa-[a-z0-9-]{1,64}|sk-[a-z0-9-]{1,64}@openssh\.com)\s{1,8}[A-Za-z0-9+/=]+/g, gone],
  [/\b([a-z][a-z0-9+.-]{0,31}:\/\/[^\s?"'<>]{1,4096})\?[^\s"'<>]*/gi, "$1"],
];

const blobs = /[A-Za-z0-9+/]{20,}={0,2}/g;

/** Whether a long run of letters and digits is more likely a key than a word, a path or a name. */
function isBlob(run: string): boolean {
  if (run.endsWith("=")) return true;
  if (run.split("/").some((part) => part.length >= 20 && /[0-9]/.test(part) && /[A-Za-z]/.test(part))) return true;
  const letters = run.replace(/[^A-Za-z]/g, "");
  const large = letters.replace(/[^A-Z]/g, "").length / letters.length;
  // A word in CamelCase has a capital in six letters or so; chance has one in two.
  return large > 0.25 && large < 0.75 && (/[0-9+]/.test(run) || !run.includes("/"));
}
