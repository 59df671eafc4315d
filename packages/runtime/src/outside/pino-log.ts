// A log that writes lines of JSON, by `pino`, which is loaded only when one is made. Whatever becomes of the lines, the process
// goes on.
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { sanitize } from "@telltale/status";
import type { Logger } from "pino";
import type { Fields, Log } from "../log.ts";
import type { Sink } from "../samples.ts";
import { lineWriter } from "./line-writer.ts";
import { safeFields } from "./log-fields.ts";

export interface PinoLog extends Log {
  /** Until every line is written or lost, or the time is up; says which. For the end of the process. */
  flush(within?: Ms): Promise<boolean>;
}

export interface PinoLogOptions {
  readonly level: Level | "silent";
  readonly clock: Clock;
  /** Hears of each line that was lost. */
  readonly sink?: Sink;
  /** A file descriptor, or a function that takes each line. Default: 1, the standard output. */
  readonly destination?: number | ((line: string) => void);
  /** On every line. */
  readonly fields?: Fields;
}

type Level = "debug" | "info" | "warn" | "error";

const reserved: ReadonlySet<string> = new Set(["level", "ts", "msg"]);

export async function pinoLog(options: PinoLogOptions): Promise<PinoLog> {
  const { level, clock, destination = 1, fields = {} } = options;
  const onLost = () => options.sink?.({ is: "lost log" });
  const to =
    typeof destination === "number" ? lineWriter({ fd: destination, clock, onLost }) : caller(destination, onLost);
  const { pino } = await import("pino");
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "msg",
      timestamp: () => `,"ts":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // pino would make its own of whatever looks like an error; it is safe already.
      serializers: { err: (err: unknown) => err },
    },
    to,
  );
  return { ...logOf(() => logger.child(safeFields(fields, reserved)), logger, onLost), flush: to.flush };
}

/** A log of the logger that `make` gives, which is asked when the first line is written: most logs of a pass write none. */
function logOf(make: () => Logger, root: Logger, onLost: () => void): Log {
  let made: Logger | undefined;
  const logger = () => {
    made ??= make();
    return made;
  };
  const say = (level: Level) => (message: string, fields?: Fields) => {
    if (!root.isLevelEnabled(level)) return;
    try {
      logger()[level](fields === undefined ? {} : safeFields(fields, reserved), sanitize(message, { max: 4_096 }));
    } catch {
      onLost(); // a field that throws when it is read
    }
  };
  return {
    debug: say("debug"),
    info: say("info"),
    warn: say("warn"),
    error: say("error"),
    with: (fields) => logOf(() => logger().child(safeFields(fields, reserved)), root, onLost),
  };
}

function caller(take: (line: string) => void, onLost: () => void) {
  return {
    write(line: string): void {
      try {
        take(line);
      } catch {
        onLost();
      }
    },
    flush: async (): Promise<boolean> => true,
  };
}
