// What a pass over one Provider knows.
import type { Deployment, Service } from "@telltale/kinds/builtin";
import type { Polled } from "@telltale/runtime";
import type { SafeText } from "@telltale/status";
import type { Provider } from "../kinds/index.ts";
import type { TlsSecret } from "../wire/wire.ts";
import type { Probed } from "./probe.ts";
import type { Used } from "./usage.ts";

export interface World {
  readonly it: Provider;
  /** What has to run, or why nothing can. */
  readonly wanted: Wanted;
  readonly deployment: Deployment | undefined;
  readonly service: Service | undefined;
  /** The staging claims of the namespace that may be mounted, by name. */
  readonly claims: readonly Claim[];
  /** Migrations that copy a disk through this provider, by `namespace/name`. */
  readonly transfers: readonly string[];
  /** Another text after each restart of a pod. */
  readonly pods: string;
  readonly machines: Machines;
  readonly probed: Polled<Probed> | undefined;
  readonly made: Made;
}

export interface Claim {
  readonly name: string;
  /** The migration that it is for, as `namespace/name`. */
  readonly migration: string;
  /** Pods on several nodes may mount it. */
  readonly isShared: boolean;
}

export type Wanted =
  | { readonly is: "deployed"; readonly tls?: TlsSecret }
  | { readonly is: "external"; readonly endpoint: string; readonly tls?: TlsSecret } // it runs elsewhere
  | { readonly is: "invalid"; readonly reason: ConfigurationTrouble; readonly said: SafeText };

export type ConfigurationTrouble =
  | "MissingRuntime"
  | "InvalidConfiguration"
  | "CredentialsNotFound"
  | "TLSNotConfigured";

/** The machines that refer to it. */
export interface Machines {
  readonly count: number;
  readonly used: Used;
  readonly hasConsole: boolean;
}

/** What became of making its objects in this pass. */
export interface Made {
  readonly refused?: { readonly reason: "ServiceError" | "DeploymentError"; readonly said: SafeText };
  /** So many transfers hold back new pods. */
  readonly postponed?: number;
}
