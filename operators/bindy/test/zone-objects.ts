// Zones and records as people write them, for tests.
import type { DNSRecord, DNSZone, RecordKind } from "../src/kinds/index.ts";
import { kindOfType, type RecordType } from "../src/kinds/index.ts";
import { apiVersion } from "../src/names.ts";

export const soaRecord = {
  primaryNs: "ns1.example.com.",
  adminEmail: "admin.example.com.",
  serial: 2_025_010_101,
  refresh: 3600,
  retry: 600,
  expire: 604_800,
  negativeTtl: 86_400,
};

export const zoneSpec = {
  zoneName: "example.com",
  soaRecord,
  ttl: 3600,
  clusterRef: "dns",
  nameServers: [{ hostname: "ns1.example.com.", ipv4Address: "192.0.2.1" }],
  recordsFrom: [{ selector: { matchLabels: { zone: "example.com" } } }],
};

export function dnsZone(name = "example-com", spec: object = {}, metadata: object = {}): DNSZone {
  const it = {
    apiVersion,
    kind: "DNSZone",
    metadata: { name, namespace: "dns", ...metadata },
    spec: { ...zoneSpec, ...spec },
  };
  return it as unknown as DNSZone; // as the server would give it back
}

let born = 0;

/** A record of a type. Each is a second younger than the last, unless told otherwise. */
export function record(type: RecordType, spec: object, metadata: object = {}): DNSRecord {
  born += 1;
  const kind: RecordKind = kindOfType[type];
  const it = {
    apiVersion,
    kind: kind.kind,
    metadata: {
      name: `${type.toLowerCase()}-${born}`,
      namespace: "dns",
      uid: `uid-${born}`,
      creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, born)).toISOString().replace(".000", ""),
      labels: { zone: "example.com" },
      ...metadata,
    },
    spec,
  };
  return it as unknown as DNSRecord; // as the server would give it back
}
