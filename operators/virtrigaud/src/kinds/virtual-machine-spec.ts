// What a person asks of a machine (3.1); a VMSet holds the same as its template.
import { described, Enum, Fields, Int32, List, Optional, type Static, Text } from "@telltale/kinds";
import {
  disks,
  duration,
  forPeople,
  LifecycleHandler,
  LocalRef,
  localRef,
  MetaData,
  networks,
  ObjectRef,
  UserData,
  unused,
  VirtualMachineResources,
} from "./fields.ts";

export const powerStates = ["On", "Off", "OffGraceful"] as const;
export type PowerState = (typeof powerStates)[number];

const ImportedDisk = Fields({
  diskID: Text({ minLength: 1, maxLength: 253 }),
  path: Optional(Text({ description: "Where the provider finds it" })),
  format: Optional(Enum(["qcow2", "vmdk", "raw", "vdi", "vhdx"], { default: "qcow2" })),
  sizeGiB: Optional(Int32({ minimum: 1 })),
  source: unused(Optional(Enum(["migration", "clone", "import", "snapshot", "manual"])), forPeople),
  migrationRef: unused(localRef(), forPeople),
});
export type ImportedDisk = Static<typeof ImportedDisk>;

const place = () => Optional(Text());

const Placement = Fields({
  cluster: place(),
  host: place(),
  datastore: Optional(Text({ description: "It counts before storagePod" })),
  storagePod: place(),
  folder: place(),
  resourcePool: place(),
});
export type Placement = Static<typeof Placement>;

export const VirtualMachineSpec = Fields(
  {
    providerRef: described(ObjectRef, "The Provider that has the machine"),
    classRef: described(ObjectRef, "The VMClass that says how large it is"),
    imageRef: Optional(described(ObjectRef, "The VMImage that it is made from")),
    importedDisk: Optional(described(ImportedDisk, "A disk that exists already, in place of an image")),
    powerState: Optional(
      Enum(powerStates, { description: 'Absent: On. Quoted in YAML: "On", "Off". OffGraceful: the guest shuts down' }),
    ),
    resources: Optional(described(VirtualMachineResources, "What differs from the class")),
    disks: disks(),
    networks: networks(),
    userData: Optional(described(UserData, "cloud-init or Ignition, not both")),
    metaData: Optional(MetaData),
    placement: Optional(described(Placement, "Where it goes; it counts before the defaults of the provider")),
    placementRef: Optional(described(LocalRef, "A VMPlacementPolicy")),
    lifecycle: Optional(
      Fields({
        gracefulShutdownTimeout: duration("60s"),
        postStart: Optional(described(LifecycleHandler, "Once, when it first runs after it was switched on")),
        preStop: Optional(described(LifecycleHandler, "Once, before it is switched off")),
      }),
    ),
    snapshot: Optional(Fields({ revertToRef: Optional(described(LocalRef, "A VMSnapshot to go back to, once")) })),
    tags: Optional(List(Text(), { maxItems: 50 })),
  },
  {
    rules: [
      {
        // An adopted machine may have neither, and a rule cannot see labels: that both are missing, the controller says.
        rule: "!(has(self.imageRef) && has(self.importedDisk))",
        message: "give imageRef or importedDisk, not both",
      },
    ],
  },
);
export type VirtualMachineSpec = Static<typeof VirtualMachineSpec>;
