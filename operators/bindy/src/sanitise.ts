// What others said, before it becomes part of a condition, an event or a log line (12.6). Pure.
import { ApiError } from "@telltale/client";
import { cut, type SafeText, sanitize, text } from "@telltale/status";

/** The code and the reason first, then at most 200 characters without credentials, addresses and paths. */
export function sanitise(error: unknown): SafeText {
  let said = bounded(error instanceof ApiError ? (error.status.message ?? "") : wordsOf(error));
  for (const [pattern, instead] of replaced) said = said.replace(pattern, instead);
  const short = cut(sanitize(said, { max: most, firstLineOnly: true, stable: true }), longest);
  if (!(error instanceof ApiError)) return text`${short}`;
  const { reason = "" } = error.status;
  const head = reason === "" ? `${error.code}` : `${error.code} ${reason}`;
  return short === "" ? text`${head}` : text`${head}: ${short}`;
}

/** Half a credential would not be known for one: what is cut off here is far behind what is shown. */
const most = 4096;
const bounded = (said: string): string => said.slice(0, most);

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const longest = 200;

const replaced: readonly [RegExp, string][] = [
  [/Bearer \S+/gi, "[redacted]"],
  [/secret "[^"]*"/gi, "[redacted]"],
  [/\b(token|password)=.*$/gi, "$1=[redacted]"],
  [/[A-Za-z0-9+/]{24,}={0,2}/g, "[redacted]"],
  [/\b\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?\b/g, "[redacted]"],
  [/(?<=^|[\s"'(=])\/[\w.-]+(\/[\w.-]+)+/g, "[redacted]"],
];
