// What a person asks of a clone (3.9): of what, to where, and what is changed inside it.
import { Dictionary, Enum, Fields, Flag, Immutable, Int32, List, Optional, type Static, Text } from "@telltale/kinds";
import {
  disks,
  diskTypesAndNvme,
  duration,
  environment,
  exactlyOne,
  flag,
  forPeople,
  int,
  ipv4,
  localRef,
  mac,
  name,
  networks,
  objectRef,
  pairs,
  UserData,
  unused,
  upTo,
  words,
} from "./fields.ts";
import { patterns } from "./patterns.ts";

export const cloneTypes = ["FullClone", "LinkedClone", "InstantClone"] as const;
export type CloneType = (typeof cloneTypes)[number];

const source = Fields(
  { vmRef: localRef(), templateRef: objectRef(), snapshotRef: localRef(), imageRef: objectRef() },
  { rules: [exactlyOne(["vmRef", "templateRef", "snapshotRef", "imageRef"])] },
);

const target = Fields({
  name: name(),
  namespace: Optional(Text({ maxLength: 63, pattern: patterns.name, description: "Absent: that of this object" })),
  providerRef: objectRef(),
  classRef: localRef(),
  placementRef: localRef(),
  disks: disks(),
  networks: networks(),
  labels: pairs(50),
  annotations: pairs(50),
});

const Password = Fields({
  value: Optional(Text()),
  secretRef: localRef(),
  secretKey: Optional(Text({ default: "password" })),
});

const sysprep = Fields({
  enabled: flag(false),
  organization: upTo(255),
  owner: upTo(255),
  productKey: Optional(Text()),
  adminPassword: Optional(Password),
  joinDomain: Optional(
    Fields({
      domain: Text({ maxLength: 255 }),
      organizationalUnit: upTo(500),
      username: Text({ maxLength: 255 }),
      password: Password,
    }),
  ),
  customCommands: words(20),
});

const customization = Fields({
  hostname: Optional(Text({ maxLength: 255, pattern: "^[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?$" })),
  domain: upTo(255),
  timeZone: upTo(100),
  networks: Optional(
    List(
      Fields({
        name: Text({ maxLength: 255 }),
        dhcp: Optional(Flag()),
        ipAddress: ipv4(),
        subnetMask: ipv4(),
        gateway: ipv4(),
        dns: words(5),
        macAddress: mac(),
      }),
      { maxItems: 10 },
    ),
  ),
  userData: Optional(UserData),
  sysprep: Optional(sysprep),
  guestCommands: Optional(
    List(
      Fields({
        command: Text({ maxLength: 1000 }),
        arguments: words(20),
        workingDirectory: upTo(500),
        runAsUser: upTo(255),
        timeout: duration("5m"),
        stage: Optional(
          Enum(["pre-customization", "post-customization", "first-boot"], { default: "post-customization" }),
        ),
      }),
      { maxItems: 20 },
    ),
  ),
  certificates: Optional(
    List(
      Fields({
        name: Text({ maxLength: 255 }),
        data: Optional(Text()),
        secretRef: localRef(),
        secretKey: Optional(Text({ default: "tls.crt" })),
        store: Optional(Enum(["root", "ca", "my", "trust"], { default: "root" })),
      }),
      { maxItems: 10 },
    ),
  ),
  tags: words(50),
});

const providerDecides = "the provider decides";

const options = Fields({
  type: Optional(Enum(cloneTypes, { default: "FullClone" })),
  powerOn: flag(false),
  includeSnapshots: unused(flag(false), "a copy has no snapshots"),
  parallel: unused(flag(false), providerDecides),
  timeout: duration("30m"),
  retryPolicy: Optional(
    Fields(
      {
        maxRetries: int(0, 10, 3),
        retryDelay: duration("5m"),
        backoffMultiplier: Optional(Int32({ default: 2 })),
      },
      { description: "Absent: the first failure is the last" },
    ),
  ),
  storage: Optional(
    Fields({
      datastore: upTo(255),
      folder: upTo(255),
      storageClass: unused(upTo(253), providerDecides),
      diskFormat: unused(Optional(Enum(diskTypesAndNvme)), providerDecides),
      preferThinProvisioning: unused(flag(true), providerDecides),
      enableCompression: unused(flag(false), providerDecides),
    }),
  ),
  performance: unused(
    Optional(
      Fields({
        priority: Optional(Enum(["Low", "Normal", "High"], { default: "Normal" })),
        concurrentDisks: int(1, 10, 2),
        ioThrottling: flag(false),
        maxIOPS: int(100, 100_000),
      }),
    ),
    providerDecides,
  ),
});

export const VMCloneSpec = Fields({
  source: Immutable(source, "the source of a clone cannot be changed"),
  target,
  options: Optional(options),
  customization: Optional(customization),
  metadata: unused(
    Optional(
      Fields({
        createdBy: upTo(255),
        project: upTo(255),
        environment: environment(),
        purpose: Optional(Enum(["backup", "testing", "migration", "development", "production", "staging"])),
        tags: Optional(Dictionary(Text(), { maxProperties: 50 })),
      }),
    ),
    forPeople,
  ),
});
export type VMCloneSpec = Static<typeof VMCloneSpec>;
