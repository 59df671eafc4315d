// The port to what serves the zones: a real named, or one in memory. What it gets has been checked and is written as BIND writes
// it; what it cannot do it refuses with `Refused`.
import type { Endpoint } from "../bindcar/address.ts";
import type { RRset, ZoneType } from "../bindcar/contract.ts";

export interface Nameserver {
  /** What `rndc status` says. */
  status(): Promise<string>;
  /** Whether what it needs is there, by name. */
  checks(): Promise<readonly Check[]>;
  /** Those that have a file: the primary ones, sorted. */
  zones(): Promise<readonly string[]>;
  add(zone: NewZone): Promise<void>;
  remove(zone: string): Promise<void>;
  /** What `rndc zonestatus` says. */
  zoneStatus(zone: string): Promise<string>;
  definition(zone: string): Promise<Definition>;
  modify(zone: string, change: Modification): Promise<void>;
  /** What it said about it. */
  order(zone: string, order: ZoneOrder): Promise<string>;
  read(zone: string): Promise<Content>;
  /** All of them in one message, or none. */
  update(zone: string, edits: readonly Edit[]): Promise<void>;
}

export interface Check {
  readonly name: "zone_dir" | "rndc";
  readonly ok: boolean;
}

export type ZoneOrder = "reload" | "freeze" | "thaw" | "notify" | "retransfer";

export type NewZone = NewPrimary | NewSecondary;

export interface NewPrimary {
  readonly type: "primary";
  readonly zone: string;
  readonly rrsets: readonly RRset[];
  readonly alsoNotify: readonly Endpoint[];
  readonly allowTransfer: readonly string[];
  readonly updateKey?: string;
  readonly dnssecPolicy?: string;
  readonly inlineSigning: boolean;
}

export interface NewSecondary {
  readonly type: "secondary";
  readonly zone: string;
  readonly primaries: readonly Endpoint[];
  readonly alsoNotify: readonly Endpoint[];
  readonly allowTransfer: readonly string[];
}

export interface Definition {
  readonly type: ZoneType;
  readonly file?: string;
  /** As texts: `10.0.0.1:5353`. */
  readonly alsoNotify: readonly string[];
  /** Addresses only: the keys are Bindcar's own. */
  readonly allowTransfer: readonly string[];
  readonly primaries: readonly string[];
}

/** What is not there stays as it is; an empty list goes. */
export interface Modification {
  readonly alsoNotify?: readonly Endpoint[];
  readonly allowTransfer?: readonly string[];
  readonly allowUpdate?: readonly Permitted[];
  readonly primaries?: readonly Endpoint[];
}

export type Permitted = { readonly address: string } | { readonly key: string };

export interface Content {
  readonly serial: number;
  readonly rrsets: readonly RRset[];
}

export type Edit =
  | { readonly do: "add"; readonly name: string; readonly type: string; readonly ttl: number; readonly value: string }
  /** Without a value: all of them. */
  | { readonly do: "delete"; readonly name: string; readonly type: string; readonly value?: string };
