// What is said between the operator and a Bindcar (section 9): bodies, paths and codes. Both sides import it; it does nothing.

/** Below this everything lies. */
export const basePath = "/api/v1";

/** The types of records that can be written. Reading shows whatever the zone has. */
export const recordTypes = ["A", "AAAA", "CNAME", "MX", "TXT", "NS", "PTR", "SRV", "CAA"] as const;
export type RecordType = (typeof recordTypes)[number];

export type ZoneType = "primary" | "secondary";

/** What went wrong behind a 5xx. Never more than this: no text of a server, no path. */
export const failureCodes = [
  "RNDC_AUTH", // named closed the connection: wrong key, or clocks apart
  "RNDC_CONNECT", // named does not listen
  "RNDC_FAILED", // named refused the command
  "NSUPDATE_FAILED", // the update was refused, or not answered
  "ZONE_FILE", // named does not load the zone as it is
  "INTERNAL",
] as const;
export type FailureCode = (typeof failureCodes)[number];

export interface Soa {
  readonly primaryNs: string;
  readonly adminEmail: string;
  readonly serial?: number;
  readonly refresh?: number;
  readonly retry?: number;
  readonly expire?: number;
  readonly negativeTtl?: number;
}

/** One value of one name. `name` is relative to the zone, `@` its apex. */
export interface ZoneRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly value: string;
  readonly ttl?: number | null;
  /** Put before the value, for MX and SRV. */
  readonly priority?: number | null;
}

export interface ZoneConfig {
  readonly ttl?: number;
  readonly soa: Soa;
  readonly nameServers: readonly string[];
  /** Glue: addresses by name, with the trailing dot. */
  readonly nameServerIps: Readonly<Record<string, string>>;
  readonly records?: readonly ZoneRecord[] | null;
  /** `ip`, `ip:port` or `[v6]:port`. */
  readonly alsoNotify?: readonly string[] | null;
  /** Bare addresses. */
  readonly allowTransfer?: readonly string[] | null;
  /** `ip`, `ip:port` or `[v6]:port`; a secondary needs one at least. */
  readonly primaries?: readonly string[] | null;
  readonly dnssecPolicy?: string | null;
  readonly inlineSigning?: boolean | null;
}

export interface CreateZone {
  readonly zoneName: string;
  readonly zoneType: ZoneType;
  readonly zoneConfig: ZoneConfig;
  /** Whose updates the zone accepts. Not for a secondary. */
  readonly updateKeyName?: string | null;
}

/** At least one of them. An empty list takes the statement away; one that is left out stays as it is. */
export interface ModifyZone {
  readonly alsoNotify?: readonly string[];
  readonly allowTransfer?: readonly string[];
  readonly allowUpdate?: readonly string[];
  readonly primaries?: readonly string[];
}

export interface ZoneResponse {
  readonly success: boolean;
  readonly message: string;
  readonly details?: string;
}

export interface ZoneInfo {
  readonly name: string;
  readonly zoneType: ZoneType;
  /** Not there while a secondary has transferred nothing yet. */
  readonly serial?: number;
  readonly filePath?: string;
  readonly alsoNotify?: readonly string[];
  readonly allowTransfer?: readonly string[];
  readonly primaries?: readonly string[];
  readonly dynamic?: boolean;
  readonly frozen?: boolean;
}

export interface ZoneList {
  readonly zones: readonly string[];
  readonly count: number;
}

/** All values of one name and type. `name` is absolute, with the trailing dot. */
export interface RRset {
  readonly name: string;
  /** Also those that BIND makes itself: RRSIG, NSEC, DNSKEY. */
  readonly type: string;
  readonly ttl: number;
  readonly values: readonly string[];
}

export interface RRsets {
  readonly serial: number;
  readonly rrsets: readonly RRset[];
}

/** No values: the RRset goes. */
export interface RRsetChange {
  readonly name: string;
  readonly type: RecordType | "SOA";
  readonly ttl: number;
  readonly values: readonly string[];
}

export interface PutRRsets {
  readonly serial: number;
  readonly changes: readonly RRsetChange[];
}

/** A transaction with more changes is refused. */
export const maxChanges = 500;

export interface PutRRsetsResponse {
  readonly serial: number;
  readonly applied: number;
}

export interface AddRecord extends ZoneRecord {}

export interface RemoveRecord {
  readonly name: string;
  readonly type: RecordType;
  /** Left out: all values of the name and type. */
  readonly value?: string | null;
}

export interface UpdateRecord {
  readonly name: string;
  readonly type: RecordType;
  readonly currentValue: string;
  readonly newValue: string;
  readonly ttl?: number | null;
  readonly priority?: number | null;
}

export interface RecordResponse {
  readonly success: boolean;
  readonly message: string;
  readonly details: { readonly zone: string; readonly record: Readonly<Record<string, unknown>> };
}

export interface Health {
  readonly status: "healthy";
  readonly version: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: readonly string[];
}

export interface ErrorBody {
  readonly error: string;
  readonly details?: null;
  readonly code?: FailureCode;
}

/** What our own Bindcar says of itself: 0.7 with the additions of this contract. */
export const bindcarVersion = "0.8.0";
