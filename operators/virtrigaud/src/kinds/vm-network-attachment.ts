// VMNetworkAttachment: a network that machines are put on, with the addresses given out. This is everything that it can say of
// itself (3.10).
import {
  age,
  column,
  conditions,
  Dictionary,
  defineKind,
  Fields,
  Flag,
  Int32,
  List,
  neutral,
  no,
  Optional,
  phases,
  positive,
  type Resource,
  type Static,
  Text,
  Time,
  yes,
} from "@telltale/kinds";
import { finalizers, group, version } from "../names.ts";
import { failsAloud } from "./failures.ts";
import { message, providerEntry, providerKeys, unused } from "./fields.ts";
import { forceDelete, invalid, reconcileFailed, unanswered, valid } from "./reasons.ts";
import { VMNetworkAttachmentSpec } from "./vm-network-attachment-spec.ts";

const onProvider = Fields({ ...providerEntry, state: Optional(Text({ maxLength: 63 })) });
export type ProviderNetworkStatus = Static<typeof onProvider>;

const ipAllocation = Fields({
  vm: Text({ maxLength: 317, description: "namespace/name" }),
  ip: Text({ maxLength: 45 }),
  mac: Optional(Text({ maxLength: 17 })),
  allocatedAt: Optional(Time()),
  leaseExpiry: unused(Optional(Time()), "it is never set, as nobody sees DHCP leases"),
});
export type IPAllocation = Static<typeof ipAllocation>;

const status = Fields({
  message: message(),
  ready: Flag({ description: "Absent where no Provider that can do it answers" }),
  connectedVMs: Int32({ minimum: 0, description: "Machines with this network that exist on a provider" }),
  availableOn: providerKeys(),
  providerStatus: Dictionary(onProvider, {
    maxProperties: 1000,
    description: "By provider: of those that answer, and of those whose type cannot do it",
  }),
  ipAllocations: List(ipAllocation, {
    maxItems: 4000,
    description: "The addresses that are taken, each as long as its machine exists",
  }),
});

const conflict = {
  IPConflict: no(
    "Two machines ask for the same address; the older one has it",
    "give the machine that the message names another address",
  ),
} as const;
const exhausted = ["The pool has no address left", "add a range to the ConfigMap, or delete machines"] as const;
const noPool = [
  "The ConfigMap of the pool does not exist or cannot be read",
  "make or correct the ConfigMap that the message names",
] as const;

export const VMNetworkAttachment = defineKind({
  group,
  version,
  kind: "VMNetworkAttachment",
  shortNames: ["vmnet"],
  description: "A network that machines are put on.",
  spec: VMNetworkAttachmentSpec,
  status,
  phases: phases(
    {
      Pending: ["Configuring", "Ready", "Failed"],
      Configuring: ["Pending", "Ready", "Failed"],
      Ready: ["Pending", "Configuring", "Failed"],
      Failed: ["Pending", "Configuring", "Ready"],
    },
    {
      initial: ["Pending", "Configuring", "Ready", "Failed"],
      means: {
        Pending: "there is no Provider that can do it, or none of them answers",
        Configuring: "a machine waits for an address of the pool",
        Ready: "machines can be put on it: a Provider that can do it answers",
        Failed: "the spec breaks a rule",
      },
    },
  ),
  conditions: conditions({
    Ready: positive({
      means: "The spec keeps the rules, and a Provider that can do it answers",
      reasons: {
        ...valid,
        ...invalid,
        ...conflict,
        PoolExhausted: no(...exhausted),
        PoolNotFound: no(...noPool),
        Unsupported: no("No Provider can do it", "read status.providerStatus; add the block of the provider's type"),
        ...unanswered,
        InUse: no("It is being deleted, and machines are still on it", forceDelete),
        ...reconcileFailed,
      },
    }),
    Configuring: neutral({
      means: "A machine waits for an address",
      present: "onceSet",
      reasons: {
        PoolExhausted: yes(...exhausted),
        PoolNotFound: yes(...noPool),
        Valid: no("Every machine has what it needs", "nothing to do"),
        Invalid: invalid.Invalid,
      },
    }),
    Validated: positive({
      means: "The spec keeps the rules, and no address is asked for twice",
      present: "onceSet",
      reasons: { ...valid, ...invalid, ...conflict },
    }),
  }),
  memory: ["ipAllocations", "providerStatus", "phase", "observedGeneration"],
  urgent: ["phase", "ipAllocations", "conditions.Ready", "conditions.Configuring", "conditions.Validated"],
  maxStatusBytes: 1024 * 1024,
  failures: failsAloud,
  columns: [
    column("Ready", ".status.ready", "boolean"),
    column("Type", ".spec.network.type"),
    column("Connected VMs", ".status.connectedVMs", "integer"),
    column("Providers", ".status.availableOn[*]"),
    age(),
  ],
  finalizer: finalizers.networkAttachment,
});
export type { VMNetworkAttachmentSpec } from "./vm-network-attachment-spec.ts";
export type VMNetworkAttachment = Resource<typeof VMNetworkAttachment>;
export type VMNetworkAttachmentStatus = NonNullable<VMNetworkAttachment["status"]>;
