// A provider's log on the standard output, as its pod's environment asks: `LOG_LEVEL` and `LOG_FORMAT`. Fields that look like
// credentials are never written.
import type { Clock } from "@telltale/clock";
import { type PinoLog, type PinoLogOptions, pinoLog } from "@telltale/runtime";

export interface LogOptions {
  readonly level: PinoLogOptions["level"];
  readonly format: "text" | "json";
  readonly clock: Clock;
  readonly write: (line: string) => void;
}

export function providerLog({ level, format, clock, write }: LogOptions): Promise<PinoLog> {
  return pinoLog({ level, clock, destination: format === "json" ? write : (line) => write(textOf(line)) });
}

/** `2026-01-01T00:00:00.000Z INFO  the provider serves port=9443`. */
function textOf(line: string): string {
  const { ts, level, msg, ...fields }: Record<string, unknown> = JSON.parse(line);
  const shown = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  return `${ts} ${String(level).toUpperCase().padEnd(5)} ${msg}${shown.join("")}\n`;
}
