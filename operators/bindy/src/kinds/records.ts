// The eight kinds of records (3.5). This is everything that each asks for.
import { column, Int32, List, ListSet, type Resource, type Static, Text } from "@telltale/kinds";
import { finalizers } from "../names.ts";
import type { Settled } from "./maybe.ts";
import { patterns } from "./patterns.ts";
import { addressStatus, defineRecord, recordSpec, recordStatus } from "./record.ts";

const short = () => Int32({ minimum: 0, maximum: 65_535 });
const target = () => Text({ maxLength: 253, pattern: patterns.target });
const addresses = () => [column("Addresses", ".status.addresses")];
const targetColumn = () => column("Target", ".spec.target");

const a = recordSpec({
  ipv4Addresses: ListSet(Text({ maxLength: 15, pattern: patterns.ipv4 }), { minItems: 1, maxItems: 100 }),
});
export const ARecord = defineRecord({
  kind: "ARecord",
  shortName: "a",
  description: "IPv4 addresses of a name.",
  finalizer: finalizers.aRecord,
  spec: a,
  status: addressStatus,
  columns: addresses(),
});

const aaaa = recordSpec({
  ipv6Addresses: ListSet(Text({ maxLength: 45, pattern: patterns.address }), { minItems: 1, maxItems: 100 }),
});
export const AAAARecord = defineRecord({
  kind: "AAAARecord",
  shortName: "aaaa",
  description: "IPv6 addresses of a name.",
  finalizer: finalizers.aaaaRecord,
  spec: aaaa,
  status: addressStatus,
  columns: addresses(),
});

const txt = recordSpec({
  text: List(Text({ maxLength: 4096, pattern: patterns.printable }), {
    minItems: 1,
    maxItems: 64,
    description: "Strings; one of more than 255 bytes is split",
  }),
});
export const TXTRecord = defineRecord({
  kind: "TXTRecord",
  shortName: "txt",
  description: "Texts of a name.",
  finalizer: finalizers.txtRecord,
  spec: txt,
  status: recordStatus,
  columns: [],
});

const cname = recordSpec(
  { target: target() },
  { rules: [{ rule: "self.name != '@'", message: "the zone itself cannot be an alias: name must not be @" }] },
);
export const CNAMERecord = defineRecord({
  kind: "CNAMERecord",
  shortName: "cname",
  description: "Another name for a name.",
  finalizer: finalizers.cnameRecord,
  spec: cname,
  status: recordStatus,
  columns: [targetColumn()],
});

const mx = recordSpec({ priority: short(), mailServer: target() });
export const MXRecord = defineRecord({
  kind: "MXRecord",
  shortName: "mx",
  description: "A mail server of a name.",
  finalizer: finalizers.mxRecord,
  spec: mx,
  status: recordStatus,
  columns: [column("Priority", ".spec.priority", "integer"), column("Mail Server", ".spec.mailServer")],
});

const ns = recordSpec({ nameserver: target() });
export const NSRecord = defineRecord({
  kind: "NSRecord",
  shortName: "nsr",
  description: "A name server of a name.",
  finalizer: finalizers.nsRecord,
  spec: ns,
  status: recordStatus,
  columns: [column("Nameserver", ".spec.nameserver")],
});

const srv = recordSpec(
  {
    priority: short(),
    weight: short(),
    port: short(),
    target: Text({ maxLength: 253, pattern: patterns.serviceTarget }),
  },
  { owner: patterns.serviceOwner },
);
export const SRVRecord = defineRecord({
  kind: "SRVRecord",
  shortName: "srv",
  description: "Where a service of a name is found.",
  finalizer: finalizers.srvRecord,
  spec: srv,
  status: recordStatus,
  columns: [targetColumn(), column("Port", ".spec.port", "integer")],
});

const caa = recordSpec({
  flags: Int32({ minimum: 0, maximum: 255 }),
  tag: Text({ pattern: patterns.tag, description: "issue, issuewild or iodef" }),
  value: Text({ maxLength: 512, pattern: patterns.printable }),
});
export const CAARecord = defineRecord({
  kind: "CAARecord",
  shortName: "caa",
  description: "Who may issue certificates for a name.",
  finalizer: finalizers.caaRecord,
  spec: caa,
  status: recordStatus,
  columns: [column("Tag", ".spec.tag"), column("Value", ".spec.value")],
});

export const recordKinds = [
  ARecord,
  AAAARecord,
  TXTRecord,
  CNAMERecord,
  MXRecord,
  NSRecord,
  SRVRecord,
  CAARecord,
] as const;
export type RecordKind = (typeof recordKinds)[number];
/** Any record. */
export type DNSRecord = Resource<RecordKind>;
export type RecordStatus = NonNullable<DNSRecord["status"]>;

/** The specs by the type that DNS knows them by, as code reads them. */
export interface RecordSpecs {
  readonly A: Settled<Static<typeof a>>;
  readonly AAAA: Settled<Static<typeof aaaa>>;
  readonly TXT: Settled<Static<typeof txt>>;
  readonly CNAME: Settled<Static<typeof cname>>;
  readonly MX: Settled<Static<typeof mx>>;
  readonly NS: Settled<Static<typeof ns>>;
  readonly SRV: Settled<Static<typeof srv>>;
  readonly CAA: Settled<Static<typeof caa>>;
}
export type RecordType = keyof RecordSpecs;

/** The kind of each type. */
export const kindOfType = {
  A: ARecord,
  AAAA: AAAARecord,
  TXT: TXTRecord,
  CNAME: CNAMERecord,
  MX: MXRecord,
  NS: NSRecord,
  SRV: SRVRecord,
  CAA: CAARecord,
} as const satisfies Readonly<Record<RecordType, RecordKind>>;
