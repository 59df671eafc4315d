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

// What looks like a credential, wherever it stands.
const credentials: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(-----END [A-Z ]+-----|$)/g, "[redacted]"],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, "[redacted]"],
  [/\b(bearer|basic|token)\s+[A-Za-z0-9+/_.~=-]{8,}/gi, "$1 [redacted]"],
  [/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, "$1[redacted]@"],
  [
    /\b([\w.-]*(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|credential|authorization|private[_-]?key)[\w.-]*)(["']?\s*[:=]\s*)(?:"[^"]*"|'[^']*'|[^\s,;&)}\]]+)/gi,
    "$1$2[redacted]",
  ],
  [/\b(AKIA|ASIA)[A-Z0-9]{16}\b/g, "[redacted]"],
  [/\bgh[pousr]_[A-Za-z0-9]{20,}\b/g, "[redacted]"],
];

const unstable: readonly [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b(request[ _-]?id)(["']?\s*[:=]\s*"?)[\w-]+/gi, "$1$2<id>"],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/\b0x[0-9a-f]{4,}\b/gi, "<address>"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{16,}\b/gi, "<id>"],
  [/:\d{5}(?=->|\b\s*->)/g, ":<port>"],
];

/** A text from outside, without credentials, control characters or more length than the profile allows. */
export function sanitize(raw: unknown, profile: Profile): SafeText {
  let out = raw instanceof Error ? raw.message : String(raw);
  for (const [pattern, instead] of credentials) out = out.replace(pattern, instead);
  if (profile.firstLineOnly === true) out = out.split(/\r?\n/, 1)[0] ?? "";
  if (profile.stable === true) for (const [pattern, instead] of unstable) out = out.replace(pattern, instead);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
  out = out.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
  return cut(out, profile.max) as SafeText;
}
