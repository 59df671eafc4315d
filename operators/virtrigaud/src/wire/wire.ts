// How a provider is reached, seen from who asks: `Dial` opens a `Wire`, and a wire carries calls. `grpc.ts` has the real ones.
import type { Ms } from "@telltale/kinds";
import type { Ask } from "../contract/contract.ts";

/** What is in the Secret of a provider with TLS. All PEM. */
export interface TlsSecret {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  /** The Secret's: another one is another wire. */
  readonly resourceVersion: string;
}

export interface Target {
  /** `host:port`. */
  readonly endpoint: string;
  /** Who the certificate has to speak for; the host to connect to is that of the endpoint. */
  readonly serverName: string;
  /** Absent: plaintext. */
  readonly tls?: TlsSecret;
  /** Takes any certificate. */
  readonly insecureSkipVerify?: boolean;
  /** For one attempt to connect; a call makes as many as its deadline allows. */
  readonly connectTimeout: Ms;
  /** A connection without calls is closed after so long. Default: 5 minutes. */
  readonly idleTimeout?: Ms;
}

/** Makes no connection yet: the first call does. */
export type Dial = (target: Target) => Wire;

export interface Wire {
  /** Throws `RpcError`, and nothing else. */
  readonly ask: Ask;
  /** Takes no more calls. Those under way go on to their end, and then the connection is closed. */
  close(): void;
}
