// The options of a write, with the name under which a client's fields are tracked.
import { type WriteOptions as Decoded, decodeQueryOptions, type WriteVerb } from "../decode/options.ts";

export interface WriteOptions extends Omit<Decoded, "force"> {
  /** Apply only: take fields over that others own. */
  readonly force: boolean;
}

export function writeOptions(query: URLSearchParams, verb: WriteVerb, userAgent: string | undefined): WriteOptions {
  const options = decodeQueryOptions(query, verb);
  return { ...options, force: options.force ?? false, fieldManager: managerName(options.fieldManager, userAgent) };
}

/** What the client says, else the first word of its User-Agent. */
function managerName(given: string, userAgent: string | undefined): string {
  if (given !== "") return given;
  const agent = (userAgent ?? "").split("/")[0] ?? "";
  const printable = agent.replace(/[^\x20-\x7e\u00a1-\uffff]/g, "").slice(0, 128);
  return printable === "" ? "unknown" : printable;
}
