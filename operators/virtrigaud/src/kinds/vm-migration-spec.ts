// What a person asks of a migration (3.3): which machine, to which provider, over which storage.
import { Enum, Fields, Int64, Optional, type Static, Text } from "@telltale/kinds";
import {
  disks,
  duration,
  environment,
  exactlyOne,
  flag,
  forPeople,
  int,
  LocalRef,
  localRef,
  name,
  networks,
  ObjectRef,
  objectRef,
  pairs,
  unused,
  upTo,
} from "./fields.ts";
import { patterns } from "./patterns.ts";

const source = Fields({
  vmRef: LocalRef,
  providerRef: objectRef(),
  snapshotRef: localRef(),
  createSnapshot: flag(true),
  powerOffBeforeMigration: flag(false),
  deleteAfterMigration: flag(false),
});

const target = Fields({
  name: name(),
  namespace: Optional(Text({ maxLength: 63, pattern: patterns.name, description: "Absent: that of this object" })),
  providerRef: ObjectRef,
  classRef: localRef(),
  imageRef: localRef(),
  placementRef: localRef(),
  disks: disks(),
  networks: networks(),
  powerOn: flag(false),
  labels: pairs(50),
  annotations: pairs(50),
});

const owner = () => Optional(Int64({ minimum: 0, maximum: 4_294_967_295 }));

const pvc = Fields({
  name: Optional(Text({ description: "A claim that exists; it is never deleted" })),
  storageClassName: Optional(Text()),
  size: Optional(Text({ pattern: "^[0-9]+(\\.[0-9]+)?(Ei?|Pi?|Ti?|Gi?|Mi?|Ki?)$" })),
  accessMode: Optional(Enum(["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"], { default: "ReadWriteMany" })),
  mountPath: unused(
    Optional(Text({ default: "/mnt/migration-storage" })),
    "providers have the claim in a folder of its name in /mnt/migration-storage",
  ),
});

const s3 = Fields({
  bucket: Text(),
  endpoint: upTo(263),
  region: Optional(Text()),
  prefix: Optional(Text()),
  usePathStyle: flag(false),
  credentialsSecretRef: ObjectRef,
});

const nfs = Fields({
  server: Text({ maxLength: 253 }),
  export: Text({ maxLength: 4096 }),
  path: upTo(4096),
  readOnly: unused(flag(false), "a transfer has to write"),
  uid: owner(),
  gid: owner(),
});

const storage = Fields(
  {
    type: Enum(["pvc", "nfs", "s3"], { default: "pvc" }),
    transferMode: Optional(Enum(["auto", "relay", "direct"], { default: "auto" })),
    pvc: Optional(pvc),
    s3: Optional(s3),
    nfs: Optional(nfs),
  },
  {
    rules: [
      exactlyOne(["pvc", "s3", "nfs"]),
      {
        rule: "(self.type == 'pvc' && has(self.pvc)) || (self.type == 's3' && has(self.s3)) || (self.type == 'nfs' && has(self.nfs))",
        message: "give the block that type names",
      },
    ],
  },
);

const options = Fields({
  timeout: duration("4h", "Over all attempts"),
  cleanupPolicy: Optional(Enum(["Always", "OnSuccess", "Never"], { default: "OnSuccess" })),
  diskFormat: Optional(Enum(["qcow2", "vmdk", "raw"])),
  compress: flag(false),
  verifyChecksums: flag(true),
  retryPolicy: Optional(
    Fields(
      {
        maxRetries: int(0, 10, 3),
        retryDelay: duration("5m"),
        backoffMultiplier: int(1, 10, 2),
      },
      { description: "Absent: the first failure is the last" },
    ),
  ),
  validationChecks: Optional(
    Fields({
      checkDiskSize: flag(true),
      checkChecksum: flag(true),
      checkBoot: flag(false),
      checkConnectivity: flag(false),
    }),
  ),
});

export const VMMigrationSpec = Fields({
  source,
  target,
  storage: Optional(storage),
  options: Optional(options),
  metadata: unused(
    Optional(
      Fields({
        createdBy: upTo(255),
        project: upTo(255),
        environment: environment(),
        purpose: Optional(Enum(["disaster-recovery", "cloud-migration", "provider-change", "testing", "maintenance"])),
        tags: pairs(50),
      }),
    ),
    forPeople,
  ),
});
export type VMMigrationSpec = Static<typeof VMMigrationSpec>;
