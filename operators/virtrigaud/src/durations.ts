// Lengths of time in a spec (2.6): as Go writes them, with a standard where nothing is said. An older definition lets `30d`
// through; then `src/validate` says so, and that one object waits for its author.
import { type Ms, parseGoDuration } from "@telltale/kinds";

/** The length that a field names, or undefined when its text is none. A length is not negative. */
export function parseLength(written: string): Ms | undefined {
  const ms = parseGoDuration(written);
  return ms === undefined || ms < 0 ? undefined : ms;
}

/** The length that a field names; the standard where it says nothing, or nothing that can be read. */
export function lengthOr(written: string | undefined, standard: Ms): Ms {
  return (written === undefined ? undefined : parseLength(written)) ?? standard;
}
