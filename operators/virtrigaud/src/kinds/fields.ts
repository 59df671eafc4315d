// Fields that several of our kinds share (2.3): references, disks, networks of a machine, hooks, user data, sizes.
import {
  Dictionary,
  Duration,
  described,
  Enum,
  Fields,
  Flag,
  Int32,
  Int64,
  List,
  Optional,
  type Rule,
  type Static,
  Text,
  Time,
} from "@telltale/kinds";
import { patterns } from "./patterns.ts";

export const name = (maxLength = 253) => Text({ maxLength, pattern: patterns.name });

/** An object in the namespace of the one that refers to it. */
export const LocalRef = Fields({ name: name() });
export type LocalRef = Static<typeof LocalRef>;

/** An object here, or in another namespace where that allows it (7.3). */
export const ObjectRef = Fields({
  name: name(),
  namespace: Optional(Text({ maxLength: 63, pattern: patterns.name, description: "Absent: that of this object" })),
});
export type ObjectRef = Static<typeof ObjectRef>;

export const localRef = () => Optional(LocalRef);
export const objectRef = () => Optional(ObjectRef);

/** For manifests written for VirtRigaud: nobody reads or sets it. The README tells of it by these words. */
export const unused = <T extends Described>(schema: T, instead: string): T =>
  described(schema, `${saying.unused}${instead}`);
/** It has to keep the rules, and nothing more is made of it. */
export const checked = <T extends Described>(schema: T, instead: string): T =>
  described(schema, `${saying.checked}${instead}`);
/** It is read, to warn of it or to pass it on, and changes nothing. */
export const inert = <T extends Described>(schema: T, instead: string): T =>
  described(schema, `${saying.inert}${instead}`);
type Described = Parameters<typeof described>[0];
export const saying = { unused: "Has no effect: ", checked: "Only checked: ", inert: "Changes nothing: " } as const;
export const forPeople = "it is for people";

/** A text with an end. */
export const upTo = (maxLength: number, description?: string) =>
  Optional(Text({ maxLength, ...(description === undefined ? {} : { description }) }));
export const words = (maxItems: number) => Optional(List(Text(), { maxItems }));
export const pairs = (maxProperties?: number) =>
  Optional(Dictionary(Text(), maxProperties === undefined ? {} : { maxProperties }));
export const flag = (standard: boolean, description?: string) =>
  Optional(Flag({ default: standard, ...(description === undefined ? {} : { description }) }));
export const duration = (standard?: string, description?: string) =>
  Optional(
    Duration({
      pattern: patterns.duration,
      ...(standard === undefined ? {} : { default: standard }),
      ...(description === undefined ? {} : { description }),
    }),
  );
export const int = (minimum: number, maximum: number, standard?: number) =>
  Optional(Int32({ minimum, maximum, ...(standard === undefined ? {} : { default: standard }) }));
export const ipv4 = () => Optional(Text({ pattern: patterns.ipv4 }));
export const mac = () => Optional(Text({ pattern: patterns.mac }));

export const environment = () => Optional(Enum(["dev", "staging", "prod", "test", "qa", "uat"]));
export const keyProvider = () => Optional(Enum(["standard", "hardware", "external"]));

/** Why a request is refused where a choice was left open or made twice. */
export const exactlyOne = (members: readonly string[]): Rule => ({
  rule: `[${members.map((member) => `has(self.${member})`).join(", ")}].filter(it, it).size() == 1`,
  message: `give exactly one of ${members.join(", ")}`,
});

export const diskTypes = ["thin", "thick", "eagerzeroedthick", "ssd", "hdd"] as const;
export const diskTypesAndNvme = [...diskTypes, "nvme"] as const;

export const DiskSpec = Fields({
  name: name(63),
  sizeGiB: Int32({ minimum: 1, maximum: 65_536, description: "It may grow, and never shrinks" }),
  type: Optional(Enum(diskTypes, { default: "thin" })),
  storageClass: unused(Optional(Text()), "the provider chooses where a disk is"),
  expandPolicy: Optional(
    Enum(["Online", "Offline"], { default: "Offline", description: "Offline: it grows when the machine is off" }),
  ),
  scsi: Optional(
    Fields({
      controller: int(0, 3),
      controllerType: Optional(Enum(["lsilogic", "buslogic", "lsilogic-sas", "pvscsi"], { default: "pvscsi" })),
      sharedBus: Optional(Enum(["noSharing", "virtualSharing", "physicalSharing"], { default: "noSharing" })),
    }),
  ),
});
export type DiskSpec = Static<typeof DiskSpec>;
export const disks = () => Optional(List(DiskSpec, { maxItems: 20 }));

export const VMNetworkRef = Fields({
  name: name(63),
  networkRef: Optional(described(ObjectRef, "A VMNetworkAttachment. Absent: the card that the template has")),
  ipAddress: ipv4(),
  prefix: int(1, 32),
  gateway: ipv4(),
  dns: Optional(Text()),
  macAddress: mac(),
});
export type VMNetworkRef = Static<typeof VMNetworkRef>;
export const networks = () => Optional(List(VMNetworkRef, { maxItems: 10 }));

export const LifecycleHandler = Fields(
  {
    exec: Optional(Fields({ command: List(Text(), { minItems: 1 }) })),
    httpGet: Optional(
      Fields({
        host: Optional(
          Text({ description: "Absent: the first address of the machine, which one that was just started may lack" }),
        ),
        path: Optional(Text()),
        port: Int32({ minimum: 1, maximum: 65_535 }),
        scheme: Optional(Enum(["HTTP", "HTTPS"], { default: "HTTP" })),
      }),
    ),
    snapshot: Optional(
      Fields({
        name: Text(),
        description: Optional(Text()),
        includeMemory: Optional(Flag()),
      }),
    ),
  },
  { description: "At most one of the three" },
);
export type LifecycleHandler = Static<typeof LifecycleHandler>;

const content = () => Optional(Fields({ inline: Optional(Text()), secretRef: localRef() }));

export const UserData = Fields({ cloudInit: content(), ignition: content() });
export type UserData = Static<typeof UserData>;
export const MetaData = Fields({ cloudInit: content() });

const gpu = () =>
  Optional(
    Fields({
      count: Int32({ minimum: 1, maximum: 8 }),
      type: Optional(Text({ pattern: "^[a-zA-Z0-9-_]+$" })),
      memory: Optional(Int64({ minimum: 512, description: "MiB" })),
    }),
  );
const size = { cpu: int(1, 128), memoryMiB: Optional(Int64({ minimum: 128, maximum: 1_048_576 })) } as const;

export const VirtualMachineResources = Fields({ ...size, gpu: unused(gpu(), "it gets no GPU") });
export const CurrentResources = Fields({ ...size, gpu: unused(gpu(), "it is never set, as no machine gets a GPU") });
export type VirtualMachineResources = Static<typeof VirtualMachineResources>;

// --- Of a status

export const message = () => Text({ maxLength: 32_768, description: "The phase in words" });
export const count = () => Int32({ minimum: 0 });
export const bytes = () => Int64({ minimum: 0 });
export const percentage = () => Int32({ minimum: 0, maximum: 100 });
export const eta = () => duration();

/** A provider by its key: its name, with the namespace in front where that is another one (2.11). */
export const providerKeys = () => List(Text({ maxLength: 317 }), { maxItems: 1000 });

/** What several kinds store of each provider. */
export const providerEntry = {
  available: Flag(),
  id: Optional(Text()),
  message: Optional(Text({ maxLength: 1024 })),
  lastUpdated: Optional(Time()),
} as const;
