// How the server reaches what runs in pods. Whoever runs them implements this; without it logs are empty, and nothing can be
// connected to.
import type { Instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";

export interface PodAccess {
  /** The pod's container is known to have run. Rejects with a message for the client. */
  logs(pod: Pod, options: LogOptions): Promise<AsyncIterable<Uint8Array>>;
  exec(pod: Pod, options: ExecOptions): Promise<ExecSession>;
  /** Where a container port can be reached on loopback. Undefined: nothing listens there for this pod. */
  address(pod: Pod, port: number): { readonly host: string; readonly port: number } | undefined;
}

export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly since?: Instant;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

export interface ExecOptions {
  readonly container: string;
  /** Undefined: attach to the main process. */
  readonly command?: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  readonly signal: AbortSignal;
}

export interface ExecSession {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /** Undefined: the end of input. */
  write(chunk: Uint8Array | undefined): void;
  /** Resolves when the command has ended. For attach: when its streams have. */
  readonly ended: Promise<{ readonly exitCode: number }>;
}
