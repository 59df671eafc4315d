// What `rndc zonestatus` prints, as values. It comes as text, from named and in `details` of a status.
import type { ZoneType } from "./contract.ts";

export interface ZoneStatus {
  readonly type?: ZoneType;
  /** Not there while a secondary has transferred nothing yet. */
  readonly serial?: number;
  readonly dynamic: boolean;
  readonly frozen: boolean;
  readonly file?: string;
}

export function zoneStatusOf(text: string): ZoneStatus {
  const lines = new Map<string, string>();
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) lines.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  const type = typeOf(lines.get("type"));
  const serial = lines.get("serial") ?? "";
  const file = lines.get("files");
  return {
    ...(type !== undefined && { type }),
    ...(/^\d{1,10}$/.test(serial) && { serial: Number(serial) }),
    dynamic: lines.get("dynamic") === "yes",
    frozen: lines.get("frozen") === "yes",
    ...(file !== undefined && { file }),
  };
}

/** Older versions of BIND say master and slave. */
function typeOf(word: string | undefined): ZoneType | undefined {
  if (word === "primary" || word === "master") return "primary";
  return word === "secondary" || word === "slave" ? "secondary" : undefined;
}
