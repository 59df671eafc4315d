// The machine that runs go on: files and processes. Everything that the process engine does to the outside goes through this
// interface, so that what it decides can be tried without it; `system-machine.ts` is the real one.

export interface Machine {
  /** Undefined where there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** In one step, and for its owner's eyes only. */
  write(path: string, text: string): Promise<void>;
  /** Makes a folder, and those above it, for its owner only. */
  folder(path: string): Promise<void>;
  /** A file, or a folder with all that is in it. One that is gone is fine. */
  remove(path: string): Promise<void>;
  /** What is in a folder, sorted. */
  names(path: string): Promise<readonly string[]>;
  /** Another text each time that the file was changed. */
  stamp(path: string): Promise<string | undefined>;
  /** Starts a supervisor in a group of its own. It does nothing before it is told what, and ends if nobody tells it. */
  begin(): Promise<Begun>;
  /** Resolves when a process is gone, whoever started it. */
  ended(process: ProcessRef): Promise<void>;
  isAlive(process: ProcessRef): boolean;
  signal(process: ProcessRef, name: Signal): void;
  /** Kills whatever is left of the group that a process led. */
  killGroup(process: ProcessRef): void;
  /** The processes whose home is a folder: what a run started, wherever it went. */
  livingIn(home: string): readonly ProcessRef[];
}

export type Signal = "SIGINT" | "SIGTERM" | "SIGKILL";

/** A process and no other: pids are used again. */
export interface ProcessRef {
  readonly pid: number;
  /** When it started, in the words of the system. */
  readonly started: string;
}

export interface Begun {
  readonly process: ProcessRef;
  /** Says what to run. The process is written down before that, so that nothing runs which nobody knows. */
  go(command: Command): Promise<void>;
  /** It is not needed after all. */
  drop(): void;
}

/** What a supervisor runs. */
export interface Command {
  /** Goes into the exit record: one of another step is not taken for this one's. */
  readonly id: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: string;
}

/** How a command ended, as its supervisor wrote it down. */
export interface Exit {
  readonly id: string;
  readonly code: number | null;
  readonly signal: string | null;
}
