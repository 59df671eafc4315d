// How to reach a server, and as whom: what a kubeconfig or a pod's service account comes down to. Types only.
import type { Headers } from "./transport.ts";

/** The material of a TLS connection, as PEM. A new value after a rotation; the same object until then. */
export interface Tls {
  /** Undefined: the system's own authorities. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must have, where it is not the host's. */
  readonly serverName?: string;
  /** Believe any certificate. */
  readonly insecure?: boolean;
}

export interface Connection {
  /** `https://host:6443`, with a path where the server is behind one. */
  readonly server: string;
  /** Where nothing else is said. */
  readonly namespace: string;
  readonly proxy?: string;
  /** Asked before each request: files rotate. What is at hand is given at once. */
  tls(): Tls | Promise<Tls>;
  /** The headers that say who we are. Asked before each request. */
  identity(): Headers | Promise<Headers>;
  /** The server did not believe us (401): forget what is remembered. Says whether asking again can help. */
  forget(): boolean;
}

/** Where files come from. */
export interface Files {
  /** The text of a file, or undefined where there is none. */
  read(path: string): Promise<string | undefined>;
}

/** How a program is run to its end, with nothing to read on its standard input. It is killed once the signal is raised. */
export type Run = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

export type Env = Readonly<Record<string, string | undefined>>;

/** Something in a configuration that cannot work: the file, the field, what is wrong, and the way out. */
export class ConfigError extends Error {
  readonly file: string;
  readonly field: string;

  constructor(file: string, field: string, problem: string, fix: string, options?: ErrorOptions) {
    super(`${file}: ${field}: ${problem}; ${fix}`, options);
    this.name = "ConfigError";
    this.file = file;
    this.field = field;
  }
}
