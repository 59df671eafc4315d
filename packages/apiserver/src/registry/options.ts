// The options of a write, as the query string or a body gave them.
import type { FieldValidation } from "./resource.ts";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** Apply only: take fields over that others own. */
  readonly force: boolean;
}

/** The name under which a client's fields are tracked: what it says, else the first word of its User-Agent. */
export function managerName(given: string | null, userAgent: string | undefined): string {
  if (given !== null && given !== "") return given;
  const agent = (userAgent ?? "").split("/")[0] ?? "";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: unprintable characters are what has to go
  const printable = agent.replace(/[^\x20-\x7e\u00a1-\uffff]/g, "").slice(0, 128);
  return printable === "" ? "unknown" : printable;
}
