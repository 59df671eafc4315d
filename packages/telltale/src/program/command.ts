// What a command is: its name, what may be said to it, and what does it, which is loaded when it is called.
import type { Env } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { Terminal } from "./terminal.ts";

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** `[KIND NAME]`. Empty: it takes no words. */
  readonly words: string;
  readonly most: number;
  readonly options: Readonly<Record<string, Option>>;
  /** Further lines of its help. */
  readonly more?: string;
  /** Whether `--<operator>.<flag>` may be said to it. */
  readonly takesSettings?: boolean;
  /** What the first word may be, for shells that complete it. */
  readonly completes?: "operators" | "commands" | "shells";
  load(): Promise<Run>;
}

export interface Option {
  readonly short?: string;
  /** What stands for its value: `DIR`. Absent: it has none. */
  readonly value?: string;
  readonly means: string;
}

/** What a command is called with, and what it has around it. */
export interface Call {
  readonly words: readonly string[];
  /** Of options with a value. */
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly flags: ReadonlySet<string>;
  /** By operator: `{ capt: { "secret-timeout": "5m" } }`. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly out: Terminal;
  /** For people, where `out` is for machines too. */
  readonly err: Terminal;
  readonly env: Env;
  readonly clock: Clock;
  readonly random: Random;
  /** Raised when the program is asked to end. */
  readonly signal: AbortSignal;
}

/** Gives the exit code. */
export type Run = (call: Call) => Promise<number>;
