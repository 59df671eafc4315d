// What others said, before it becomes part of a condition, an event or a log line (12.6). Pure.
import { ApiError } from "@telltale/client";
import { cut, type SafeText, sanitize, text } from "@telltale/status";

/** The code and the reason first, then at most 200 characters without credentials, addresses and paths. */
export function sanitise(error: unknown): SafeText {
  const said = sanitize(error instanceof ApiError ? (error.status.message ?? "") : error, {
    max: 4096,
    firstLineOnly: true,
    stable: true,
  });
  let out: string = said;
  for (const [pattern, instead] of replaced) out = out.replace(pattern, instead);
  const short = cut(out, longest);
  if (!(error instanceof ApiError)) return text`${short}`;
  const { reason = "" } = error.status;
  const head = reason === "" ? `${error.code}` : `${error.code} ${reason}`;
  return short === "" ? text`${head}` : text`${head}: ${short}`;
}

const longest = 200;

const replaced: readonly [RegExp, string][] = [
  [/Bearer \S+/gi, "[redacted]"],
  [/secret "[^"]*"/gi, "[redacted]"],
  [/\b(token|password)=.*$/gi, "$1=[redacted]"],
  [/[A-Za-z0-9+/]{24,}={0,2}/g, "[redacted]"],
  [/\b\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?\b/g, "[redacted]"],
  [/(?<=^|[\s"'(=])\/[\w.-]+(\/[\w.-]+)+/g, "[redacted]"],
];
