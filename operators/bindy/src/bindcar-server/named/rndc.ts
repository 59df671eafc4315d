// Commands for named, and what its refusals mean (9.4).
import type { Clock } from "@telltale/clock";
import type { BindcarMetrics } from "../metrics.ts";
import { bad, failed, noSuchZone, type Refused, zoneExists } from "../refused.ts";
import type { Ran, Run } from "./run.ts";

export type Command =
  | "status"
  | "addzone"
  | "delzone"
  | "modzone"
  | "showzone"
  | "zonestatus"
  | "reload"
  | "freeze"
  | "thaw"
  | "notify"
  | "retransfer";

/** What named said. Rejects with `Refused`. */
export type Rndc = (command: Command, zone?: string, block?: string) => Promise<string>;

export interface RndcOptions {
  readonly run: Run;
  /** The path of rndc.conf, with the key. */
  readonly conf: string;
  readonly clock: Clock;
  readonly metrics?: BindcarMetrics;
}

export function rndc({ run, conf, clock, metrics }: RndcOptions): Rndc {
  return async (command, zone, block) => {
    const begun = clock.uptime();
    const words = [command, zone, block].filter((word) => word !== undefined);
    const ran = await run("rndc", ["-c", conf, ...words]).catch((error: unknown) => {
      throw failed("RNDC_FAILED", error);
    });
    const refused = ran.code === 0 ? undefined : rndcRefusal(ran, command, zone ?? "");
    metrics?.rndc(command, refused === undefined ? "success" : "error", clock.uptime() - begun);
    if (refused !== undefined) throw refused;
    return ran.stdout.trim();
  };
}

/** Pure: by the words of named. */
export function rndcRefusal({ stderr, stdout }: Ran, command: Command, zone: string): Refused {
  const text = `${stderr}\n${stdout}`;
  const [, why = ""] = /'[a-z]+' failed: ([^\n]*)/.exec(text) ?? [];
  if (/^not found/.test(why)) return noSuchZone(zone);
  if (/^already exists/.test(why)) return zoneExists(zone);
  if (/^empty label|^label too long|^name too long/.test(why)) return bad("zoneName has to be a zone name");
  if (/^not primary|^not dynamic/.test(why) || /inappropriate zone type|not a secondary/.test(text))
    return bad(`Zone ${zone} is of a type that has no ${command}`);
  if (/connection to remote host closed|expected a 'cookie'/.test(text)) return failed("RNDC_AUTH", text);
  if (/connect failed|connection refused|timed out/.test(text)) return failed("RNDC_CONNECT", text);
  return failed(isAboutFile(command, why) ? "ZONE_FILE" : "RNDC_FAILED", text);
}

const isAboutFile = (command: Command, why: string): boolean =>
  command === "addzone" &&
  /^bad zone|CNAME and other data|unexpected end of input|syntax error|file not found|check-names|no TTL|out of range/.test(
    why,
  );
