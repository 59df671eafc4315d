// Messages that may be shown to anybody. A message is a literal, or made by `text`, or comes from outside through
// `sanitize`; a secret in any of them does not compile.
import type { Instant } from "@telltale/kinds";

declare const safe: unique symbol;

/** A text that holds no secret and nothing that changes on each try. */
export type SafeText = string & { readonly [safe]: true };

/** A value that must never be shown: it prints as `[secret]` and does not fit into a message. */
export class Secret {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  /** The value itself, for the one call that needs it. */
  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return "[secret]";
  }
  toJSON(): string {
    return "[secret]";
  }
}

/** A literal, or a safe text. A computed string is refused: say where it came from with `text` or `sanitize`. */
// biome-ignore lint/complexity/noBannedTypes: only the type of an empty object fits an index signature and no literal key
export type Message<M extends string> = M extends SafeText ? M : {} extends Record<M, 1> ? never : M;

/** A part of a message that changes by itself (a time, an attempt). Needs to be said, because it makes a new write each time. */
export interface Volatile {
  readonly volatile: string | number;
}

export function volatile(value: string | number): Volatile {
  return { volatile: value };
}

type Part = string | number | Volatile;
type Parts<P extends readonly Part[]> = { [I in keyof P]: P[I] extends Instant ? never : P[I] };

/** `` text`Pod ${name} is ready` ``. Moments and secrets do not fit (rule 23). */
export function text<const P extends readonly Part[]>(strings: TemplateStringsArray, ...parts: Parts<P>): SafeText {
  let out = strings[0] ?? "";
  parts.forEach((part: Part, i) => {
    out += `${typeof part === "object" ? part.volatile : part}${strings[i + 1] ?? ""}`;
  });
  return out as SafeText;
}

/** `a, b, c, d, e, and 2 more`: at most `max` names, then a count. `{k}` in `more` is how many are left. */
export function names(
  list: readonly string[],
  options: { readonly max?: number; readonly more?: string; readonly sort?: boolean } = {},
): SafeText {
  const { max = 5, more = ", and {k} more", sort = true } = options;
  const ordered = sort ? [...list].sort() : list;
  const shown = ordered.slice(0, max).join(", ");
  const rest = ordered.length - max;
  return (rest > 0 ? shown + more.replace("{k}", String(rest)) : shown) as SafeText;
}

/** Cuts at a whole character and ends in `…`, so that the result has at most `max` characters. */
export function cut(message: string, max: number): string {
  if (message.length <= max) return message;
  if (max < 1) return "";
  const last = message.charCodeAt(max - 2);
  const half = last >= 0xd800 && last <= 0xdbff;
  return `${message.slice(0, half ? max - 2 : max - 1)}…`;
}

/** How a text from outside is made presentable. */
export interface Profile {
  readonly max: number;
  readonly firstLineOnly?: boolean;
  /** Replaces ids and times, so that the same trouble has the same text on each try. */
  readonly stable?: boolean;
}

// What looks like a credential, wherever it stands. Rather too much is taken away than too little. Each pattern begins with
// something fixed, and what it may repeat is bounded or cannot begin again, so that no text makes it slow.
const named =
  'pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private|signing)[_-]?key|(?<![A-Za-z])key|credential|cookie|(?<=")auth(?=\\\\?")';
const quoted = `"(?:[^"\\\\]|\\\\[\\s\\S])*(?:"|\\\\?$)|\\\\"[^"]*(?:"|$)|'(?:[^'\\\\]|\\\\[\\s\\S])*(?:'|\\\\?$)`;
const block = "[|>][+-]?[ \\t]*\\n[\\s\\S]*|[[{][^\\]}]*[\\]}]?";
const credentials: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z0-9 ]{1,64}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,64}-----|$)/g, "[redacted]"],
  [/\b(authorization\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?)[^\r\n"'\\]+/gi, "$1[redacted]"],
  [/\bbearer\s{1,8}\S+/gi, "Bearer [redacted]"],
  [/\b(basic|token)\s{1,8}[A-Za-z0-9+/_.~=-]{8,}/gi, "$1 [redacted]"],
  [/:\/\/[^\s/@:]{0,256}:[^\s@]{0,256}@(?!sha256:)(?:[^\s/@]*@)*/g, "://[redacted]@"],
  [/:\/\/(?:[^\s/@]*@(?!sha256:))+/g, "://[redacted]@"],
  [/(--[\w-]{0,32}(?:pass|token|secret|key|credential)[\w-]{0,32}\s{1,8})(?!-)\S+/gi, "$1[redacted]"],
  [
    new RegExp(`((?:${named})[\\w.-]{0,64}\\\\?["']?\\s{0,8}[:=]\\s{0,8})(?:${quoted}|${block}|\\S+)`, "gi"),
    "$1[redacted]",
  ],
  [
    /\b(?:AKIA|ASIA)[A-Z0-9]{16}|\bgh[pousr]_[A-Za-z0-9]{20,}|\b(?:github_pat_|glpat-|xox[a-z]-)[A-Za-z0-9_-]{10,}/g,
    "[redacted]",
  ],
  [/\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,4}/g, "[redacted]"],
];

/** Long runs in which letters of both cases and digits are mixed: keys and tokens of any other kind. */
const mixed = (run: string): string => (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) ? "[redacted]" : run);

const unstable: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b(request[ _-]?id)(["']?\s{0,8}[:=]\s{0,8}"?)[\w-]+/gi, "$1$2<id>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/\b0x[0-9a-f]{4,}\b/gi, "<address>"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{16,}\b/gi, "<id>"],
  [/:\d{5}(?=\s?->)/g, ":<port>"],
  // How long something took: with a fraction, or below a second. Whole seconds and more are limits, as is what stands after "within".
  [/(?<!\bwithin )(?<![\d.])(?:\d+h)?(?:\d+m)?(?:\d+\.\d+(?:ns|us|µs|ms|s)|\d+(?:ns|us|µs|ms))\b/g, "<duration>"],
  [/\b(attempt) \d+\b/gi, "$1 <n>"],
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const escapes = /\u001b\[[0-9;?]{0,32}[ -/]{0,4}[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these too; what is invisible could hide a word from the patterns above
const invisible = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/g;

/** A text from outside, without credentials, control characters or more length than the profile allows. */
export function sanitize(raw: unknown, profile: Profile): SafeText {
  let out = bounded(textOf(raw), Math.max(16_384, 2 * profile.max));
  out = out.replace(escapes, "").replace(invisible, "").toWellFormed();
  for (const [pattern, instead] of credentials) out = out.replace(pattern, instead);
  out = out.replace(/[A-Za-z0-9+/_-]{40,}={0,2}/g, mixed);
  if (profile.firstLineOnly === true) out = out.trimStart().split(/\r?\n/, 1)[0] ?? "";
  if (profile.stable === true) for (const [pattern, instead] of unstable) out = out.replace(pattern, instead);
  return cut(out.replace(/\s+/g, " ").trim(), profile.max) as SafeText;
}

function textOf(raw: unknown): string {
  try {
    return String(raw instanceof Error ? raw.message : raw);
  } catch {
    return "an error that says nothing"; // it has no toString, or one that throws
  }
}

/** The beginning of a long text, up to the end of a word: half a credential would not be known for one. */
function bounded(message: string, max: number): string {
  if (message.length <= max) return message;
  const start = message.slice(0, max);
  const end = Math.max(start.lastIndexOf(" "), start.lastIndexOf("\n"));
  return end < 0 ? "[redacted]" : start.slice(0, end);
}
