export { Bind9Cluster, type Bind9ClusterSpec, type Bind9ClusterStatus } from "./bind9-cluster.ts";
export {
  Bind9GlobalCluster,
  type Bind9GlobalClusterSpec,
  type Bind9GlobalClusterStatus,
} from "./bind9-global-cluster.ts";
export { Bind9Instance, type Bind9InstanceSpec, type Bind9InstanceStatus } from "./bind9-instance.ts";
export { DNSZone, type DNSZoneSpec, type DNSZoneStatus } from "./dns-zone.ts";
export { type Algorithm, algorithms, clusterFields } from "./fields.ts";
export { Maybe, type Settled, settled, specOf } from "./maybe.ts";
export { patterns } from "./patterns.ts";
export {
  AAAARecord,
  ARecord,
  CAARecord,
  CNAMERecord,
  type DNSRecord,
  kindOfType,
  MXRecord,
  NSRecord,
  type RecordKind,
  type RecordSpecs,
  type RecordStatus,
  type RecordType,
  recordKinds,
  SRVRecord,
  TXTRecord,
} from "./records.ts";
