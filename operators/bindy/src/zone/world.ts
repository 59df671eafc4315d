// What a pass of a zone knows, and what it makes of it.
import type { Bind9Instance, DNSRecord, DNSZone, DNSZoneSpec } from "../kinds/index.ts";
import type { Checked } from "../validate/index.ts";
import type { ServerAddresses } from "./entries.ts";
import type { Server } from "./pods.ts";
import type { Result } from "./primaries.ts";
import type { Followed } from "./secondaries.ts";
import type { Signing } from "./signing-keys.ts";
import type { Targets } from "./targets.ts";

export interface World {
  readonly zone: DNSZone;
  readonly checked: Checked<DNSZoneSpec>;
  /** Others that had the name before, as `namespace/name`. */
  readonly owners: readonly string[];
  readonly targets: Targets;
  /** By the instance's uid: of targets, and of those that are none any more. */
  readonly servers: ReadonlyMap<string, readonly Server[]>;
  /** By the instance's uid: how the zone is signed there. */
  readonly signing: ReadonlyMap<string, Signing>;
  readonly addresses: ServerAddresses;
  /** By the instance's uid: where its Service is in the cluster. */
  readonly services: ReadonlyMap<string, string>;
  /** The records that are this zone's. */
  readonly records: readonly DNSRecord[];
  /** Records that were, and are not any more. */
  readonly released: readonly DNSRecord[];
  /** Records of the zone that are being deleted. */
  readonly ending: readonly DNSRecord[];
  /** Instances that had the zone, and should not any more. */
  readonly former: readonly Bind9Instance[];
  /** Instances whose status lists the zone. */
  readonly listing: readonly Bind9Instance[];
  /** What this pass did. Undefined: it did nothing yet. */
  readonly done?: Done;
}

export interface Done {
  /** What all primaries were brought to. */
  readonly serial?: number;
  /** By the pod's uid. */
  readonly primaries: ReadonlyMap<string, Result>;
  readonly secondaries: ReadonlyMap<string, Followed>;
  /** By uid: instances that still have the zone and should not. */
  readonly left: ReadonlySet<string>;
  /** Pods that have been behind for too long. */
  readonly late: ReadonlySet<string>;
  /** Somebody else was faster with an object: looked at again soon. */
  readonly isCrossed: boolean;
}

/** One that was stored under another definition may have none: it is nobody's, and keeps nobody from their work. */
export const hasSpec = ({ spec }: { readonly spec?: unknown }): boolean => typeof spec === "object" && spec !== null;

export const uidOf = ({ metadata }: { readonly metadata: { readonly uid?: string } }): string => metadata.uid ?? "";
