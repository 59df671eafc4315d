// What others wrote (API errors, kubelet messages) before it becomes part of a condition, an event or a log line.
import { type SafeText, sanitize as sanitized, text } from "@telltale/status";

/** The first line, without control characters and credentials, in at most 1024 characters. */
export function sanitize(foreign: string): SafeText {
  const open = foreign.replace(secretVolume, "$1, ").replace(schemeless, "$1//***@");
  const line = sanitized(open, { max, firstLineOnly: true });
  return text`${line.replaceAll("[redacted]", "***")}`;
}

const max = 1024;

/**
 * `volume "secret-x" : secret "x" not found` is how the kubelet says that a Secret is missing whose volume we named. It
 * looks as if something secret followed, and the one word that a person needs would be taken away.
 */
const secretVolume = /(volume "secret-[a-z0-9-]{1,56}") : (?=secret "|object "|references |failed to sync )/g;

/** `//user:password@host` of an address without `https:` before it. */
const schemeless = /(^|[^:])\/\/[^\s/@:]{0,256}:[^\s@]{0,256}@(?!sha256:)/g;
