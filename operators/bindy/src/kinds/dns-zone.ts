// DNSZone: one zone, the servers that it is on and the records in it. This is everything that it can say of itself (3.4).
import {
  column,
  conditions,
  Dictionary,
  defineKind,
  Fields,
  Flag,
  Immutable,
  Int32,
  List,
  ListMap,
  ListSet,
  negative,
  neutral,
  Optional,
  positive,
  type Resource,
  type Rule,
  type Static,
  Text,
  UInt32,
} from "@telltale/kinds";
import { LabelSelector } from "@telltale/kinds/core";
import { because } from "../meanings.ts";
import { finalizers, group, version } from "../names.ts";
import { unansweredReasons } from "../reasons.ts";
import { keepStatus } from "./failures.ts";
import { seconds } from "./fields.ts";
import { Maybe, type Settled } from "./maybe.ts";
import { patterns } from "./patterns.ts";
import { InstanceReference, RecordReference } from "./references.ts";
import { ready, tail, written } from "./vocabulary.ts";

const hostname = () => Text({ maxLength: 254, pattern: patterns.fqdn });
const clusterName = () => Text({ minLength: 1, maxLength: 253, pattern: patterns.objectName });
const selectors = (description: string) =>
  Maybe(List(Fields({ selector: LabelSelector() }), { maxItems: 32, description }));

const SOARecord = Fields({
  primaryNs: hostname(),
  adminEmail: Text({ maxLength: 254, pattern: patterns.fqdn, description: "A mailbox, with a dot in place of the @" }),
  serial: UInt32({ description: "The least serial; the one that is served only grows" }),
  refresh: seconds({ minimum: 1 }),
  retry: seconds({ minimum: 1 }),
  expire: seconds({ minimum: 1 }),
  negativeTtl: seconds(),
});

const has = (field: string): string => `(has(self.${field}) && self.${field} != '')`;

const hasTarget: Rule = {
  rule: `${has("clusterRef")} || ${has("globalClusterRef")} || (has(self.bind9InstancesFrom) && self.bind9InstancesFrom.size() > 0)`,
  message: "one of clusterRef, globalClusterRef and bind9InstancesFrom is required",
};

const zoneName = Text({
  minLength: 1,
  maxLength: 253,
  pattern: patterns.zone,
  rules: [
    {
      rule: "!self.matches('^[0-9]{1,3}([.][0-9]{1,3}){3}$')",
      message: "a zone is named by a domain, not by an address",
    },
  ],
});

const spec = Fields(
  {
    zoneName: Immutable(zoneName),
    soaRecord: SOARecord,
    ttl: Maybe(seconds({ default: 3600 })),
    clusterRef: Maybe(clusterName()),
    globalClusterRef: Maybe(clusterName()),
    bind9InstancesFrom: selectors("Instances by their labels"),
    nameServers: Maybe(
      List(
        Fields({
          hostname: hostname(),
          ipv4Address: Maybe(Text({ maxLength: 15, pattern: patterns.ipv4 })),
          ipv6Address: Maybe(Text({ maxLength: 45, pattern: patterns.address })),
        }),
        { maxItems: 64, description: "The servers of the zone, with addresses for those inside of it" },
      ),
    ),
    nameServerIps: Maybe(
      Dictionary(Text({ maxLength: 15, pattern: patterns.ipv4 }), {
        maxProperties: 64,
        description: "An older form of nameServers; not used when that is set",
      }),
    ),
    recordsFrom: selectors("Records of the same namespace by their labels"),
    dnssecPolicy: Maybe(Text({ pattern: patterns.policy, description: "none: the zone is not signed" })),
  },
  { rules: [hasTarget] },
);
export type DNSZoneSpec = Settled<Static<typeof spec>>;

const status = Fields({
  recordsCount: Int32({ minimum: 0, default: 0 }),
  records: List(RecordReference, { maxItems: 10_000, description: "The records that are selected" }),
  bind9Instances: ListMap(InstanceReference, ["namespace", "name"], { maxItems: 1000 }),
  bind9InstancesCount: Int32({ minimum: 0, description: "How many instances the zone is for" }),
  serial: UInt32({ description: "The serial that all primaries had when they were last asked" }),
  dnssec: Fields({
    signed: Flag(),
    dsRecords: Optional(ListSet(Text({ maxLength: 1024 }), { maxItems: 16, default: [] })),
    keyTag: Optional(UInt32()),
    algorithm: Optional(Text({ maxLength: 64 })),
  }),
});

export const DNSZone = defineKind({
  group,
  version,
  kind: "DNSZone",
  shortNames: ["zone", "zones", "dz", "dzs"],
  description: "A DNS zone on BIND9 servers, with the records that its selectors find.",
  spec,
  status,
  conditions: conditions(
    {
      Ready: positive({
        means: "Every server has the zone, with every record",
        reasons: {
          ...because(["True"], ["ReconcileSucceeded"]),
          ...because(
            ["False"],
            [
              "PrimaryFailed",
              "PartialReconciliation",
              "ReconcileDegraded",
              "DuplicateZone",
              "NoTargets",
              "ConfigurationInvalid",
              "Progressing",
            ],
          ),
          ...because(["Unknown"], unansweredReasons),
        },
      }),
      Progressing: neutral({
        means: "A pass is going on",
        present: "onceSet",
        reasons: {
          ...because(["True"], ["PrimaryReconciling", "SecondaryReconciling"]),
          ...because(["False"], ["ReconcileComplete", "PrimaryFailed"]),
        },
      }),
      Degraded: negative({
        means: "Something about the zone is not as it should be",
        present: "onceSet",
        reasons: {
          ...because(["True"], ["PrimaryFailed", "SecondaryFailed", "PartialReconciliation"]),
          ...because(["False"], ["ReconcileSucceeded"]),
          ...because(["Unknown"], ["DuplicateZone", "NoTargets", "ConfigurationInvalid", ...unansweredReasons]),
        },
      }),
    },
    written,
  ),
  memory: ["serial", "records", "bind9Instances", "conditions.Ready"],
  maxStatusBytes: 1024 * 1024,
  failures: keepStatus,
  columns: [
    column("Zone", ".spec.zoneName"),
    column("Cluster", ".spec.clusterRef"),
    column("Records", ".status.recordsCount", "integer"),
    column("Instances", ".status.bind9InstancesCount", "integer"),
    column("TTL", ".spec.ttl", "integer"),
    ready(),
    ...tail(),
  ],
  finalizer: finalizers.dnsZone,
});
export type DNSZone = Resource<typeof DNSZone>;
export type DNSZoneStatus = NonNullable<DNSZone["status"]>;
