// Where words go: a stream, whether a person looks at it, how wide it is, and whether it has colours.
import type { Env } from "@telltale/client";

export interface Terminal {
  write(text: string): void;
  /** One line, or several. */
  line(text?: string): void;
  /** Whether somebody looks at it now: a screen that may be written over. */
  readonly isLive: boolean;
  readonly hasColours: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** The part of a stream that we use. */
export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Pipes are as wide as a wide screen: whoever reads them can cut lines, and nobody can put back what was cut. */
const wide = 160;

export function terminal(stream: Stream, env: Env): Terminal {
  const isLive = stream.isTTY === true && env["TERM"] !== "dumb";
  return {
    write: (text) => void stream.write(text),
    line: (text = "") => void stream.write(`${text}\n`),
    isLive,
    hasColours: hasColours(isLive, env),
    get columns() {
      return positive(env["COLUMNS"]) ?? stream.columns ?? wide;
    },
    get rows() {
      return positive(env["LINES"]) ?? stream.rows ?? 50;
    },
  };
}

/** https://no-color.org, and FORCE_COLOR for those who look at a pipe. */
function hasColours(isLive: boolean, env: Env): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  if ((env["FORCE_COLOR"] ?? "0") !== "0") return true;
  return isLive;
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
